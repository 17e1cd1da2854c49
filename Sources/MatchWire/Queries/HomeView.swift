public import MatchCore

extension Query {
  /// What waits for the asker.
  public struct Matches: PlainQueryPayload {
    public typealias Answer = MatchWire.HomeView

    public static let name = "matches"
    public static let cost = 5
    public var kind: Kind { .matches }

    public init() {}
  }
}

/// What waits for a player.
public struct HomeView: Hashable, Sendable, Codable {
  /// Matches that wait for an opponent or are played, the newest first.
  public var matches: [MatchSummary]
  /// Matches that the player is invited to, the newest first.
  public var invitations: [MatchSummary]
  /// Offers of a rematch that the player made or may accept, the newest first.
  public var rematchOffers: [RematchOfferView]
  /// Today's challenge.
  public var daily: DailyStatus
  /// Today's timed challenge.
  public var timedDaily: DailyStatus?
  /// How many matches there are that are not listed; nil: none.
  public var moreMatches: Int?
  /// How many invitations there are that are not listed; nil: none.
  public var moreInvitations: Int?

  public init(
    matches: [MatchSummary], invitations: [MatchSummary], rematchOffers: [RematchOfferView],
    daily: DailyStatus, timedDaily: DailyStatus? = nil, moreMatches: Int? = nil,
    moreInvitations: Int? = nil
  ) {
    self.matches = matches
    self.invitations = invitations
    self.rematchOffers = rematchOffers
    self.daily = daily
    self.timedDaily = timedDaily
    self.moreMatches = moreMatches
    self.moreInvitations = moreInvitations
  }
}

extension HomeView {
  /// Today's challenge of one mode.
  public func daily(_ mode: SoloMode) -> DailyStatus {
    if mode == daily.daily.mode { return daily }
    if let timedDaily, timedDaily.daily.mode == mode { return timedDaily }
    // A service from before there were two names one only.
    let key = DailyKey(day: daily.daily.day, mode: mode, language: daily.daily.language)
    return DailyStatus(
      daily: key, isDealt: false, endsAt: daily.endsAt, match: nil, isOver: false, points: nil)
  }
}

public struct RematchOfferView: Hashable, Sendable, Codable {
  /// The finished match.
  public var match: MatchID
  /// The other player.
  public var opponent: PlayerID
  /// The other player's name.
  public var opponentName: PlayerName?
  /// Whether the asker made the offer; else the asker may accept it.
  public var isYours: Bool
  /// When it was made.
  public var offeredAt: Instant
  /// Until when it stands.
  public var expiresAt: Instant

  public init(
    match: MatchID, opponent: PlayerID, opponentName: PlayerName?, isYours: Bool,
    offeredAt: Instant, expiresAt: Instant
  ) {
    self.match = match
    self.opponent = opponent
    self.opponentName = opponentName
    self.isYours = isYours
    self.offeredAt = offeredAt
    self.expiresAt = expiresAt
  }
}

/// A match as one of its players sees it in a list.
public struct MatchSummary: Hashable, Sendable, Codable {
  public var id: MatchID
  /// Its stored version.
  public var version: Int64
  /// What sort of match.
  public var kind: MatchKind
  /// Which daily challenge it is.
  public var daily: DailyKey?
  /// How a game of one player is clocked.
  public var mode: SoloMode?
  /// Seconds for a turn; nil: no limit.
  public var turnLimit: Int64?
  /// The other player, or who is invited; nil where nobody is.
  public var opponent: PlayerID?
  /// The other player's name.
  public var opponentName: PlayerName?
  /// The seat of the player whose list it is.
  public var yourSeat: Int
  /// The points of each seat.
  public var points: [Int]
  /// The number of the turn to be played next.
  public var turn: Int
  /// Whether the player can play now.
  public var yourTurn: Bool
  /// How far it has come.
  public var stage: MatchStage
  /// Until when the next thing must happen, before credits.
  public var deadline: Instant?
  /// When it was dealt.
  public var startedAt: Instant
  /// The code of an open invitation that waits.
  public var code: ShareCode?
  /// True where the result changes no rating by agreement; else left out.
  public var casual: Bool?

  public init(
    id: MatchID, version: Int64, kind: MatchKind, daily: DailyKey?, mode: SoloMode? = nil,
    turnLimit: Int64?, opponent: PlayerID?, opponentName: PlayerName?, yourSeat: Int,
    points: [Int], turn: Int, yourTurn: Bool, stage: MatchStage, deadline: Instant?,
    startedAt: Instant, code: ShareCode?, casual: Bool? = nil
  ) {
    self.id = id
    self.version = version
    self.kind = kind
    self.daily = daily
    self.mode = mode
    self.turnLimit = turnLimit
    self.opponent = opponent
    self.opponentName = opponentName
    self.yourSeat = yourSeat
    self.points = points
    self.turn = turn
    self.yourTurn = yourTurn
    self.stage = stage
    self.deadline = deadline
    self.startedAt = startedAt
    self.code = code
    self.casual = casual
  }
}

/// A daily challenge as one player sees it.
public struct DailyStatus: Hashable, Sendable, Codable {
  /// Which challenge.
  public var daily: DailyKey
  /// Whether it can be begun.
  public var isDealt: Bool
  /// When its day is over, or before that a timed game that was begun.
  public var endsAt: Instant
  /// The player's game; nil before it was begun.
  public var match: MatchID?
  /// Whether the player's game is over.
  public var isOver: Bool
  /// The player's points; nil before the game was begun.
  public var points: Int?

  public init(
    daily: DailyKey, isDealt: Bool, endsAt: Instant, match: MatchID?, isOver: Bool, points: Int?
  ) {
    self.daily = daily
    self.isDealt = isDealt
    self.endsAt = endsAt
    self.match = match
    self.isOver = isOver
    self.points = points
  }
}
