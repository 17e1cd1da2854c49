package import MatchWire

/// The event bus as a gateway needs it: players' messages out, replies in. Confined to its thread.
package struct GatewayBus: Interface {
  /// Sends messages without waiting. `receive` tells the fate of each by its number.
  /// - Throws: the error that ended the connection; the fate of everything open is unknown then.
  package var send: Ask<[Outgoing], Void, BusError>
  /// The fates that have become known; waits so long only if none has, or until the bus is woken by
  /// its `Wakeup`.
  package var receive: Ask<Duration, [Incoming], BusError>
  /// Forgets open messages. Their replies are dropped.
  package var forget: Ask<[UInt64], Void, Never>
  /// Closes the connection.
  package var close: Ask<Void, Void, Never>

  /// A message of a player, or of the gateway itself.
  package struct Outgoing: Hashable, Sendable {
    package enum Destination: Hashable, Sendable {
      /// The queue that serves a slot; persistent and confirmed.
      case events(Slot)
      /// The readers: a player's signed query.
      case queries
      /// The readers: a question of the gateway's own (`GatewayQuery`).
      case gatewayQueries
    }

    /// The caller's number; no other open message has it.
    package var number: UInt64
    package var destination: Destination
    package var body: [UInt8]
    package var trace: RequestTrace?
    /// How long an unanswered query may live in its queue. Ignored for events, which never expire.
    package var life: Duration

    package init(
      number: UInt64, destination: Destination, body: [UInt8], trace: RequestTrace? = nil,
      life: Duration
    ) {
      self.number = number
      self.destination = destination
      self.body = body
      self.trace = trace
      self.life = life
    }
  }

  /// The fate of a message, by its number.
  package enum Incoming: Hashable, Sendable {
    /// The broker has it. An end comes later, or never.
    case confirmed(UInt64)
    /// It was answered.
    case reply(UInt64, [UInt8])
    /// Nobody has it.
    case failed(UInt64, BusError)
  }

  package init(_ how: Asking<BusError>, around inner: GatewayBus?) {
    send = how("GatewayBus.send", inner?.send) { _ in }
    receive = how("GatewayBus.receive", inner?.receive) { _ in [] }
    forget = how("GatewayBus.forget", inner?.forget) { _ in }
    close = how("GatewayBus.close", inner?.close) {}
  }
}

/// The event bus as a listener to notices of changes needs it. Confined to its thread.
package struct NoticeBus: Interface {
  /// The notices that have arrived, at most so many; waits so long only if none has.
  package var receive: Ask<(Int, Duration), [[UInt8]], BusError>
  /// Closes the connection.
  package var close: Ask<Void, Void, Never>

  package init(_ how: Asking<BusError>, around inner: NoticeBus?) {
    receive = how("NoticeBus.receive", inner?.receive) { _, _ in [] }
    close = how("NoticeBus.close", inner?.close) {}
  }
}
