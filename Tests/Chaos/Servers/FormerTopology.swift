package import LibRabbitMQ

/// The topology that `cubistd setup` declared before schema 10.
package enum FormerTopology {
  private static let megabyte: Int64 = 1_024 * 1_024

  /// Declares exchanges and queues, and binds the slots to those of events.
  ///
  /// - Parameter isBound: Whether events come to the former queues; not where present ones have
  ///   them.
  package static func declare(
    on connection: RabbitMQConnection, queueCount: Int, isBound: Bool = true
  ) throws {
    try connection.declareExchange("cubist.events", kind: .direct)
    try connection.declareExchange("cubist.queries", kind: .direct)
    try connection.declareExchange("cubist.outcomes", kind: .topic)
    var dead = quorum(100_000, 256 * megabyte)
    dead["x-delivery-limit"] = .int64(1_000_000)
    try connection.declareQueue("cubist.dead", arguments: dead)
    for index in 0..<queueCount {
      var events = quorum(50_000, 128 * megabyte).merging(deadLettering) { $1 }
      events["x-single-active-consumer"] = true
      try connection.declareQueue(name(of: index), arguments: events)
    }
    var queries = quorum(10_000, 16 * megabyte)
    queries["x-message-ttl"] = .int64(60_000)
    try connection.declareQueue("cubist.queries", arguments: queries)
    try connection.declareQueue(
      "cubist.push", arguments: quorum(200_000, 256 * megabyte).merging(deadLettering) { $1 })
    for delay in [1, 10, 60] {
      var retry = quorum(200_000, 256 * megabyte)
      retry["x-message-ttl"] = .int64(Int64(delay) * 1_000)
      retry["x-dead-letter-exchange"] = ""
      retry["x-dead-letter-routing-key"] = "cubist.push"
      retry["x-dead-letter-strategy"] = "at-least-once"
      try connection.declareQueue("cubist.push.retry.\(delay)", arguments: retry)
    }
    try connection.bindQueue(
      "cubist.queries", exchange: "cubist.queries", routingKey: "cubist.queries")
    guard isBound else { return }
    for slot in 0..<1_024 {
      try connection.bindQueue(
        name(of: slot % queueCount), exchange: "cubist.events", routingKey: "\(slot)")
    }
  }

  /// The queue of some slots.
  package static func name(of index: Int) -> String {
    "cubist.events.\(index < 10 ? "0" : "")\(index)"
  }

  private static func quorum(_ messages: Int64, _ bytes: Int64) -> [String: Argument] {
    [
      "x-queue-type": "quorum", "x-overflow": "reject-publish",
      "x-max-length": .int64(messages), "x-max-length-bytes": .int64(bytes),
    ]
  }

  private static let deadLettering: [String: Argument] = [
    "x-delivery-limit": .int64(20), "x-dead-letter-exchange": "",
    "x-dead-letter-routing-key": "cubist.dead", "x-dead-letter-strategy": "at-least-once",
  ]
}
