/// The notifications that a player has seen.
public enum InboxSeen: Hashable, Sendable {
  case one(PushJobID)
  /// All that had been sent.
  case all
}

extension InboxSeen {
  /// The seconds after which an event was late rather than its sender's clock wrong.
  static let lateness: Int64 = 60

  /// Until when all notifications count as seen. An event that has waited for a network says nothing
  /// of what was sent meanwhile.
  static func end(of event: Event, now: Instant) -> Instant {
    event.id.time < now.adding(seconds: -lateness) ? event.id.time : now
  }
}

extension InboxSeen: EventPayload {
  package static let name = "inboxSeen"
  package static let noun = "mark in the inbox"
  package static let price = EventPrice.row

  package static func answer(_ acceptance: Acceptance) -> Noted? { Noted(acceptance) }

  package var action: Event.Action { .inboxSeen(self) }
  package var subject: Event.Subject? { .inbox }

  package var fields: [(String, JSON?)] {
    switch self {
    case .one(let job): [("job", .text(job))]
    case .all: []
    }
  }

  package init(_ object: JSONObject) throws(WireFault) {
    self = try object.optionalID("job").map { .one($0) } ?? .all
  }
}
