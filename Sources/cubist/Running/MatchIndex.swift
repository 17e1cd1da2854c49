import MatchCore
import MatchWire
import PlayerClient

/// The matches that a player may mean, with their short ids.
struct MatchIndex {
  let candidates: [Candidate]
  private let resolver: MatchIDResolver

  /// Everything that waits for a player.
  init(_ home: HomeView) {
    let matches = home.matches + home.invitations
    let ids = matches.map(\.id) + home.rematchOffers.map(\.match)
    let resolver = MatchIDResolver(
      ids + [home.daily.match, home.timedDaily?.match].compactMap(\.self))
    self.resolver = resolver
    candidates =
      matches.map { Candidate($0, short: resolver.shortID(of: $0.id)) }
      + home.rematchOffers.map { Candidate($0, short: resolver.shortID(of: $0.match)) }
  }

  /// Past games.
  init(_ games: [PastGame]) {
    let resolver = MatchIDResolver(games.map(\.id))
    self.resolver = resolver
    candidates = games.map { Candidate($0, short: resolver.shortID(of: $0.id)) }
  }

  func short(_ match: MatchID) -> String { resolver.shortID(of: match) }

  /// The match that a text means; nil where no match of these begins or ends so.
  func match(_ text: String) throws -> MatchID? {
    do throws(MatchIDError) {
      return try resolver.resolve(text)
    } catch {
      if case .unknown = error { return nil }
      throw failure(error)
    }
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

extension Session {
  /// The match that a command is about.
  ///
  /// - Parameters:
  ///   - text: A whole id or a part of one; nil: the only one that fits.
  ///   - fitting: Which matches fit where no text says which.
  ///   - includingPast: Whether a text may mean a past game.
  ///   - nothing: What is wrong where none fits.
  func match(
    _ text: String?, _ player: Player, fitting: (HomeView) -> [MatchID],
    includingPast: Bool = false, nothing: CommandFailure
  ) throws -> MatchID {
    if let id = text.flatMap({ MatchID($0) }) {
      subject = NextStep.short(id)
      return id
    }
    let home = try player.home()
    let index = MatchIndex(home)
    var found = try text.map(index.match) ?? index.only(of: fitting(home))
    if found == nil, let text, includingPast {
      found = try MatchIndex(player.pastGames(limit: 100).games).match(text)
    }
    guard let found else {
      throw text.map { CommandFailure(MatchIDError.unknown($0), match: nil) } ?? nothing
    }
    subject = index.short(found)
    return found
  }
}

extension CommandFailure {
  /// Nothing fits that a command could be about.
  static func nothing(_ message: String, next: String...) -> CommandFailure {
    CommandFailure(.notFound, "noMatch", message, next: next)
  }
}
