package import MatchCore
package import MatchWire

/// The event bus as an operator needs it to look after dead letters. Confined to its thread.
///
/// Dead letters are in the database; only former builds left some in a queue of the broker.
package struct DeadLetterBus: Interface {
  /// Takes one more message of the former queue of dead letters in hand; nil: there is none left,
  /// or no such queue. An unsettled message goes back into the queue when the bus is closed or this
  /// process ends.
  package var next: Ask<Void, DeadLetter?, BusError>
  /// Publishes a message as it was, and waits until the broker has it safely in the queue that it
  /// belongs into.
  package var publish: Ask<([UInt8], DeadLetter.Destination), Void, BusError>
  /// Removes a message in hand from the former queue of dead letters.
  package var acknowledge: Ask<DeadLetter, Void, BusError>
  /// Closes the connections.
  package var close: Ask<Void, Void, Never>

  package init(_ how: Asking<BusError>, around inner: DeadLetterBus?) {
    next = how("DeadLetterBus.next", inner?.next) { nil }
    publish = how("DeadLetterBus.publish", inner?.publish) { _, _ in }
    acknowledge = how("DeadLetterBus.acknowledge", inner?.acknowledge) { _ in }
    close = how("DeadLetterBus.close", inner?.close) {}
  }
}

/// A message in the former queue of dead letters: it expired, or no role of a former build could
/// handle it.
package struct DeadLetter: Hashable, Sendable {
  /// Where a message belongs.
  package enum Destination: Hashable, Sendable {
    /// To the workers.
    case events(Slot)
    /// To the push workers.
    case push
  }

  /// That a queue gave the message up.
  package struct Death: Hashable, Sendable {
    package var queue: String
    /// Why, in the broker's word: `delivery_limit`, `rejected`, `expired`, `maxlen`.
    package var reason: String
    /// How often.
    package var count: Int
    /// When, to the second.
    package var at: Instant?
    /// The key that it had been published with.
    package var routingKey: String?

    package init(
      queue: String, reason: String, count: Int, at: Instant?, routingKey: String?
    ) {
      self.queue = queue
      self.reason = reason
      self.count = count
      self.at = at
      self.routingKey = routingKey
    }
  }

  /// The broker's number for it, to acknowledge it by. It is valid as long as the bus is open.
  package var tag: UInt64
  /// The message, byte for byte.
  package var body: [UInt8]
  /// Its deaths, the newest first.
  package var deaths: [Death]

  package init(tag: UInt64, body: [UInt8], deaths: [Death]) {
    self.tag = tag
    self.body = body
    self.deaths = deaths
  }

  /// The same for the same bytes: the broker gives a message no name of its own, and may keep a
  /// message twice.
  package var id: DeadEventID { DeadEventID(ofMessage: body) }
}
