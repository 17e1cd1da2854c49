public import MatchCore

/// A player's question. It is signed like an event, and the answer shows only data that the asker
/// may see.
public struct Query: Hashable, Sendable {
  /// The time that a query is valid, in seconds after the time in its id.
  public static let validSeconds: Int64 = 60

  /// The deployment that is asked.
  public var service: ServiceID
  /// The asker's id of this query. Its time is the time of asking.
  public var id: EventID
  /// The asker.
  public var player: PlayerID
  public var kind: Kind

  public init(service: ServiceID, id: EventID, player: PlayerID, kind: Kind) {
    self.service = service
    self.id = id
    self.player = player
    self.kind = kind
  }

  /// The question: a case for each type of query, with its payload if it has fields.
  public enum Kind: Hashable, Sendable {
    case serviceInfo
    case whoAmI
    case player(Player)
    case matches
    case match(Match)
    case matchByCode(MatchByCode)
    case pastGames(PastGames)
    case headToHead(HeadToHead)
    case record(Record)
    case recordByCode(RecordByCode)
    case standings(Standings)
    case ladder(Ladder)
    case dailyHistory
    case leaderboard(Leaderboard)
    case review
    case settings
    case inbox
    case blocks
    case overview

    /// The payload. It declares everything that follows from the query alone.
    public var payload: any QueryPayload { coded }

    var coded: any CodedQueryPayload {
      switch self {
      case .serviceInfo: ServiceInfo()
      case .whoAmI: WhoAmI()
      case .player(let query): query
      case .matches: Matches()
      case .match(let query): query
      case .matchByCode(let query): query
      case .pastGames(let query): query
      case .headToHead(let query): query
      case .record(let query): query
      case .recordByCode(let query): query
      case .standings(let query): query
      case .ladder(let query): query
      case .dailyHistory: DailyHistory()
      case .leaderboard(let query): query
      case .review: Review()
      case .settings: Settings()
      case .inbox: Inbox()
      case .blocks: Blocks()
      case .overview: Overview()
      }
    }

    /// The name on the wire.
    public var name: String { type(of: coded).name }

    /// Every type of query.
    static let types: [any CodedQueryPayload.Type] = [
      ServiceInfo.self, WhoAmI.self, Player.self, Matches.self, Match.self, MatchByCode.self,
      PastGames.self, HeadToHead.self, Record.self, RecordByCode.self, Standings.self, Ladder.self,
      DailyHistory.self, Leaderboard.self, Review.self, Settings.self, Inbox.self, Blocks.self,
      Overview.self,
    ]
  }

  /// Whether the query is valid now. A clock may be as far ahead as an event's.
  public func isValid(at now: Instant) -> Bool {
    let age = now.microseconds(since: id.time)
    return age <= Query.validSeconds * 1_000_000
      && age >= -Event.maximumAheadSeconds * 1_000_000
  }
}
