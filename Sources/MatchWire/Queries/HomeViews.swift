public import MatchCore

/// What waits for a player: the answer to `matches`.
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

  /// Puts the answer together.
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

/// An offer of a rematch.
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

  /// Puts the answer together.
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
  /// The match.
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

  /// Puts the answer together.
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

/// A match that is over, as one of its players sees it.
public struct PastGame: Hashable, Sendable, Codable {
  /// The match.
  public var id: MatchID
  /// When it ended.
  public var endedAt: Instant
  /// What sort of match.
  public var kind: MatchKind
  /// Which daily challenge it was.
  public var daily: DailyKey?
  /// How a game of one player was clocked.
  public var mode: SoloMode?
  /// The other player; nil in games of one seat.
  public var opponent: PlayerID?
  /// The other player's name.
  public var opponentName: PlayerName?
  /// What it was for the player.
  public var result: Outcome.Result
  /// Why it ended.
  public var reason: Outcome.Reason
  /// The player's points.
  public var points: Int
  /// The other player's points.
  public var opponentPoints: Int?
  /// Where the list goes on after this game.
  public var cursor: PastGamesCursor
  /// True where the result changes no rating by agreement; else left out.
  public var casual: Bool?

  /// Puts the answer together.
  public init(
    id: MatchID, endedAt: Instant, kind: MatchKind, daily: DailyKey?, mode: SoloMode? = nil,
    opponent: PlayerID?, opponentName: PlayerName?, result: Outcome.Result,
    reason: Outcome.Reason, points: Int, opponentPoints: Int?, cursor: PastGamesCursor,
    casual: Bool? = nil
  ) {
    self.id = id
    self.endedAt = endedAt
    self.kind = kind
    self.daily = daily
    self.mode = mode
    self.opponent = opponent
    self.opponentName = opponentName
    self.result = result
    self.reason = reason
    self.points = points
    self.opponentPoints = opponentPoints
    self.cursor = cursor
    self.casual = casual
  }
}

/// A page of past games: the answer to `pastGames`.
public struct PastGames: Hashable, Sendable, Codable {
  /// The newest first.
  public var games: [PastGame]
  /// Where the next page begins; nil: there is none.
  public var next: PastGamesCursor?

  /// Puts the answer together.
  public init(
    games: [PastGame], next: PastGamesCursor?
  ) {
    self.games = games
    self.next = next
  }
}

/// A match's record: the answer to `record`.
public struct RecordAnswer: Hashable, Sendable, Codable {
  /// The document as text, byte for byte; see `RecordDocument`.
  public var record: String

  /// Puts the answer together.
  public init(
    record: String
  ) {
    self.record = record
  }
}
