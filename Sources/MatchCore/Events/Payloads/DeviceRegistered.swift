/// A player's device can be notified, or not any more. The last event sent holds.
extension Device: EventPayload {
  package static let name = "deviceRegistered"
  package static let noun = "registration of a device"
  package static let price = EventPrice.row

  package static func answer(_ acceptance: Acceptance) -> Noted? { Noted(acceptance) }

  package var action: Event.Action { .deviceRegistered(self) }
  package var subject: Event.Subject? { .device(name) }

  package var fields: [(String, JSON?)] {
    [
      ("device", .text(name)), ("token", token.map { .string($0) }),
      ("permission", .string(permission.rawValue)),
    ]
  }

  package init(_ object: JSONObject) throws(WireFault) {
    self.init(
      name: try object.deviceName(),
      token: try object.optionalValue("token", "1 to 512 visible characters", limit: 512) {
        Device.isToken($0) ? $0 : nil
      },
      permission: try object.value("permission", "a permission") { Permission(rawValue: $0) })
  }
}

extension JSONObject {
  package func deviceName() throws(WireFault) -> DeviceName {
    try value("device", "1 to 32 of A-Z a-z 0-9 _ - .") { DeviceName($0) }
  }
}
