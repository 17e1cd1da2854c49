extension Event {
  /// A player declines an invitation by name.
  public struct InvitationDeclined: MatchOnlyPayload {
    package static let name = "invitationDeclined"

    public var match: MatchID

    public init(match: MatchID) { self.match = match }
  }
}

extension Event.InvitationDeclined {
  package static func answer(_ acceptance: Acceptance) -> Int64? {
    if case .invitationDeclined(_, let version) = acceptance { version } else { nil }
  }

  package var action: Event.Action { .invitationDeclined(self) }
}

extension Event.Action {
  public static func invitationDeclined(_ match: MatchID) -> Self {
    .invitationDeclined(Event.InvitationDeclined(match: match))
  }
}
