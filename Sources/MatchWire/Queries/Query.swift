public import MatchCore

/// What somebody wants to know; signed like an event, and answered only with what the asker may
/// see.
public struct Query: Hashable, Sendable {
  /// How long a query is valid, seconds after the time in its id.
  public static let validSeconds: Int64 = 60

  /// The deployment that is asked.
  public var service: ServiceID
  /// The asker's id of this query: its time is when it was asked.
  public var id: EventID
  /// Who asks.
  public var player: PlayerID
  /// What about.
  public var kind: Kind

  /// Puts a query together.
  public init(service: ServiceID, id: EventID, player: PlayerID, kind: Kind) {
    self.service = service
    self.id = id
    self.player = player
    self.kind = kind
  }

  /// What about.
  public enum Kind: Hashable, Sendable {
    /// What the service is: any key may ask, and `service` may be anything. Answer: `ServiceInfo`.
    case serviceInfo
    /// Who the asker is. Answer: `PlayerView`.
    case whoAmI
    /// Who has a name. Answer: `PlayerView`.
    case player(PlayerName)
    /// What waits for the asker. Answer: `HomeView`.
    case matches
    /// One match of the asker: as of `atLeast` that stored version, or, with `newerThan`, once it
    /// has a later one. Answer: `MatchView`.
    case match(MatchID, atLeast: Int64?, newerThan: Int64?)
    /// The match that a code invites to, or that was shared with it. Answer: `MatchView`.
    case matchByCode(ShareCode)
    /// The asker's past games, newest first, 1...100 of them. Answer: `PastGames`.
    case pastGames(
      with: PlayerID?, filter: PastGamesFilter = PastGamesFilter(), before: PastGamesCursor?,
      limit: Int)
    /// The record of a match of the asker that is over. Answer: `RecordAnswer`.
    case record(MatchID)
    /// The record of a match that is over and was shared. Answer: `RecordAnswer`.
    case recordByCode(ShareCode)
    /// Who has how many points in a daily challenge. Answer: `Standings`.
    case standings(DailyKey)
    /// Who is rated how: the first 1...100, and the asker with those next to the asker. Answer:
    /// `Ladder`.
    case ladder(limit: Int)
    /// What the asker made of the daily challenges of the last 31 days. Answer: `DailyHistory`.
    case dailyHistory
    /// The best players on a leaderboard. Answer: `LeaderboardView`.
    case leaderboard(Leaderboard)
    /// The asker's last seven days. Answer: `WeekInReview`.
    case review
    /// What the asker has set, and the asker's devices. Answer: `SettingsView`.
    case settings
    /// What was sent to the asker and not yet seen. Answer: `InboxView`.
    case inbox
    /// Whom the asker has blocked. Answer: `BlockList`.
    case blocks
  }

  /// Whether the query is still, and already, valid; a clock may be as far ahead as an event's.
  public func isValid(at now: Instant) -> Bool {
    let age = now.microseconds(since: id.time)
    return age <= Query.validSeconds * 1_000_000
      && age >= -Event.maximumAheadSeconds * 1_000_000
  }

  /// How many past games may be asked for at once.
  public static let pastGamesLimits: ClosedRange<Int> = 1...100
  /// How many of the first of the ladder may be asked for at once.
  public static let ladderLimits: ClosedRange<Int> = 1...100
}

/// Which past games are wanted, besides against whom.
public struct PastGamesFilter: Hashable, Sendable {
  /// Only games of this sort.
  public var kind: MatchKind?
  /// Only games that were this for the player.
  public var result: Outcome.Result?
  /// Only games that ended then or later.
  public var from: Instant?
  /// Only games that ended before that.
  public var until: Instant?

  /// Puts a filter together; without anything it lets every game through.
  public init(
    kind: MatchKind? = nil, result: Outcome.Result? = nil, from: Instant? = nil,
    until: Instant? = nil
  ) {
    self.kind = kind
    self.result = result
    self.from = from
    self.until = until
  }
}

/// Where a page of past games begins: after the game that ended then.
public struct PastGamesCursor: Hashable, Sendable, CustomStringConvertible {
  /// When the game ended.
  public var endedAt: Instant
  /// Which game it was.
  public var match: MatchID

  /// A place in a list of past games.
  public init(endedAt: Instant, match: MatchID) {
    self.endedAt = endedAt
    self.match = match
  }

  /// Reads what `description` prints; nil for anything else.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "_", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let microseconds = Int64(parts[0]), microseconds >= 0,
      let match = MatchID(parts[1])
    else { return nil }
    self.init(endedAt: Instant(microseconds: microseconds), match: match)
    guard description == text else { return nil }
  }

  /// Microseconds, `_`, match id.
  public var description: String { "\(endedAt.microseconds)_\(match)" }
}
