import MatchCore

/// The places of the API and of the page for browsers.
package enum Route: String, Hashable, Sendable, CaseIterable {
  case root = "/"
  case page = "/{folder}/{file}"
  case pageWorker = "/worker.js"
  /// The link by which a friend comes to a match.
  case pageInvitation = "/g/{code}"
  /// The link of a game that somebody shared.
  case pageShared = "/s/{code}"
  case openAPI = "/v1/openapi.json"
  case events = "/v1/events"
  case queries = "/v1/queries"
  case changes = "/v1/changes"
  case service = "/v1/service"
  case daily = "/v1/daily"
  case dailies = "/v1/dailies/{day}/{mode}/{language}"
  case boards = "/v1/boards/{kind}/{mode}/{measure}/{window}"
  case ladder = "/v1/ladder"
  case game = "/v1/games/{code}"
  case record = "/v1/games/{code}/record"

  /// Its name in logs and metrics.
  package var name: String {
    switch self {
    case .root: "root"
    case .page: "page"
    case .pageWorker: "worker"
    case .pageInvitation: "invitation"
    case .pageShared: "shared"
    case .openAPI: "openapi"
    case .events: "events"
    case .queries: "queries"
    case .changes: "changes"
    case .service: "service"
    case .daily: "daily"
    case .dailies: "dailies"
    case .boards: "boards"
    case .ladder: "ladder"
    case .game: "game"
    case .record: "record"
    }
  }

  /// The methods that it answers.
  package var methods: [String] {
    switch self {
    case .events, .queries, .changes: ["POST", "OPTIONS"]
    default: ["GET", "HEAD", "OPTIONS"]
    }
  }

  /// The types of its answers. None: an answer comes whatever is accepted.
  var mediaTypes: [String] {
    switch self {
    case .root: ["text/plain", "text/html"]
    case .page, .pageWorker, .pageInvitation, .pageShared: []
    case .changes: ["text/event-stream"]
    default: ["application/json"]
    }
  }

  /// Whether a browser may show its answers.
  package var isShown: Bool {
    [.root, .page, .pageWorker, .pageInvitation, .pageShared].contains(self)
  }

  /// The route of a path, and the parts of the path that are its parameters.
  static func find(_ path: Substring) -> (route: Route, parameters: [Substring])? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    for (route, pattern) in patterns where pattern.count == parts.count {
      var parameters: [Substring] = []
      let fits = zip(pattern, parts).allSatisfy { expected, part in
        guard expected.hasPrefix("{") else { return expected == part }
        guard expected != "{folder}" || WebPage.isFolder(part) else { return false }
        let isLink = route == .pageInvitation || route == .pageShared
        guard !isLink || ShareCode(typed: part) != nil else { return false }
        parameters.append(part)
        return true
      }
      if fits { return (route, parameters) }
    }
    return nil
  }

  private static let patterns: [(Route, [Substring])] = allCases.map {
    ($0, $0.rawValue.split(separator: "/", omittingEmptySubsequences: false))
  }
}
