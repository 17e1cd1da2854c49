extension Event {
  /// A player withdraws a request or invitation that nobody has accepted yet.
  public struct RequestWithdrawn: MatchOnlyPayload {
    package static let name = "requestWithdrawn"

    public var match: MatchID

    public init(match: MatchID) { self.match = match }
  }
}

extension Event.RequestWithdrawn {
  package static func answer(_ acceptance: Acceptance) -> Int64? {
    if case .withdrawn(_, let version) = acceptance { version } else { nil }
  }

  package var action: Event.Action { .requestWithdrawn(self) }
}

extension Event.Action {
  public static func requestWithdrawn(_ match: MatchID) -> Self {
    .requestWithdrawn(Event.RequestWithdrawn(match: match))
  }
}
