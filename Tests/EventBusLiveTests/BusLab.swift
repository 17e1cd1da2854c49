@testable import EventBusLive
import Foundation
import LibRabbitMQ
import Logging
import MatchCore
import MatchInterfaces
import MatchWire
import RealServers
import Synchronization
import Testing

/// Everything that needs the broker.
@Suite("Event bus on RabbitMQ")
enum LiveBusTests {}

/// A virtual host with the topology of a service, and its clients.
struct BusLab: Sendable {
  let host: VirtualHost
  let topology: Topology

  /// Tests mostly wait for the broker. But each has a dozen quorum queues, and hundreds at once
  /// keep a small broker busy for longer than a client waits for it.
  private static let places = Places(4)

  /// Runs a body, on a thread of its own, with a virtual host that nobody else uses. Waits for a
  /// place first, unless the servers are not those of all tests.
  static func withVirtualHost(
    of servers: ServerEnvironment? = nil, _ body: @Sendable (VirtualHost) async throws -> Void
  ) async throws {
    guard servers == nil else {
      return try await onThreads { try await RealServers.withVirtualHost(of: servers, body) }
    }
    try await places.run { try await RealServers.withVirtualHost(body) }
  }

  /// Runs a body with a topology of few queues in a virtual host of its own.
  ///
  /// - Parameter allSlots: Whether all slots are bound and not just the first of each queue, which
  ///   spares the broker most of its work.
  /// - Parameter servers: The servers, unless they are those of all tests.
  static func with(
    queueCount: Int = 2, limits: TopologyLimits = .init(), allSlots: Bool = false,
    of servers: ServerEnvironment? = nil,
    _ body: @Sendable (BusLab) async throws -> Void
  ) async throws {
    try await withVirtualHost(of: servers) { host in
      let layout = QueueLayout(queueCount: queueCount) ?? .standard
      let lab = BusLab(host: host, topology: Topology(layout: layout, limits: limits))
      try await onThread {
        let bindings = EventBinding.all(of: layout).prefix(allSlots ? Slot.count : queueCount)
        try lab.topology.declare(at: lab.address(), binding: Array(bindings), removing: [])
      }
      try await body(lab)
    }
  }

  /// Where a bus of a test finds the broker: at `url`, or at the broker of the tests. There it may
  /// be silent for longer than 20 seconds, as a test is while a busy broker makes queues.
  func address(_ url: String? = nil) throws -> BrokerAddress {
    try BrokerAddress(url: url ?? Self.silent(host.url))
  }

  /// The address of a broker, for a connection that may be silent for two minutes.
  static func silent(_ url: String) -> String {
    url + (url.contains("?") ? "&" : "?") + "heartbeat=60"
  }

  func context(_ url: String? = nil) throws -> BusContext {
    BusContext(
      address: try address(url), clock: .live, randomness: .live, log: Self.log)
  }

  func player(_ url: String? = nil) throws -> PlayerBus {
    .live(try address(url), clock: .live, log: Self.log)
  }

  /// Another client's connection, for messages that the buses would not send. It may be silent for
  /// as long as the rest of a test needs on a busy machine.
  func connect(_ url: String? = nil) throws -> RabbitMQConnection {
    var settings = try RabbitMQSettings(url: url ?? host.url)
    settings.heartbeatSeconds = 0
    return try RabbitMQConnection(settings)
  }

  /// The time of a request that gets no reply, all of which it waits. A busy broker needs seconds to
  /// confirm, and those of connecting count.
  static let unanswered = Duration.seconds(15)

  static let log = Logger(label: "EventBusLiveTests") { _ in SwiftLogNoOpLogHandler() }

  /// Runs a body on a thread of its own while a worker answers every event of queue 0 with its
  /// body reversed.
  func withEcho(_ body: @escaping @Sendable () throws -> Void) async throws {
    let end = Flag()
    async let echoed: Void = onThread {
      let bus = try WorkerBus.live(context(), layout: topology.layout)
      defer { bus.close() }
      try bus.consume([0])
      while !end.isSet {
        let deliveries = try bus.receive(100, .milliseconds(20))
        guard let last = deliveries.last else { continue }
        try bus.acknowledge(last.tag)
        try bus.publish(
          deliveries.map {
            .reply(
              to: $0.replyTo ?? "", correlationID: $0.correlationID ?? "",
              body: $0.body.reversed())
          })
      }
    }
    async let done: Void = onThread {
      defer { end.set() }
      try body()
    }
    try await done
    try await echoed
  }

  /// A slot of a queue.
  func slot(of queue: Int) -> Slot { topology.layout.slots(of: queue)[0] }
}

extension WorkerBus {
  /// Receives until so many deliveries have come or half a minute is over.
  func receive(_ count: Int) throws -> [EventDelivery] {
    let deadline = ContinuousClock.now + .seconds(120)
    var received: [EventDelivery] = []
    while received.count < count, ContinuousClock.now < deadline {
      received += try receive(count - received.count, .milliseconds(100))
    }
    return received
  }

  /// Waits until so many jobs are confirmed or half a minute is over.
  func awaitConfirmed(_ count: Int) throws -> [PushJobID] {
    let deadline = ContinuousClock.now + .seconds(120)
    var ids: [PushJobID] = []
    while ids.count < count, ContinuousClock.now < deadline {
      _ = try receive(1, .milliseconds(20))
      ids += try confirmed()
    }
    return ids
  }
}

extension PushBus {
  /// Receives until a delivery has come or half a minute is over.
  func receiveOne() throws -> Delivery? {
    let deadline = ContinuousClock.now + .seconds(120)
    while ContinuousClock.now < deadline {
      if let delivery = try receive(1, .milliseconds(100)).first { return delivery }
    }
    return nil
  }
}

extension ReaderBus {
  /// Receives until something has come or half a minute is over.
  func receiveOne() throws -> Incoming? {
    let deadline = ContinuousClock.now + .seconds(120)
    while ContinuousClock.now < deadline {
      if let incoming = try receive(1, .milliseconds(100)).first { return incoming }
    }
    return nil
  }
}

/// The error of the bus that a body throws, or nil.
func busError(_ body: () throws -> Void) throws -> BusError? {
  do {
    try body()
    return nil
  } catch let error as BusError { return error }
}

/// Looks again and again until it sees something, for half a minute at most.
func awaiting<Value>(_ look: () throws -> Value?) throws -> Value? {
  var found: Value?
  _ = try Patience.comes(within: .seconds(120)) {
    found = try look()
    return found != nil
  }
  return found
}

/// A signal from one thread to another.
final class Flag: Sendable {
  private let value = Atomic(false)

  var isSet: Bool { value.load(ordering: .acquiring) }

  func set() { value.store(true, ordering: .releasing) }
}

/// Runs `body` on a thread of its own: blocking work must not hold one of the few threads of tasks.
func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
  try await withCheckedThrowingContinuation { continuation in
    let thread = Thread { continuation.resume(with: Result(catching: body)) }
    thread.stackSize = 8 * 1_024 * 1_024
    thread.start()
  }
}
