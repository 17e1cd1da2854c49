/// The rows that a match is found by. They are derived from it and can be made again at any time.
public struct Listing: Hashable, Sendable {
  /// The match as one player finds it among the matches that are not over.
  public struct SeatRow: Hashable, Sendable {
    public var seat: Int
    /// The player who sits there or is invited.
    public var player: PlayerID
    /// Whether the player has yet to answer an invitation.
    public var isInvited: Bool
    /// Whether the match is over. Then it is listed among past games, or not at all.
    public var isOver: Bool

    /// A row as it was stored.
    public init(seat: Int, player: PlayerID, isInvited: Bool, isOver: Bool) {
      self.seat = seat
      self.player = player
      self.isInvited = isInvited
      self.isOver = isOver
    }
  }

  /// An ended match as one player sees it.
  public struct PastGameRow: Hashable, Sendable {
    public var player: PlayerID
    public var endedAt: Instant
    /// The other player. Nil in games of one seat.
    public var opponent: PlayerID?
    /// The result for the player.
    public var result: Outcome.Result
    public var reason: Outcome.Reason
    /// The player's points.
    public var points: Int
    /// The other player's points.
    public var opponentPoints: Int?

    /// A row as it was stored.
    public init(
      player: PlayerID, endedAt: Instant, opponent: PlayerID?, result: Outcome.Result,
      reason: Outcome.Reason, points: Int, opponentPoints: Int?
    ) {
      self.player = player
      self.endedAt = endedAt
      self.opponent = opponent
      self.result = result
      self.reason = reason
      self.points = points
      self.opponentPoints = opponentPoints
    }
  }

  /// An offer of a rematch that waits for an answer.
  public struct OfferRow: Hashable, Sendable {
    public var from: PlayerID
    /// The player who may accept.
    public var to: PlayerID
    public var at: Instant

    /// A row as it was stored.
    public init(from: PlayerID, to: PlayerID, at: Instant) {
      self.from = from
      self.to = to
      self.at = at
    }
  }

  /// A player's points in a daily challenge.
  public struct DailyScoreRow: Hashable, Sendable {
    public var key: DailyKey
    public var player: PlayerID
    /// Points made so far.
    public var points: Int

    /// A row as it was stored.
    public init(key: DailyKey, player: PlayerID, points: Int) {
      self.key = key
      self.player = player
      self.points = points
    }
  }

  /// A seat that waits for anyone.
  public struct OpenSeatRow: Hashable, Sendable {
    public var terms: Terms
    /// Whether the first turn has been played.
    public var hasTurn: Bool
    /// The players who left it, and may not take it again.
    public var leavers: [PlayerID]

    /// A row as it was stored.
    public init(terms: Terms, hasTurn: Bool, leavers: [PlayerID] = []) {
      self.terms = terms
      self.hasTurn = hasTurn
      self.leavers = leavers
    }
  }

  /// One row for each seat with a name on it.
  public var seats: [SeatRow]
  /// One row for each player of a match that was played.
  public var pastGames: [PastGameRow]
  /// The free seat that waits for anyone.
  public var openSeat: OpenSeatRow?
  /// The key of the claim on a pair, while an invitation by name is open.
  public var pairKey: String?
  /// The open offer of a rematch.
  public var rematchOffer: OfferRow?
  /// A player's points in a daily challenge, from its start on.
  public var dailyScore: DailyScoreRow?
  /// The match's results for ratings, once it is over.
  public var rated: RatedMatch?
  /// The result of an ended game of one player.
  public var soloScore: SoloScoreRow?

  /// Whether a step leaves everything derived from a match the same. It is found without deriving
  /// anything, since most steps are turns and the same players play on. May be false although
  /// nothing changed.
  public static func stays(_ before: Match, _ after: Match) -> Bool {
    guard before.stage == .playing, after.stage == .playing, before.rematch == after.rematch,
      before.terms == after.terms, before.seats.count == after.seats.count,
      before.seats.indices.allSatisfy({ before.seats[$0].holder == after.seats[$0].holder })
    else { return false }
    // Points of a daily challenge are listed while it is played.
    if case .daily = after.terms.kind { return false }
    return true
  }

  /// Derives the rows of a match.
  public init(of match: Match) {
    let isOver = match.outcome != nil
    seats = match.seats.enumerated().compactMap { index, seat in
      switch seat.holder {
      case .free: nil
      case .invited(let player):
        SeatRow(seat: index, player: player, isInvited: true, isOver: isOver)
      case .taken(let player):
        SeatRow(seat: index, player: player, isInvited: false, isOver: isOver)
      }
    }
    pastGames = []
    if case .ended(let outcome, let endedAt) = match.stage, outcome.wasPlayed {
      pastGames = match.seats.enumerated().compactMap { index, seat in
        guard let player = seat.player else { return nil }
        let other = match.seats.indices.first { $0 != index }
        return PastGameRow(
          player: player, endedAt: endedAt, opponent: other.flatMap { match.seats[$0].player },
          result: outcome.results[index], reason: outcome.reason, points: seat.points,
          opponentPoints: other.map { match.seats[$0].points })
      }
    }
    let isWaiting = match.stage == .waiting
    openSeat =
      isWaiting && match.terms.kind == .random
      ? OpenSeatRow(
        terms: match.terms, hasTurn: match.turnNumber > 1,
        leavers: match.leavings.map { $0.player }) : nil
    pairKey = nil
    if isWaiting, match.terms.kind == .invitation, seats.count == 2 {
      pairKey = Claim.pairKey(seats[0].player, seats[1].player, match.terms)
    }
    rematchOffer = nil
    if let offer = match.rematch.offer, match.seats.count == 2,
      let from = match.seats[offer.seat].player, let to = match.seats[1 - offer.seat].player
    {
      rematchOffer = OfferRow(from: from, to: to, at: offer.at)
    }
    rated = match.rated
    dailyScore = nil
    if case .daily(let key) = match.terms.kind, let player = match.seats[0].player,
      !match.isOverlong
    {
      dailyScore = DailyScoreRow(key: key, player: player, points: match.seats[0].points)
    }
    soloScore = SoloScoreRow(of: match)
  }
}
