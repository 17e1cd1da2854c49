import CubistBasics
import LibRabbitMQ
public import Logging
public import MatchInterfaces
public import MatchWire

extension PlayerBus {
  /// The event bus of a player on RabbitMQ.
  ///
  /// It connects at the first request. It connects anew at the first request after a break, or
  /// after a refusal on a connection that is older than five seconds. Connecting counts towards a
  /// request's time-out. An error means that the broker certainly does not have the message:
  /// `disconnected` or `timedOut` if it could not connect, `notPermitted`, `unroutable` if nobody
  /// serves the slot, `refused` if the queue is full or an alarm is on. Everything else is an
  /// answer. If a connection breaks while the request waits, the answer is `confirmed` or
  /// `unknown`. A reply to an earlier request is never taken for this one's.
  public static func live(
    _ address: BrokerAddress, names: Names = Names(), clock: WallClock, log: Logger
  ) -> PlayerBus {
    let line = PlayerLine(address: address, names: names, clock: clock, log: log)
    var bus = PlayerBus.failing
    bus.request.answer(with: line.request(_:timeout:))
    bus.close.answer { line.close() }
    return bus
  }
}

private final class PlayerLine {
  /// Nobody waits for the answer to an older query.
  private static let queryLifeLimit = Duration.seconds(60)

  private let address: BrokerAddress
  private let names: Names
  private let clock: WallClock
  private let log: Logger
  private var requester: Requester?
  private var patience = RefusalPatience(openedAt: 0)

  init(address: BrokerAddress, names: Names, clock: WallClock, log: Logger) {
    self.address = address
    self.names = names
    self.clock = clock
    self.log = log
  }

  func request(_ message: PlayerMessage, timeout: Duration) throws(BusError) -> PlayerAnswer {
    let start = clock.uptimeNanoseconds()
    let requester = try connected(within: timeout)
    let rest = timeout - Duration(from: start, to: clock.uptimeNanoseconds())
    guard rest > .zero else {
      throw .timedOut("connecting to \(address) took all of the \(timeout) a reply was given")
    }
    do throws(RequestError) {
      let reply =
        switch message.destination {
        case .events(let slot):
          try requester.request(
            exchange: names.events, routingKey: slot.routingKey, body: message.body,
            timeout: rest)
        case .queries:
          try requester.request(
            exchange: names.queries, routingKey: names.queries,
            properties: Self.queryProperties(livingFor: rest), body: message.body, timeout: rest)
        }
      return .reply(reply.body)
    } catch {
      if requester.connection.failure != nil { self.requester = nil }
      if case .refused = error, patience.isOver(at: clock.uptimeNanoseconds()) { close() }
      return try answer(without: error, to: message)
    }
  }

  /// The answer to a request without a reply.
  private func answer(
    without error: RequestError, to message: PlayerMessage
  ) throws(BusError) -> PlayerAnswer {
    switch error {
    case .timedOut(isConfirmed: true), .connection(_, isConfirmed: true): return .confirmed
    case .timedOut(isConfirmed: false): return .unknown
    case .unroutable: throw .unroutable("\(address): \(error)")
    case .refused: throw .refused("\(address): \(error)")
    case .connection(let cause, isConfirmed: false):
      let meaning = BusError(cause)
      guard case .disconnected = meaning else { throw meaning }
      log.info("connection lost during a request", metadata: ["reason": "\(cause)"])
      return .unknown
    }
  }

  private func connected(within timeout: Duration) throws(BusError) -> Requester {
    if let requester {
      do throws(RabbitMQError) {
        // Shows whether the connection is still alive, and leaves late replies behind.
        _ = try requester.poll()
        return requester
      } catch {
        log.debug("connection lost between requests", metadata: ["reason": "\(error)"])
        self.requester = nil
      }
    }
    var settings = address.settings(for: "cubist player")
    settings.connectTimeout = min(settings.connectTimeout, timeout)
    settings.replyTimeout = min(settings.replyTimeout, timeout)
    let opened = try onBroker(try Requester(RabbitMQConnection(settings)))
    requester = opened
    patience = RefusalPatience(openedAt: clock.uptimeNanoseconds())
    return opened
  }

  func close() {
    requester?.close()
    requester = nil
  }

  private static func queryProperties(livingFor rest: Duration) -> MessageProperties {
    var properties = MessageProperties(isPersistent: false)
    properties.expiration = String(max(1, min(rest, queryLifeLimit).wholeMilliseconds))
    return properties
  }
}
