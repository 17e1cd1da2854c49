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
    case keys
    case invitationOf(InvitationOf)
    case recoveryOf(RecoveryOf)
    case overview
    case account(Account)

    /// The name on the wire.
    public var name: String { visit(NameVisitor()) }
    /// The payload's own fields, in the order of writing.
    var fields: [(String, JSON?)] { visit(FieldVisitor()) }

    /// The answer to a question about the payload of whatever type.
    func visit<Visitor: QueryPayloadVisitor>(_ visitor: Visitor) -> Visitor.Answer {
      switch self {
      case .serviceInfo: visitor.visit(ServiceInfo())
      case .whoAmI: visitor.visit(WhoAmI())
      case .player(let query): visitor.visit(query)
      case .matches: visitor.visit(Matches())
      case .match(let query): visitor.visit(query)
      case .matchByCode(let query): visitor.visit(query)
      case .pastGames(let query): visitor.visit(query)
      case .headToHead(let query): visitor.visit(query)
      case .record(let query): visitor.visit(query)
      case .recordByCode(let query): visitor.visit(query)
      case .standings(let query): visitor.visit(query)
      case .ladder(let query): visitor.visit(query)
      case .dailyHistory: visitor.visit(DailyHistory())
      case .leaderboard(let query): visitor.visit(query)
      case .review: visitor.visit(Review())
      case .settings: visitor.visit(Settings())
      case .inbox: visitor.visit(Inbox())
      case .blocks: visitor.visit(Blocks())
      case .keys: visitor.visit(Keys())
      case .invitationOf(let query): visitor.visit(query)
      case .recoveryOf(let query): visitor.visit(query)
      case .overview: visitor.visit(Overview())
      case .account(let query): visitor.visit(query)
      }
    }
  }

  /// Whether the query is valid now. A clock may be as far ahead as an event's.
  public func isValid(at now: Instant) -> Bool {
    let age = now.microseconds(since: id.time)
    return age <= Query.validSeconds * 1_000_000
      && age >= -Event.maximumAheadSeconds * 1_000_000
  }
}

private struct NameVisitor: QueryPayloadVisitor {
  func visit<Payload: CodedQueryPayload>(_: Payload) -> String { Payload.name }
}

private struct FieldVisitor: QueryPayloadVisitor {
  func visit(_ payload: some CodedQueryPayload) -> [(String, JSON?)] { payload.fields }
}

#if !hasFeature(Embedded)
  extension Query.Kind {
    /// The payload. It declares everything that follows from the query alone.
    public var payload: any QueryPayload { coded }

    var coded: any CodedQueryPayload { visit(CodedVisitor()) }

    /// Every type of query.
    static let types: [any CodedQueryPayload.Type] = [
      Query.ServiceInfo.self, Query.WhoAmI.self, Query.Player.self, Query.Matches.self,
      Query.Match.self, Query.MatchByCode.self, Query.PastGames.self, Query.HeadToHead.self,
      Query.Record.self, Query.RecordByCode.self, Query.Standings.self, Query.Ladder.self,
      Query.DailyHistory.self, Query.Leaderboard.self, Query.Review.self, Query.Settings.self,
      Query.Inbox.self, Query.Blocks.self, Query.Keys.self, Query.InvitationOf.self,
      Query.RecoveryOf.self, Query.Overview.self, Query.Account.self,
    ]
  }

  private struct CodedVisitor: QueryPayloadVisitor {
    func visit(_ payload: some CodedQueryPayload) -> any CodedQueryPayload { payload }
  }
#endif
