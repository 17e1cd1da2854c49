/// What one player may do at most; nil: as much as one likes.
public struct PlayerLimits: Hashable, Sendable {
  /// Events in a minute. Counted by each worker for itself, so that it is about right.
  public var eventsPerMinute: Int?
  /// Requests and invitations of the player that nobody has taken yet. Exact.
  public var openRequests: Int?
  /// Matches of the player that are not over, those that wait included. Exact.
  public var runningMatches: Int?

  /// Puts limits together.
  public init(eventsPerMinute: Int?, openRequests: Int?, runningMatches: Int?) {
    self.eventsPerMinute = eventsPerMinute
    self.openRequests = openRequests
    self.runningMatches = runningMatches
  }

  /// What holds unless it is set otherwise.
  public static let standard = PlayerLimits(
    eventsPerMinute: 600, openRequests: 20, runningMatches: 100)
  /// No limit at all.
  public static let none = PlayerLimits(
    eventsPerMinute: nil, openRequests: nil, runningMatches: nil)

  /// Which limit was reached. The raw values travel and must never change.
  public enum Key: String, Hashable, Sendable, CaseIterable {
    /// Events in a minute.
    case eventsPerMinute
    /// Requests and invitations that nobody has taken yet.
    case openRequests
    /// Matches that are not over.
    case runningMatches
  }

  /// Whether matches are counted at all.
  public var countsMatches: Bool { openRequests != nil || runningMatches != nil }
}

/// How many matches of a player are not over.
public struct PlayerLoad: Hashable, Sendable {
  /// Those in which nobody has taken the other seat yet.
  public var waiting: Int
  /// All of them, those included.
  public var total: Int

  /// Puts a load together.
  public init(waiting: Int = 0, total: Int = 0) {
    self.waiting = waiting
    self.total = total
  }

  /// Adds what a step of a match makes of the load of a player.
  public mutating func add(_ change: MatchChange, for player: PlayerID) {
    let (before, after) = (PlayerLoad(change.before, player), PlayerLoad(change.after, player))
    waiting += after.waiting - before.waiting
    total += after.total - before.total
  }

  /// What one match adds to the load of a player.
  init(_ match: Match?, _ player: PlayerID) {
    let isCounted = match.map { $0.outcome == nil && $0.seat(of: player) != nil } ?? false
    self.init(
      waiting: isCounted && match?.stage == .waiting ? 1 : 0, total: isCounted ? 1 : 0)
  }
}

extension JudgingContext {
  /// Why a player may not begin a match; `waits`: whether it would wait for somebody.
  func refusalToBegin(_ player: PlayerID, waits: Bool) -> Refusal? {
    guard let load = loads[player] else { return nil }
    if let limit = limits.runningMatches, load.total >= limit {
      return .rateLimited(.runningMatches, retryAfterSeconds: nil)
    }
    if waits, let limit = limits.openRequests, load.waiting >= limit {
      return .rateLimited(.openRequests, retryAfterSeconds: nil)
    }
    return nil
  }
}
