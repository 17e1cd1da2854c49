import LibRabbitMQ
import MatchInterfaces

/// Looks whether things exist. A missing thing ends the connection that asked for it, and the next
/// look opens another one.
final class Visitor {
  private let settings: RabbitMQSettings
  /// The connection that found the last thing.
  private(set) var connection: RabbitMQConnection?

  init(_ address: BrokerAddress, _ name: String) { settings = address.settings(for: name) }

  init(_ address: BrokerAddress, _ name: String, within limit: Duration) {
    settings = address.settings(for: name, within: limit)
  }

  /// Whether the thing that a body asks for exists.
  func finds(_ body: (RabbitMQConnection) throws(RabbitMQError) -> Void) throws(BusError) -> Bool {
    do throws(RabbitMQError) {
      try body(try opened())
      return true
    } catch {
      guard error.replyCode == 404 else {
        throw error.code == .timedOut ? .timedOut(error.description) : BusError(error)
      }
      connection = nil
      return false
    }
  }

  /// The state of a queue. Nil if it does not exist.
  func status(of queue: String) throws(BusError) -> QueueStatus? {
    var status: QueueStatus?
    let isThere = try finds { connection throws(RabbitMQError) in
      status = try connection.inspectQueue(queue)
    }
    return isThere ? status : nil
  }

  func close() { connection?.close() }

  private func opened() throws(RabbitMQError) -> RabbitMQConnection {
    if let connection, connection.failure == nil { return connection }
    let opened = try RabbitMQConnection(settings)
    connection = opened
    return opened
  }
}
