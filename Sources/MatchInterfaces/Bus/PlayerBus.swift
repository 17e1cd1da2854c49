public import MatchWire

/// The event bus as a player needs it: publish, confirm and reply on one connection. Confined to
/// one thread; every call blocks, for its time-out at most.
public struct PlayerBus: Interface {
  /// Sends something and waits for its reply, so long at most. An error means that the broker
  /// certainly does not have it; if that is not certain, the answer is `unknown`.
  public var request: Ask<(PlayerMessage, Duration), PlayerAnswer, BusError>
  /// Opens a stream of changes with a signed query `overview`, and waits for it so long at most.
  /// Nil: the bus has no such streams, and a change is waited for by a query.
  public var changes: Ask<([UInt8], Duration), ChangesAnswer, BusError>?
  /// Closes the connection.
  public var close: Ask<Void, Void, Never>

  public init(_ how: Asking<BusError>, around inner: PlayerBus?) {
    changes = inner?.changes.map { inner in
      how("PlayerBus.changes", inner) { _, _ in .answer([]) }
    }
    request = how("PlayerBus.request", inner?.request) { _, _ in .confirmed }
    close = how("PlayerBus.close", inner?.close) {}
  }

  /// Gives the bus streams of changes.
  public mutating func answerChanges(
    with body: @escaping ([UInt8], Duration) throws(BusError) -> ChangesAnswer
  ) {
    var asked = Ask<([UInt8], Duration), ChangesAnswer, BusError>(
      "PlayerBus.changes", isAnswered: true
    ) { _ throws(BusError) in .answer([]) }
    asked.answer(with: body)
    changes = asked
  }
}

/// A player's message.
public struct PlayerMessage: Hashable, Sendable {
  /// Where it goes.
  public enum Destination: Hashable, Sendable {
    /// The queue that serves a slot; persistent and confirmed.
    case events(Slot)
    /// The readers; expires unless it is answered.
    case queries
  }

  public var destination: Destination
  /// The envelope.
  public var body: [UInt8]

  public init(destination: Destination, body: [UInt8]) {
    self.destination = destination
    self.body = body
  }
}

/// The outcome of sending a player's message.
public enum PlayerAnswer: Hashable, Sendable {
  /// The reply; it counts as a confirm.
  case reply([UInt8])
  /// The broker has it for certain, but no reply came in time: the answer is pending.
  case confirmed
  /// Neither confirm nor reply came in time, or the connection broke: it may or may not have
  /// arrived.
  case unknown
  /// A gateway says that nobody answered a query in time, in words for a person.
  case unanswered(String)
}
