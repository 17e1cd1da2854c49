extension Event {
  /// A player reminds the other player of a match that the turn is that player's.
  public struct Nudged: EventPayload {
    package static let name = "nudged"
    package static let noun = "reminder of a turn"

    public var match: MatchID
    /// The number of the turn that is due.
    public var turn: Int

    public init(match: MatchID, turn: Int) {
      self.match = match
      self.turn = turn
    }
  }
}

extension Event.Nudged {
  package static func answer(_ acceptance: Acceptance) -> Noted? { Noted(acceptance) }

  package var action: Event.Action { .nudged(self) }
  package var about: MatchID? { match }
  package var subject: Event.Subject? { .nudge(match) }

  package func needs(of event: Event) -> Judge.Needs {
    var needs = Judge.Needs()
    needs.matches = [match]
    needs.nudges = true
    return needs
  }

  /// A player sends nothing to a player whom they have blocked.
  package func encounter(of player: PlayerID, match: (MatchID) -> Match?) -> Judge.Encounter? {
    guard let match = match(self.match), match.seat(of: player) != nil else { return nil }
    return Judge.Encounter(players: match.players, counted: [])
  }

  package var fields: [(String, JSON?)] { [("match", .text(match)), ("turn", .number(turn))] }

  package init(_ object: JSONObject) throws(WireFault) {
    self.init(
      match: try object.id("match"),
      turn: try object.smallInteger("turn", in: WireLimits.turnNumbers))
  }
}

/// A player's reminder of a turn to the other player. It is beside the match, as a block is.
public struct Nudge: Hashable, Sendable {
  public var match: MatchID
  public var turn: Int
  /// The player who waits.
  public var sender: PlayerID
  /// The player to move.
  public var player: PlayerID

  public init(match: MatchID, turn: Int, by sender: PlayerID, to player: PlayerID) {
    self.match = match
    self.turn = turn
    self.sender = sender
    self.player = player
  }

  /// The notification that it owes.
  public var job: PushJob { PushJob(nudged: match, turn: turn, to: player) }
}

extension Match {
  /// The time, before credits, from which the player to move may be reminded by the other one: when
  /// a quarter of the turn's time has passed. Nil: nobody may be reminded.
  public var nudgeAt: Instant? {
    guard stage == .playing, seats.count > 1, isTimedByTurn, let limit = terms.turnLimitSeconds
    else { return nil }
    return deadlineSetAt?.adding(seconds: limit / 4 + (limit % 4 == 0 ? 0 : 1))
  }

  /// The player whom another player of the match may remind of the turn, once it is time. Nil:
  /// nobody.
  public func nudged(by player: PlayerID) -> PlayerID? {
    guard nudgeAt != nil, let seat = seat(of: player), seat != seatToPlay else { return nil }
    return seats[seatToPlay].player
  }

  /// The refusal of a reminder, by the state of the match alone. Nil if it may be taken.
  func refusal(of nudge: Event.Nudged, by player: PlayerID, _ clock: QueueClock) -> Refusal? {
    guard let seat = seat(of: player) else { return .unknownMatch }
    if let outcome { return .matchOver(outcome) }
    guard stage == .playing, seats.count > 1 else { return .noOpponent }
    guard nudge.turn == turnNumber else { return .turnNotDue(due: turnNumber) }
    guard seat != seatToPlay else { return .youAreToMove }
    // Every match of two players has a turn limit.
    guard let nudgeAt, let deadline else { return .noOpponent }
    let due = Deadline(at: nudgeAt, creditMicroseconds: deadline.creditMicroseconds)
    guard clock.hasReached(due, setAt: deadlineSetAt) else {
      let from = nudgeAt.adding(microseconds: credit(clock))
      return .nudgeTooEarly(from: max(from, clock.heldUntil ?? from))
    }
    return nil
  }
}

extension Judge {
  /// A player reminds the other one of the turn. The match does not change, and no record has it.
  static func nudge(_ nudged: Event.Nudged, _ draft: Draft) throws(Refusal) -> Nudge {
    let (player, match, context) = (draft.received.event.player, draft.match, draft.context)
    if let refusal = match.refusal(of: nudged, by: player, context.clock(match.id)) {
      throw refusal
    }
    guard let other = match.nudged(by: player) else { throw .noOpponent }
    // The other player learns nothing new by a second one.
    if context.nudges.turns[match.id] == nudged.turn { throw .alreadyNudged(turn: nudged.turn) }
    try context.check(.nudge, of: player, with: match.players)
    return Nudge(match: match.id, turn: nudged.turn, by: player, to: other)
  }
}

/// The facts that reminders of turns need.
public struct NudgeFacts: Hashable, Sendable {
  /// The turn of which the player was last reminded, by match.
  public var turns: [MatchID: Int] = [:]
  /// The players who want no such reminders, and bots, who need none.
  public var refusers: Set<PlayerID> = []

  public init() {}
}

extension Event.Action {
  public static func nudged(_ match: MatchID, turn: Int) -> Self {
    .nudged(Event.Nudged(match: match, turn: turn))
  }
}
