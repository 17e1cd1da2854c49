extension Event {
  /// A device of a player lets another one in, which has to show the code.
  public struct DeviceInvited: EventPayload {
    package static let name = "deviceInvited"
    package static let noun = "invitation of a device"
    package static let price = EventPrice.row

    /// The hash of the code.
    public var invitation: Hash

    public init(_ invitation: Hash) { self.invitation = invitation }
  }
}

extension Event.DeviceInvited {
  /// The end of the code's validity.
  package static func answer(_ acceptance: Acceptance) -> Instant? {
    if case .deviceInvited(let until) = acceptance { until } else { nil }
  }

  package var action: Event.Action { .deviceInvited(self) }
  package var subject: Event.Subject? { .keys }
  /// Each code is new.
  package var wish: Self { Self(.zero) }

  package func needs(of event: Event) -> Judge.Needs {
    Judge.Needs(keysOf: event.player, invitation: invitation)
  }

  package var fields: [(String, JSON?)] { [("invitation", .text(invitation))] }

  package init(_ object: JSONObject) throws(WireFault) {
    self.init(try object.hash("invitation"))
  }
}

extension Event.Action {
  public static func deviceInvited(_ invitation: Hash) -> Self {
    .deviceInvited(Event.DeviceInvited(invitation))
  }
}
