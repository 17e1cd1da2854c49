extension Event {
  /// A key of the player must not speak for the player any more.
  public struct KeyRemoved: EventPayload {
    package static let name = "keyRemoved"
    package static let noun = "removal of a key"
    package static let price = EventPrice.row

    public var key: PublicKey

    public init(_ key: PublicKey) { self.key = key }
  }
}

extension Event.KeyRemoved {
  package static func answer(_ acceptance: Acceptance) -> Noted? {
    if case .keyRemoved = acceptance { Noted() } else { nil }
  }

  package var action: Event.Action { .keyRemoved(self) }
  package var subject: Event.Subject? { .keys }

  package func needs(of event: Event) -> Judge.Needs { Judge.Needs(keysOf: event.player) }

  package var fields: [(String, JSON?)] { [("key", .text(key))] }

  package init(_ object: JSONObject) throws(WireFault) {
    self.init(try object.publicKey("key"))
  }
}

extension Event.Action {
  public static func keyRemoved(_ key: PublicKey) -> Self { .keyRemoved(Event.KeyRemoved(key)) }
}
