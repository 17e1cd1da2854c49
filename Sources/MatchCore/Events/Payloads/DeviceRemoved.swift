extension Event {
  /// A player's device must not be notified any more.
  public struct DeviceRemoved: EventPayload {
    package static let name = "deviceRemoved"
    package static let noun = "removal of a device"
    package static let price = EventPrice.row

    public var device: DeviceName

    public init(_ device: DeviceName) { self.device = device }
  }
}

extension Event.DeviceRemoved {
  package static func answer(_ acceptance: Acceptance) -> Noted? { Noted(acceptance) }

  package var action: Event.Action { .deviceRemoved(self) }
  package var subject: Event.Subject? { .device(device) }
  package var fields: [(String, JSON?)] { [("device", .text(device))] }

  package init(_ object: JSONObject) throws(WireFault) {
    self.init(try object.deviceName())
  }
}

extension Event.Action {
  public static func deviceRemoved(_ device: DeviceName) -> Self {
    .deviceRemoved(Event.DeviceRemoved(device))
  }
}
