/// Scheme, host and port of a URL: the place that a slow answer comes from.
struct PushOrigin: Hashable, Sendable {
  let text: String

  /// The origin of a URL in any form. Those of equal places are equal as far as spelling tells.
  init(of url: String) {
    let lower = url.lowercased()
    guard let end = lower.firstRange(of: "://") else {
      text = lower
      return
    }
    let scheme = lower[..<end.lowerBound]
    let authority = lower[end.upperBound...].prefix { !"/?#".contains($0) }
    let place = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] }
    var host = place ?? authority
    let standard = scheme == "https" ? ":443" : ":80"
    if host.hasSuffix(standard) { host = host.dropLast(standard.count) }
    text = "\(scheme)://\(host)"
  }
}

extension PushOrigin {
  /// The hosts of the push services of the makers of browsers, and the ends of hosts' names. Theirs
  /// are all endpoints of ordinary browsers.
  private static let makersHosts: Set<String> = [
    "fcm.googleapis.com", "updates.push.services.mozilla.com", "web.push.apple.com",
  ]
  private static let apnsHosts: Set<String> = ["api.push.apple.com", "api.sandbox.push.apple.com"]
  private static let makersEndings = [".push.apple.com", ".notify.windows.com"]

  /// Whether it is a push service of a browser's maker, if it exists. Every other origin may be a
  /// client's own server.
  var isOfMaker: Bool {
    text.hasPrefix("https://")
      && (PushOrigin.makersHosts.contains(String(text.dropFirst("https://".count)))
        || isBelowMaker)
  }

  /// Whether it is Apple's push service for apps, which no browser names. Scheme and port do not
  /// matter, and a dot at the end makes no difference to a name server.
  var isOfAPNs: Bool {
    guard let start = text.firstRange(of: "://")?.upperBound else { return false }
    let host = text[start...].prefix { $0 != ":" }
    return PushOrigin.apnsHosts.contains(String(host.hasSuffix(".") ? host.dropLast() : host))
  }

  /// Whether its name is one of any number below a maker's. A client may invent one that no name
  /// server knows.
  var isBelowMaker: Bool {
    text.hasPrefix("https://") && !PushOrigin.makersHosts.contains(String(text.dropFirst(8)))
      && PushOrigin.makersEndings.contains { text.hasSuffix($0) }
  }
}

extension PushOrigin: CustomStringConvertible {
  var description: String { text }
}
