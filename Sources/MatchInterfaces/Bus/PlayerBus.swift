import IssueReporting
public import MatchWire

/// What a player needs of the event bus: publish, confirm and reply on one connection. Confined to
/// one thread; every call blocks, for its time-out at most.
public struct PlayerBus {
  /// Sends something and waits for its reply. An error means that the broker certainly does not
  /// have it; where that is not certain, the answer is `unknown`.
  public var request: (PlayerMessage, _ timeout: Duration) throws(BusError) -> PlayerAnswer
  /// Closes the connection.
  public var close: () -> Void

  /// Puts a bus together.
  public init(
    request:
      @escaping (PlayerMessage, _ timeout: Duration) throws(BusError) -> PlayerAnswer,
    close: @escaping () -> Void
  ) {
    self.request = request
    self.close = close
  }
}

/// What a player sends.
public struct PlayerMessage: Hashable, Sendable {
  /// Where it goes.
  public enum Destination: Hashable, Sendable {
    /// The queue that serves a slot; persistent and confirmed.
    case events(Slot)
    /// The readers; expires unless it is answered.
    case queries
  }

  /// Where it goes.
  public var destination: Destination
  /// The envelope.
  public var body: [UInt8]

  /// Puts a message together.
  public init(destination: Destination, body: [UInt8]) {
    self.destination = destination
    self.body = body
  }
}

/// What became of what a player sent.
public enum PlayerAnswer: Hashable, Sendable {
  /// The reply; it counts as a confirm.
  case reply([UInt8])
  /// The broker has it for certain, but no reply came in time: the answer is pending.
  case confirmed
  /// Neither confirm nor reply came in time, or the connection broke: it may or may not have
  /// arrived.
  case unknown
}

extension PlayerBus {
  /// Confirms everything and never replies.
  public static var noop: PlayerBus {
    PlayerBus(request: { _, _ in .confirmed }, close: {})
  }

  /// Reports an issue whenever it is used, and is disconnected.
  public static var failing: PlayerBus {
    PlayerBus(
      request: { _, _ throws(BusError) in throw busFailure("PlayerBus.request") },
      close: { reportIssue("Unimplemented: PlayerBus.close") })
  }
}
