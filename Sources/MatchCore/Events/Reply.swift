/// The one answer to an event.
public enum Reply: Hashable, Sendable {
  /// Done.
  case accepted(Acceptance)
  /// Not done, and why.
  case refused(Refusal)
}

/// What an accepted event came to.
public enum Acceptance: Hashable, Sendable {
  /// The key is a player now.
  case registered(PlayerID, PlayerName)
  /// A match was dealt and waits for a second player, or begins (solo).
  case matchStarted(MatchTicket)
  /// The player took a seat in a match that waited.
  case matchJoined(MatchTicket)
  /// The daily challenge was begun.
  case dailyStarted(MatchTicket)
  /// The invitation was turned down.
  case invitationDeclined(MatchID, version: Int64)
  /// The request was taken back.
  case withdrawn(MatchID, version: Int64)
  /// The turn counts.
  case turnAccepted(TurnReceipt)
  /// The match was given up.
  case matchEnded(MatchID, Outcome, points: [Int], version: Int64)
  /// The offer of a rematch stands.
  case rematchOffered(MatchID, version: Int64)
  /// There is a rematch; the same for both, whoever asked first.
  case rematchStarted(MatchTicket)
  /// The offer was turned down.
  case rematchDeclined(MatchID, version: Int64)
  /// Whoever has the code may see the match; the same code however often it is shared.
  case gameShared(MatchID, code: ShareCode)
  /// What the player said of settings or devices is kept.
  case noted
  /// The two will not meet.
  case playerBlocked(PlayerID)
  /// The two may meet again.
  case playerUnblocked(PlayerID)
}

/// What a player needs to begin to play: enough to play the first turn without asking again.
public struct MatchTicket: Hashable, Sendable {
  public var match: MatchID
  /// Its stored version, so that a query can ask for at least that.
  public var version: Int64
  /// The player's own seat.
  public var seat: Int
  /// The 81 letters.
  public var letters: String
  /// What the next turn has to name.
  public var previous: Hash
  /// The code of an open invitation.
  public var code: ShareCode?

  public init(
    match: MatchID, version: Int64, seat: Int, letters: String, previous: Hash,
    code: ShareCode? = nil
  ) {
    self.match = match
    self.version = version
    self.seat = seat
    self.letters = letters
    self.previous = previous
    self.code = code
  }
}

/// What an accepted turn made.
public struct TurnReceipt: Hashable, Sendable {
  public var match: MatchID
  /// Its stored version after the turn.
  public var version: Int64
  /// The turn's number.
  public var turn: Int
  /// The score of each move.
  public var scores: [Int]
  /// The points of each seat.
  public var points: [Int]
  /// The hash of the turn's entry, which the next turn names.
  public var hash: Hash
  /// The seat that plays next.
  public var seatToPlay: Int
  /// How the match ended, where the turn ended it.
  public var outcome: Outcome?

  public init(
    match: MatchID, version: Int64, turn: Int, scores: [Int], points: [Int], hash: Hash,
    seatToPlay: Int, outcome: Outcome?
  ) {
    self.match = match
    self.version = version
    self.turn = turn
    self.scores = scores
    self.points = points
    self.hash = hash
    self.seatToPlay = seatToPlay
    self.outcome = outcome
  }
}

/// What came of wanting a match.
public enum MatchStart: Hashable, Sendable {
  /// A new match was dealt; unless it is a game of one seat, it waits for its second player.
  case started(MatchTicket)
  /// The player took a seat in a match that waited.
  case joined(MatchTicket)

  /// What is needed to begin to play.
  public var ticket: MatchTicket {
    switch self {
    case .started(let ticket), .joined(let ticket): ticket
    }
  }
}

/// How a match ended by being given up.
public struct MatchEnding: Hashable, Sendable {
  public var match: MatchID
  public var outcome: Outcome
  /// The points of each seat.
  public var points: [Int]
  /// Its stored version.
  public var version: Int64

  public init(match: MatchID, outcome: Outcome, points: [Int], version: Int64) {
    self.match = match
    self.outcome = outcome
    self.points = points
    self.version = version
  }
}

/// The answer to an event of which there is no more to say than that it is done.
public struct Noted: Hashable, Sendable {
  init() {}

  init?(_ acceptance: Acceptance) {
    guard case .noted = acceptance else { return nil }
  }
}
