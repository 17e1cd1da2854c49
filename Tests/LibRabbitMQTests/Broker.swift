import Foundation
import LibRabbitMQ
import RealServers

/// The real broker the tests talk to.
enum Broker {
  /// How a client connects.
  enum Transport: CaseIterable {
    case tls
    case plain
  }

  /// By TLS, unless a test is about plain TCP too.
  static func settings(_ transport: Transport = .tls) throws -> RabbitMQSettings {
    let environment = try RealServers.environment()
    var settings = try RabbitMQSettings(
      url: transport == .tls ? environment.amqp : environment.plainAMQP)
    settings.name = "LibRabbitMQTests"
    // Neither strikes on a busy machine.
    (settings.connectTimeout, settings.replyTimeout) = (.seconds(120), .seconds(120))
    return settings
  }

  static func connect() throws -> RabbitMQConnection { try RabbitMQConnection(settings()) }

  /// The broker behind a proxy that can stall and cut.
  static func proxied(_ transport: Transport = .tls) throws -> (TCPProxy, RabbitMQSettings) {
    var settings = try settings(transport)
    let proxy = try TCPProxy(toHost: settings.host, port: settings.port)
    // The host stays as it is, so that the broker's certificate fits.
    settings.port = proxy.port
    return (proxy, settings)
  }

  /// A name nobody else uses.
  static func uniqueName(_ stem: String) -> String { "\(stem).\(UUID().uuidString)" }

  /// Declares a queue of a unique name, and deletes it afterwards over a fresh connection.
  static func withQueue(
    _ arguments: [String: Argument] = ["x-queue-type": "quorum"],
    _ body: (RabbitMQConnection, String) throws -> Void
  ) throws {
    let name = uniqueName("test")
    let connection = try connect()
    try connection.declareQueue(name, arguments: arguments)
    defer {
      connection.close()
      // If this fails, the queue goes with the private broker.
      if let cleaner = try? connect() {
        _ = try? cleaner.deleteQueue(name)
        cleaner.close()
      }
    }
    try body(connection, name)
  }
}

extension RabbitMQConnection {
  /// Polls until so many deliveries have come or the time is over.
  func receive(_ count: Int, within wait: Duration = .seconds(120)) throws -> [Delivery] {
    let deadline = ContinuousClock.now + wait
    var received: [Delivery] = []
    while received.count < count, ContinuousClock.now < deadline {
      received += try poll(
        maxCount: count - received.count, wait: deadline - ContinuousClock.now)
    }
    return received
  }

  /// Polls until so many messages are confirmed or the time is over.
  func awaitConfirmations(
    _ count: Int, within wait: Duration = .seconds(120)
  ) throws
    -> [PublishConfirmation]
  {
    let deadline = ContinuousClock.now + wait
    var received: [PublishConfirmation] = []
    while received.count < count, ContinuousClock.now < deadline {
      _ = try poll(maxCount: 1, wait: deadline - ContinuousClock.now)
      received += takeConfirmations()
    }
    return received
  }

  /// Publishes numbered bodies to a queue and awaits their confirmation.
  func fill(_ queue: String, _ numbers: ClosedRange<UInt8>) throws {
    try enableConfirms()
    for number in numbers {
      try publish(
        exchange: "", routingKey: queue, properties: .init(), body: [number], mandatory: true)
    }
    _ = try awaitConfirmations(numbers.count)
  }
}

/// The error a body throws, or nil.
func rabbitMQError(_ body: () throws -> Void) -> RabbitMQError? {
  do {
    try body()
    return nil
  } catch { return error as? RabbitMQError }
}

/// Runs `body` on a thread of its own: blocking work must not hold one of the few threads of tasks.
func onThread<T: Sendable>(
  stackSize: Int? = nil, _ body: @escaping @Sendable () throws -> T
) async throws -> T {
  try await withCheckedThrowingContinuation { continuation in
    let thread = Thread { continuation.resume(with: Result(catching: body)) }
    if let stackSize { thread.stackSize = stackSize }
    thread.start()
  }
}
