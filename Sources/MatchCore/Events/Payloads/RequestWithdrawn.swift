extension Event {
  /// A player withdraws a request or invitation that nobody has accepted yet.
  public struct RequestWithdrawn: MatchOnlyPayload, StepPayload {
    package static let name = "requestWithdrawn"
    package static let noun = "withdrawal"
    package static let step = MatchStep.withdrawn

    public var match: MatchID

    public init(match: MatchID) { self.match = match }
  }
}

extension Event.RequestWithdrawn {
  package var action: Event.Action { .requestWithdrawn(self) }
}

extension Event.Action {
  public static func requestWithdrawn(_ match: MatchID) -> Self {
    .requestWithdrawn(Event.RequestWithdrawn(match: match))
  }
}
