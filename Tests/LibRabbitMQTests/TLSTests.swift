import Foundation
import LibRabbitMQ
import SystemCalls
import Testing

@Suite("TLS")
struct TLSTests {
  @Test("Messages travel over TLS with the right authority, large ones too")
  func rightAuthority() throws {
    let settings = try Broker.settings()
    #expect(settings.tls?.verifyHostname == true)
    let connection = try RabbitMQConnection(settings)
    defer { connection.close() }
    let queue = try connection.declareQueue("", durable: false, exclusive: true).name
    try connection.enableConfirms()
    let body = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
    for _ in 0..<20 {
      try connection.publish(
        exchange: "", routingKey: queue, properties: .init(), body: body, mandatory: true)
    }
    #expect(try connection.awaitConfirmations(20).count == 20)
    try connection.consume(queue)
    let received = try connection.receive(20)
    #expect(received.count == 20 && received.allSatisfy { $0.body == body })
  }

  @Test("An unknown authority, another host's certificate and a missing file are refused")
  func refused() throws {
    var wrong = try Broker.settings()
    wrong.tls?.caCertificate = RabbitMQSettings.TLS.systemAuthorities
    let authority = rabbitMQError { _ = try RabbitMQConnection(wrong) }
    #expect(authority?.code == .tlsRefused && authority?.isRetryable == false)

    wrong = try Broker.settings()
    wrong.host = "127.0.0.1"
    #expect(rabbitMQError { _ = try RabbitMQConnection(wrong) }?.code == .tlsRefused)
    wrong.tls?.verifyHostname = false
    try RabbitMQConnection(wrong).close()

    wrong = try Broker.settings()
    wrong.tls?.caCertificate = "/nowhere/ca.pem"
    let missing = rabbitMQError { _ = try RabbitMQConnection(wrong) }
    #expect(missing?.code == .tlsRefused)
    #expect(missing?.description.contains("/nowhere/ca.pem") == true)
  }

  @Test("A program that ends while other threads shake hands ends in peace")
  func ending() async {
    await #expect(processExitsWith: .success) {
      ExitHandlers.skipOpenSSL()
      try Self.endAmidHandshakes()
    }
  }

  private static func endAmidHandshakes() throws -> Never {
    let settings = try Broker.settings()
    let begun = DispatchSemaphore(value: 0)
    for _ in 0..<4 {
      Thread.detachNewThread {
        while true {
          begun.signal()
          try? RabbitMQConnection(settings).close()
        }
      }
    }
    for _ in 0..<16 { begun.wait() }
    exit(0)
  }

  @Test("A plain client of a TLS port and a TLS client of a plain port fail in time")
  func mixedUp() throws {
    var plain = try Broker.settings()
    plain.tls = nil
    plain.connectTimeout = .seconds(2)
    #expect(rabbitMQError { _ = try RabbitMQConnection(plain) }?.isRetryable == true)
    var tls = try Broker.settings(.plain)
    tls.tls = try Broker.settings().tls
    #expect(rabbitMQError { _ = try RabbitMQConnection(tls) }?.code == .tlsRefused)
  }
}
