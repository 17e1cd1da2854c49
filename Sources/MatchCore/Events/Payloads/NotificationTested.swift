extension Event {
  /// A player asks for a notification, to see that it arrives.
  public struct NotificationTested: EventPayload {
    package static let name = "notificationTested"
    package static let noun = "test of notifications"
    package static let price = EventPrice.row

    public init() {}
  }
}

extension Event.NotificationTested {
  package static func answer(_ acceptance: Acceptance) -> Noted? { Noted(acceptance) }

  package var action: Event.Action { .notificationTested(self) }
  package var subject: Event.Subject? { .notificationTest }
  package var fields: [(String, JSON?)] { [] }

  package init(_ object: JSONObject) throws(WireFault) { self.init() }
}
