extension Event {
  /// A player declines an invitation by name.
  public struct InvitationDeclined: MatchOnlyPayload, StepPayload {
    package static let name = "invitationDeclined"
    package static let noun = "refusal of an invitation"
    package static let step = MatchStep.invitationDeclined

    public var match: MatchID

    public init(match: MatchID) { self.match = match }
  }
}

extension Event.InvitationDeclined {
  package var action: Event.Action { .invitationDeclined(self) }
}

extension Event.Action {
  public static func invitationDeclined(_ match: MatchID) -> Self {
    .invitationDeclined(Event.InvitationDeclined(match: match))
  }
}
