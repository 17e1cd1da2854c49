import LibRabbitMQ
import RealServers

/// A hostile player's connection, which is opened again whenever the broker has ended it.
///
/// Used from one thread at a time.
final class HostileLink {
  private static let replyQueue = "amq.rabbitmq.reply-to"
  /// How long confirms are waited for, in nanoseconds.
  private static let patience: UInt64 = 3_000_000_000

  private let url: String
  private let settings: RabbitMQSettings
  /// Is told each answer: the attack that it belongs to, and the bytes.
  private let hear: (AttackKind, [UInt8]) -> Void
  private var connection: RabbitMQConnection?
  private var serial = 0

  init(url: String, hear: @escaping (AttackKind, [UInt8]) -> Void) throws {
    var settings = try RabbitMQSettings(url: url)
    settings.name = "hostile"
    self.settings = settings
    self.url = url
    self.hear = hear
  }

  /// Sends messages and waits for the broker's verdict on them.
  ///
  /// - Parameter isDeaf: Whether the connection ends before anything is answered.
  /// - Returns: Whether the broker was reached with all of them.
  func send(_ kind: AttackKind, _ messages: [HostileMessage], isDeaf: Bool = false) -> Bool {
    do throws(RabbitMQError) {
      let connection = try opened()
      for message in messages {
        guard let headers = message.rawHeaders else {
          try publish(message, kind, over: connection)
          continue
        }
        guard hasArrived(message, headers) else { return false }
      }
      if isDeaf {
        close()
        return true
      }
      try awaitConfirms(connection)
      return !kind.endsChannel
    } catch {
      close()
      // If the broker closed the channel because of a message, the message has reached it.
      return kind.endsChannel && (error.replyCode == 403 || error.replyCode == 406)
    }
  }

  /// Asks for a queue that is not for players.
  func consume(_ queue: String) -> Bool {
    do throws(RabbitMQError) {
      try opened().consume(queue, noAck: true)
      return false
    } catch {
      close()
      return error.replyCode == 403
    }
  }

  /// Takes the answers that have arrived.
  func listen() {
    guard let connection else { return }
    do throws(RabbitMQError) {
      repeat {
        let deliveries = try connection.poll()
        deliveries.forEach(take)
        if deliveries.isEmpty { break }
      } while true
    } catch {
      close()
    }
  }

  func close() {
    connection?.close()
    connection = nil
  }

  private func opened() throws(RabbitMQError) -> RabbitMQConnection {
    if let connection { return connection }
    let connection = try RabbitMQConnection(settings)
    try connection.enableConfirms()
    try connection.consume(Self.replyQueue, noAck: true)
    self.connection = connection
    return connection
  }

  private func publish(
    _ message: HostileMessage, _ kind: AttackKind, over connection: RabbitMQConnection
  ) throws(RabbitMQError) {
    serial += 1
    var properties = message.properties
    properties.correlationID = properties.correlationID ?? "\(kind.rawValue).\(serial)"
    switch message.answer {
    case .own: properties.replyTo = Self.replyQueue
    case .address(let address): properties.replyTo = address
    case .nowhere: properties.replyTo = nil
    }
    try connection.publish(
      exchange: message.exchange, routingKey: message.routingKey, properties: properties,
      body: message.body, mandatory: false)
  }

  /// Sends headers that `RabbitMQConnection` cannot write, over a connection of its own.
  private func hasArrived(
    _ message: HostileMessage, _ headers: [RawProperties.Header]
  ) -> Bool {
    let word = try? RawPublisher(url: url).publish(
      exchange: message.exchange, routingKey: message.routingKey, RawProperties(headers: headers),
      body: message.body)
    return word == .confirmed
  }

  private func awaitConfirms(_ connection: RabbitMQConnection) throws(RabbitMQError) {
    let limit = uptime() + Self.patience
    repeat {
      try connection.poll(wait: .milliseconds(20)).forEach(take)
      _ = connection.takeConfirmations()
    } while connection.unconfirmedCount > 0 && uptime() < limit
  }

  private func take(_ delivery: Delivery) {
    guard let name = delivery.properties.correlationID?.split(separator: ".").first,
      let kind = AttackKind(rawValue: String(name))
    else { return }
    hear(kind, delivery.body)
  }
}
