import MatchCore
import MatchWire
import PlayerClient

/// The matches that a player may mean, with their short ids and opponents.
struct MatchIndex {
  let candidates: [Candidate]
  private let resolver: MatchIDResolver
  /// The matches against each opponent, by the name's key.
  private let byOpponent: [String: [MatchID]]

  /// Everything that waits for a player.
  init(_ home: HomeView) {
    let matches = home.matches + home.invitations
    let ids = matches.map(\.id) + home.rematchOffers.map(\.match) + (home.damaged ?? [])
    let resolver = MatchIDResolver(
      ids + [home.daily.match, home.timedDaily?.match].compactMap(\.self))
    self.resolver = resolver
    candidates =
      matches.map { Candidate($0, short: resolver.shortID(of: $0.id)) }
      + home.rematchOffers.map { Candidate($0, short: resolver.shortID(of: $0.match)) }
    byOpponent = MatchIndex.byOpponent(
      matches.map { ($0.opponentName, $0.id) }
        + home.rematchOffers.map { ($0.opponentName, $0.match) })
  }

  init(_ games: [PastGame]) {
    let resolver = MatchIDResolver(games.map(\.id))
    self.resolver = resolver
    candidates = games.map { Candidate($0, short: resolver.shortID(of: $0.id)) }
    byOpponent = MatchIndex.byOpponent(games.map { ($0.opponentName, $0.id) })
  }

  private static func byOpponent(_ matches: [(PlayerName?, MatchID)]) -> [String: [MatchID]] {
    var found: [String: [MatchID]] = [:]
    for (name, match) in matches {
      if let name { found[name.key, default: []].append(match) }
    }
    return found
  }

  func short(_ match: MatchID) -> String { resolver.shortID(of: match) }

  /// The match with an id that begins or ends with a text; nil where there is none of these.
  func match(_ text: String) throws -> MatchID? {
    do throws(MatchIDError) {
      return try resolver.resolve(text)
    } catch {
      switch error {
      case .unknown, .notAnID: return nil
      case .ambiguous, .none, .several: throw failure(error)
      }
    }
  }

  /// The matches against the opponent of this name, in the order in which they were given.
  func matches(against text: String) -> [MatchID] {
    PlayerName(text).flatMap { byOpponent[$0.key] } ?? []
  }

  /// The only match of those that fit; nil where none does.
  func only(of fitting: [MatchID]) throws -> MatchID? {
    do throws(MatchIDError) {
      return try MatchIDResolver(fitting).only()
    } catch {
      if case .none = error { return nil }
      throw failure(error)
    }
  }

  /// The failure with the matches to choose from.
  private func failure(_ error: MatchIDError) -> CommandFailure {
    var failure = CommandFailure(error, match: nil)
    let found: [MatchID] =
      switch error {
      case .ambiguous(_, let matches), .several(let matches): matches
      default: []
      }
    failure.candidates = candidates.filter { found.contains($0.id) }
    if case .several = error { failure.message = "Several matches fit. Say which by its ID." }
    if case .ambiguous(let text, _) = error {
      failure.message = "Several matches begin or end with \(text). Give more digits."
    }
    return failure
  }
}

extension CommandSession {
  /// Which matches the name of an opponent can mean, in the order of preference.
  enum NamedMatches {
    /// One that is not over.
    case running
    /// One that is not over, else the past game that ended last.
    case runningOrPast
    /// The past game that ended last, else one that is not over.
    case past
  }

  /// The match that a command is about.
  ///
  /// - Parameters:
  ///   - text: A whole id, a part of one, or the opponent's name; an id wins. Nil: the only match
  ///     that fits.
  ///   - fitting: Which matches fit where no text says which, and come first by name.
  ///   - named: Which matches the name of an opponent can mean beside those.
  ///   - nothing: The failure where none fits, from the home list.
  func match(
    _ text: String?, _ player: Player, fitting: (HomeView) -> [MatchID],
    named: NamedMatches = .running, nothing: (HomeView) -> CommandFailure
  ) throws -> MatchID {
    if let id = text.flatMap({ MatchID($0) }) {
      (subject, match) = (NextStep.short(id), id)
      return id
    }
    let home = try home()
    let index = MatchIndex(home)
    guard let text else {
      guard let found = try index.only(of: fitting(home)) else {
        throw nothing(home)
      }
      (subject, match) = (index.short(found), found)
      return found
    }
    func known(_ found: MatchID, _ index: MatchIndex) -> MatchID {
      (subject, match) = (index.short(found), found)
      return found
    }
    if let match = try index.match(text) { return known(match, index) }
    let past = try MatchIndex(named == .running ? [] : player.pastGames(limit: 100).games)
    if let match = try past.match(text) { return known(match, past) }
    let (against, pastAgainst) = (index.matches(against: text), past.matches(against: text))
    if let match = try index.only(of: fitting(home).filter(against.contains)) {
      return known(match, index)
    }
    if named == .past, let match = pastAgainst.first { return known(match, past) }
    // Running games come before a game that is over and has an offer of a rematch.
    let open = (home.matches + home.invitations).map(\.id).filter(against.contains)
    if let match = try index.only(of: open) ?? index.only(of: against) {
      return known(match, index)
    }
    if let match = pastAgainst.first { return known(match, past) }
    // The service says best that a match is over.
    if named == .running {
      let over = MatchIndex(try player.pastGames(limit: 100).games)
      if let match = try over.match(text) { return known(match, over) }
    }
    // Text that can be neither a name nor an id is reported as no id.
    if PlayerName(text) == nil { _ = try MatchIDResolver([]).resolve(text) }
    throw CommandFailure(MatchIDError.unknown(text), match: nil)
  }

  /// The past game that ended last, of those that fit.
  func lastGame(
    _ player: Player, where fits: (PastGame) -> Bool = { _ in true }, nothing: CommandFailure
  ) throws -> MatchID {
    let games = try player.pastGames(limit: 100).games
    guard let game = games.first(where: fits) else { throw nothing }
    (subject, match) = (MatchIndex(games).short(game.id), game.id)
    return game.id
  }
}

extension CommandSession {
  /// Whether a typed text may mean the match of an earlier command.
  func means(_ text: String?, _ match: MatchID, _ player: Player) throws -> Bool {
    guard let text else { return true }
    if (try? MatchIDResolver([match]).resolve(text)) == match { return true }
    guard let name = PlayerName(text) else { return false }
    return try player.match(match).seats.contains { seat in
      seat.player != player.player && seat.name?.key == name.key
    }
  }
}

extension CommandFailure {
  /// The failure where no match fits.
  static func nothing(_ message: String, next: String...) -> CommandFailure {
    CommandFailure(.notFound, "noMatch", message, next: next)
  }
}
