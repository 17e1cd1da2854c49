/// The one answer to an event.
public enum Reply: Hashable, Sendable {
  case accepted(Acceptance)
  case refused(Refusal)
}

/// The outcome of an accepted event.
public enum Acceptance: Hashable, Sendable {
  /// The key is a player now.
  case registered(PlayerID, PlayerName)
  /// A match was dealt and waits for a second player, or begins (solo).
  case matchStarted(MatchTicket)
  /// The player took a seat in a match that waited.
  case matchJoined(MatchTicket)
  /// The daily challenge was begun.
  case dailyStarted(MatchTicket)
  /// A step in a match was taken, and there is nothing more to tell than the match's version.
  case done(MatchStep, MatchID, version: Int64)
  case turnAccepted(TurnReceipt)
  /// The match was given up.
  case matchEnded(MatchID, Outcome, points: [Int], version: Int64)
  /// There is a rematch. It is the same for both, in any order of asking.
  case rematchStarted(MatchTicket)
  /// Anyone with the code may see the match. The code is the same however often it is shared.
  case gameShared(MatchID, code: ShareCode)
  /// The player's settings or devices are saved.
  case noted
  /// Another device can be added with the code until that time.
  case deviceInvited(until: Instant)
  /// The key speaks for the player from now on.
  case keyAdded(PlayerID, PlayerName)
  /// The key speaks for the player no more.
  case keyRemoved(PublicKey)
  /// The recovery key counts from that time on, or the recovery takes effect then.
  case recoverySet(at: Instant)
  /// The two will not meet.
  case playerBlocked(PlayerID)
  /// The two may meet again.
  case playerUnblocked(PlayerID)
  /// The operators have the report about the match.
  case reported(MatchID)
}

extension Acceptance {
  var recoverySetAt: Instant? { if case .recoverySet(let at) = self { at } else { nil } }
}

/// A step in a match that is answered with the match's version alone. The raw value is the type of
/// the answer on the wire.
public enum MatchStep: String, Hashable, Sendable {
  case invitationDeclined
  /// The request was withdrawn.
  case withdrawn
  case reacted
  /// The offer of a rematch is open.
  case rematchOffered
  /// The offer was declined.
  case rematchDeclined

  /// Whether the event is in the match's own record. An offer is in the record of the rematch, if
  /// there is one.
  public var isRecorded: Bool {
    switch self {
    case .invitationDeclined, .withdrawn, .reacted: true
    case .rematchOffered, .rematchDeclined: false
    }
  }
}

/// All a player needs to play the first turn without another query.
public struct MatchTicket: Hashable, Sendable {
  public var match: MatchID
  /// Its stored version, so that a query can ask for at least that one.
  public var version: Int64
  /// The player's own seat.
  public var seat: Int
  /// The 81 letters.
  public var letters: String
  /// The hash that the next turn must name.
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

/// The result of an accepted turn.
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
  /// The match's outcome, if the turn ended it.
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

/// The result of a request for a match.
public enum MatchStart: Hashable, Sendable {
  /// A new match was dealt. It waits for its second player, unless it has only one seat.
  case started(MatchTicket)
  /// The player took a seat in a match that waited.
  case joined(MatchTicket)

  /// The ticket of either case.
  public var ticket: MatchTicket {
    switch self {
    case .started(let ticket), .joined(let ticket): ticket
    }
  }
}

/// The end of a match that was given up.
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

/// The answer to an event that is done, with nothing more to tell.
public struct Noted: Hashable, Sendable {
  init() {}

  init?(_ acceptance: Acceptance) {
    guard case .noted = acceptance else { return nil }
  }
}
