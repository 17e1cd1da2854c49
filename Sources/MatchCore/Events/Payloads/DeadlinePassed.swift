extension Event {
  /// A deadline is over. Ignored if match, turn or deadline are no longer current.
  public struct DeadlinePassed: ServicePayload {
    package static let name = "deadlinePassed"

    public var match: MatchID
    public var turn: Int
    public var deadline: Instant

    public init(match: MatchID, turn: Int, deadline: Instant) {
      self.match = match
      self.turn = turn
      self.deadline = deadline
    }
  }
}

extension Event.DeadlinePassed {
  package var action: Event.Action { .deadlinePassed(self) }
  package var about: MatchID? { match }

  package var fields: [(String, JSON?)] {
    [
      ("match", .text(match)), ("turn", .number(turn)),
      ("deadlineAt", .number(deadline.microseconds)),
    ]
  }

  package init(_ object: JSONObject) throws(WireFault) {
    self.init(
      match: try object.id("match"),
      turn: try object.smallInteger("turn", in: WireLimits.turnNumbers),
      deadline: try object.instant("deadlineAt"))
  }
}

extension Event.Action {
  public static func deadlinePassed(_ match: MatchID, turn: Int, deadline: Instant) -> Self {
    .deadlinePassed(Event.DeadlinePassed(match: match, turn: turn, deadline: deadline))
  }
}
