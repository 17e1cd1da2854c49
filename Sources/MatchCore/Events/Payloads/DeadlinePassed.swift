extension Event {
  /// A deadline is over. Ignored if match, turn or deadline are no longer current. Or one of the
  /// players is gone, so that the match has to end now.
  public struct DeadlinePassed: ServicePayload {
    package static let name = "deadlinePassed"

    public var match: MatchID
    public var turn: Int
    /// With `gone`, the time from which the player is gone.
    public var deadline: Instant
    /// The player of the match who is gone. Nil: the deadline is the match's own.
    public var gone: PlayerID?

    public init(match: MatchID, turn: Int, deadline: Instant, gone: PlayerID? = nil) {
      self.match = match
      self.turn = turn
      self.deadline = deadline
      self.gone = gone
    }
  }
}

extension Event.DeadlinePassed {
  package var action: Event.Action { .deadlinePassed(self) }
  package var about: MatchID? { match }

  package func needs(of event: Event) -> Judge.Needs {
    var needs = Judge.Needs()
    needs.matches = [match]
    if let gone {
      needs.players = [gone]
      needs.leavesSeat = true
    }
    return needs
  }

  package var fields: [(String, JSON?)] {
    [
      ("match", .text(match)), ("turn", .number(turn)),
      ("deadlineAt", .number(deadline.microseconds)), ("gone", gone.map { .text($0) }),
    ]
  }

  package init(_ object: JSONObject) throws(WireFault) {
    self.init(
      match: try object.id("match"),
      turn: try object.smallInteger("turn", in: WireLimits.turnNumbers),
      deadline: try object.instant("deadlineAt"), gone: try object.optionalID("gone"))
  }
}

extension Event.Action {
  public static func deadlinePassed(
    _ match: MatchID, turn: Int, deadline: Instant, gone: PlayerID? = nil
  ) -> Self {
    .deadlinePassed(
      Event.DeadlinePassed(match: match, turn: turn, deadline: deadline, gone: gone))
  }
}
