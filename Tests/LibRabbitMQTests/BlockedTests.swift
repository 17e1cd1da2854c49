import Foundation
import Glibc
import LibRabbitMQ
import Synchronization
import Testing

@testable import RealServers

/// Relays one connection to the broker and can say more to the client than the broker does: an
/// alarm of the real one would stop every other test.
private final class Prompter: Sendable {
  let settings: RabbitMQSettings
  private let client = Atomic<Int32>(-1)

  init() throws {
    // Frames of its own fit into no encrypted stream.
    var settings = try Broker.settings(.plain)
    let listener = try Socket.listening(port: 0)
    let server = try Socket.connected(toHost: settings.host, port: settings.port)
    settings.port = listener.localPort
    self.settings = settings
    Thread.detachNewThread { [self] in
      var arrival = pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&arrival, 1, 120_000) == 1 else { return }
      let descriptor = accept(listener.descriptor, nil, nil)
      listener.close()
      client.store(descriptor, ordering: .releasing)
      Thread.detachNewThread { Prompter.copy(from: descriptor, to: server.descriptor) }
      Prompter.copy(from: server.descriptor, to: descriptor)
      close(descriptor)
      server.close()
    }
  }

  private static func copy(from source: Int32, to target: Int32) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(source, &buffer, buffer.count, 0)
      guard count > 0, send(target, buffer, count, Int32(MSG_NOSIGNAL)) == count else { break }
    }
    shutdown(target, Int32(SHUT_RDWR))
  }

  /// Says a method of class `connection` while the broker has nothing to say.
  func say(method: UInt8, _ arguments: [UInt8] = []) throws {
    let payload = [0, 10, 0, method] + arguments
    let frame = [1, 0, 0, 0, 0, 0, UInt8(payload.count)] + payload + [0xce]
    let descriptor = client.load(ordering: .acquiring)
    try #require(send(descriptor, frame, frame.count, Int32(MSG_NOSIGNAL)) == frame.count)
  }
}

@Suite("A broker with an alarm")
struct BlockedTests {
  @Test("Nothing is sent while the broker blocks, and the reason is named; then it goes on")
  func blocked() async throws {
    try await onThread {
      let prompter = try Prompter()
      let connection = try RabbitMQConnection(prompter.settings)
      defer { connection.close() }
      let queue = try connection.declareQueue("", durable: false, exclusive: true).name
      try connection.enableConfirms()
      func publish() throws(RabbitMQError) {
        try connection.publish(
          exchange: "", routingKey: queue, properties: .init(), body: [1], mandatory: true)
      }
      let reason = "low on memory"
      try prompter.say(method: 60, [UInt8(reason.utf8.count)] + reason.utf8)
      _ = try connection.poll(maxCount: 1, maxBytes: 1, wait: .seconds(10))
      #expect(connection.blockedReason == reason)
      let error = rabbitMQError { try publish() }
      #expect(error?.code == .blocked)
      #expect(error?.description.contains(reason) == true)

      try prompter.say(method: 61)
      _ = try connection.poll(maxCount: 1, maxBytes: 1, wait: .seconds(10))
      #expect(connection.blockedReason == nil)
      try publish()
      #expect(try connection.awaitConfirmations(1).count == 1)
    }
  }
}
