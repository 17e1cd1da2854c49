/// A player's device can be notified, or not any more. The last event sent holds.
extension Device: EventPayload {
  package static let name = "deviceRegistered"
  package static let noun = "registration of a device"
  package static let price = EventPrice.row

  package static func answer(_ acceptance: Acceptance) -> Noted? { Noted(acceptance) }

  package var action: Event.Action { .deviceRegistered(self) }
  package var subject: Event.Subject? { .device(name) }

  package var fields: [(String, JSON?)] {
    var fields: [(String, JSON?)] = [("device", .text(name))]
    switch route {
    case .app(let token): fields.append(("token", token.map { .string($0) }))
    case .apns(let token):
      fields.append(("route", .string(route.service.rawValue)))
      fields.append(("token", .string(token)))
    case .webPush(let subscription):
      fields.append(("route", .string(route.service.rawValue)))
      fields.append(("endpoint", .string(subscription.endpoint)))
      fields.append(("key", .string(Base64.encodeForURL(subscription.key))))
      fields.append(("secret", .string(Base64.encodeForURL(subscription.secret))))
    }
    return fields + [("permission", .string(permission.rawValue))]
  }

  package init(_ object: JSONObject) throws(WireFault) {
    self.init(
      name: try object.deviceName(), route: try Route(object),
      permission: try object.value("permission", "a permission") { Permission(rawValue: $0) })
  }
}

extension Device.Route {
  /// Reads the fields of the named way. A field of another one would be lost in silence, so it
  /// is refused.
  fileprivate init(_ object: JSONObject) throws(WireFault) {
    let service =
      try object.optionalValue("route", "app, webPush or apns") { Service(rawValue: $0) } ?? .app
    let others = service == .webPush ? ["token"] : ["endpoint", "key", "secret"]
    for field in others where object.optional(field) != nil {
      throw .malformed("\(field) is no field of a device of \(service.rawValue)")
    }
    switch service {
    case .app:
      self = .app(
        token: try object.optionalValue("token", "1 to 512 visible characters", limit: 512) {
          Device.isToken($0) ? $0 : nil
        })
    case .apns:
      self = .apns(
        token: try object.value(
          "token", "64 to 200 hexadecimal digits in lower case", limit: 200
        ) { Device.isAPNsToken($0) ? $0 : nil })
    case .webPush:
      let endpoint = try object.value(
        "endpoint", "an https URL of visible ASCII characters without user and fragment",
        limit: WebPushSubscription.endpointLimit
      ) { WebPushSubscription.isEndpoint($0) ? $0 : nil }
      let key = try object.value(
        "key", "65 bytes of an uncompressed point in base64url without padding", limit: 87
      ) { text in Base64.decodeForURL(text).flatMap { $0.count == 65 && $0[0] == 4 ? $0 : nil } }
      let secret = try object.value(
        "secret", "16 bytes in base64url without padding"
      ) { text in Base64.decodeForURL(text).flatMap { $0.count == 16 ? $0 : nil } }
      guard
        let subscription = WebPushSubscription(endpoint: endpoint, key: key, secret: secret)
      else { throw .malformed("endpoint, key and secret are no subscription") }
      self = .webPush(subscription)
    }
  }
}

extension JSONObject {
  package func deviceName() throws(WireFault) -> DeviceName {
    try value("device", "1 to 32 of A-Z a-z 0-9 _ - .") { DeviceName($0) }
  }
}
