public import MatchCore
public import MatchWire

/// The event bus as an operator needs it to look after dead letters. Confined to its thread.
///
/// Dead letters are in the database; only former builds left some in a queue of the broker.
public struct DeadLetterBus: Interface {
  /// Takes one more message of the former queue of dead letters in hand; nil: there is none left,
  /// or no such queue. An unsettled message goes back into the queue when the bus is closed or this
  /// process ends.
  public var next: Ask<Void, DeadLetter?, BusError>
  /// Publishes a message as it was, and waits until the broker has it safely in the queue that it
  /// belongs into.
  public var publish: Ask<([UInt8], DeadLetter.Destination), Void, BusError>
  /// Removes a message in hand from the former queue of dead letters.
  public var acknowledge: Ask<DeadLetter, Void, BusError>
  /// Closes the connections.
  public var close: Ask<Void, Void, Never>

  public init(_ how: Asking<BusError>, around inner: DeadLetterBus?) {
    next = how("DeadLetterBus.next", inner?.next) { nil }
    publish = how("DeadLetterBus.publish", inner?.publish) { _, _ in }
    acknowledge = how("DeadLetterBus.acknowledge", inner?.acknowledge) { _ in }
    close = how("DeadLetterBus.close", inner?.close) {}
  }
}

/// A message in the former queue of dead letters: it expired, or no role of a former build could
/// handle it.
public struct DeadLetter: Hashable, Sendable {
  /// Where a message belongs.
  public enum Destination: Hashable, Sendable {
    /// To the workers.
    case events(Slot)
    /// To the push workers.
    case push
  }

  /// That a queue gave the message up.
  public struct Death: Hashable, Sendable {
    public var queue: String
    /// Why, in the broker's word: `delivery_limit`, `rejected`, `expired`, `maxlen`.
    public var reason: String
    /// How often.
    public var count: Int
    /// When, to the second.
    public var at: Instant?
    /// The key that it had been published with.
    public var routingKey: String?

    public init(
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
  public var tag: UInt64
  /// The message, byte for byte.
  public var body: [UInt8]
  /// Its deaths, the newest first.
  public var deaths: [Death]

  public init(tag: UInt64, body: [UInt8], deaths: [Death]) {
    self.tag = tag
    self.body = body
    self.deaths = deaths
  }

  /// The same for the same bytes: the broker gives a message no name of its own, and may keep a
  /// message twice.
  public var id: DeadEventID { DeadEventID(ofMessage: body) }
}
