public import MatchCore

extension Query {
  /// Asks for the matches, invitations and offers that wait for the asker.
  public struct Matches: PlainQueryPayload {
    public typealias Answer = MatchWire.HomeView

    public static let name = "matches"
    public static let cost = 5
    public var kind: Kind { .matches }

    public init() {}
  }
}

/// The matches, invitations and offers that wait for a player.
public struct HomeView: Hashable, Sendable, Codable {
  /// Matches that wait for an opponent or are running, the newest first.
  public var matches: [MatchSummary]
  /// Matches that the player is invited to, the newest first.
  public var invitations: [MatchSummary]
  /// Offers of a rematch that the player made or may accept, the newest first.
  public var rematchOffers: [RematchOfferView]
  /// Today's challenge.
  public var daily: DailyStatus
  /// Today's timed challenge.
  public var timedDaily: DailyStatus?
  /// The number of matches beyond the listed ones. Nil: none.
  public var moreMatches: Int?
  /// The number of invitations beyond the listed ones. Nil: none.
  public var moreInvitations: Int?
  /// When a recovery of the player takes effect, before credits. Nil: none is under way, or the
  /// service is of a former build.
  public var recoveryAt: Instant?
  /// When the account ends, at the earliest. Nil: the player has not asked, or the service is of a
  /// former build.
  public var leavesAt: Instant?
  /// Matches and invitations that the service cannot read at the moment, and that are in no other
  /// list. Nil: none.
  public var damaged: [MatchID]?

  public init(
    matches: [MatchSummary], invitations: [MatchSummary], rematchOffers: [RematchOfferView],
    daily: DailyStatus, timedDaily: DailyStatus? = nil, moreMatches: Int? = nil,
    moreInvitations: Int? = nil, recoveryAt: Instant? = nil, leavesAt: Instant? = nil,
    damaged: [MatchID]? = nil
  ) {
    self.matches = matches
    self.invitations = invitations
    self.rematchOffers = rematchOffers
    self.daily = daily
    self.timedDaily = timedDaily
    self.moreMatches = moreMatches
    self.moreInvitations = moreInvitations
    self.recoveryAt = recoveryAt
    self.leavesAt = leavesAt
    self.damaged = damaged
  }
}

extension HomeView {
  /// Today's challenge of one mode.
  public func daily(_ mode: SoloMode) -> DailyStatus {
    if mode == daily.daily.mode { return daily }
    if let timedDaily, timedDaily.daily.mode == mode { return timedDaily }
    // A service from before there were two modes names only one challenge.
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
  /// Whether the asker made the offer. If not, the asker may accept it.
  public var isYours: Bool
  public var offeredAt: Instant
  /// The time at which it expires.
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
  public var kind: MatchKind
  public var daily: DailyKey?
  /// The clock of a game of one player.
  public var mode: SoloMode?
  /// Seconds for a turn. Nil: no limit.
  public var turnLimit: Int64?
  /// The other player, or the invited one. Nil if there is none.
  public var opponent: PlayerID?
  /// The other player's name.
  public var opponentName: PlayerName?
  /// The seat of the list's player.
  public var yourSeat: Int
  /// The points of each seat.
  public var points: [Int]
  /// The number of the next turn.
  public var turn: Int
  /// Whether the player can play now.
  public var yourTurn: Bool
  public var stage: MatchStage
  /// The time by which something must happen, before credits.
  public var deadline: Instant?
  /// The time of the deal.
  public var startedAt: Instant
  /// The code of an open invitation that waits.
  public var code: ShareCode?
  /// True if the players agreed that the result changes no rating. Otherwise left out.
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
  public var daily: DailyKey
  /// Whether it can be started.
  public var isDealt: Bool
  /// The end of its day, or the earlier end of a started timed game.
  public var endsAt: Instant
  /// The player's game. Nil before it was started.
  public var match: MatchID?
  /// Whether the player's game is over.
  public var isOver: Bool
  /// The player's points. Nil before the game was started.
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
