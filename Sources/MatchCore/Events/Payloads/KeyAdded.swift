extension Event {
  /// The key that signs this shows the code of an invitation, and speaks for the player from now on.
  public struct KeyAdded: EventPayload {
    package static let name = "keyAdded"
    package static let noun = "addition of a device"
    package static let price = EventPrice.row

    public var code: DeviceCode
    /// The player's name for the device; nil: it has none. Former services ignore it.
    public var device: DeviceName?

    public init(_ code: DeviceCode, device: DeviceName? = nil) {
      (self.code, self.device) = (code, device)
    }
  }
}

extension Event.KeyAdded {
  package static func answer(_ acceptance: Acceptance) -> PlayerName? {
    if case .keyAdded(_, let name) = acceptance { name } else { nil }
  }

  package var action: Event.Action { .keyAdded(self) }
  package var subject: Event.Subject? { .player }
  /// The code is good once, whatever the device is called.
  package var wish: Self { Self(code) }

  package func needs(of event: Event) -> Judge.Needs {
    Judge.Needs(keysOf: event.player, invitation: code.hash(at: event.service))
  }

  package var fields: [(String, JSON?)] {
    [("code", .text(code)), ("device", device.map { .text($0) })]
  }

  package init(_ object: JSONObject) throws(WireFault) {
    self.init(
      try object.value("code", "12 of 0-9 and A-Z without I, L, O, U") { DeviceCode($0) },
      device: object.optional("device") == nil ? nil : try object.deviceName())
  }
}

extension Event.Action {
  public static func keyAdded(_ code: DeviceCode, device: DeviceName? = nil) -> Self {
    .keyAdded(Event.KeyAdded(code, device: device))
  }
}
