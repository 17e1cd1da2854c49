import LibRabbitMQ
import MatchCore
package import MatchInterfaces
package import MatchWire

/// The database marks of a broker: exchanges that nobody publishes to, each named by one mark.
package struct BrokerMarks: Sendable {
  private let address: BrokerAddress
  private let names: Names

  /// The marks of the broker at an address.
  package init(at address: BrokerAddress, names: Names = Names()) {
    (self.address, self.names) = (address, names)
  }

  /// Whether the broker serves the database of a claim. A database without a claim may use any
  /// broker. A broker without anything of a service belongs to nobody.
  /// - Parameter limit: The most time for connecting, and for an answer.
  /// - Throws: `disconnected`, `timedOut` or `notPermitted`.
  package func serve(
    _ claim: BrokerClaim?, within limit: Duration = .seconds(3)
  ) throws(BusError) -> Bool {
    guard let claim, claim.isMade else { return true }
    let visitor = Visitor(address, "cubist mark", within: limit)
    defer { visitor.close() }
    for mark in claim.marks where try visitor.has(names.database(mark)) { return true }
    return try !visitor.has(names.events)
  }

  /// Whether the broker has a mark.
  /// - Throws: `disconnected`, `timedOut` or `notPermitted`.
  package func has(_ mark: BrokerMark) throws(BusError) -> Bool {
    let visitor = Visitor(address, "cubist mark")
    defer { visitor.close() }
    return try visitor.has(names.database(mark))
  }

  /// Gives the broker a mark, and removes others.
  package func put(_ mark: BrokerMark?, removing others: [BrokerMark]) throws(BusError) {
    try onBroker { () throws(RabbitMQError) in
      let connection = try RabbitMQConnection(address.settings(for: "cubist mark"))
      defer { connection.close() }
      if let mark { try connection.declareExchange(names.database(mark), kind: .fanout) }
      for other in others { try connection.deleteExchange(names.database(other)) }
    }
  }
}

extension Visitor {
  fileprivate func has(_ exchange: String) throws(BusError) -> Bool {
    try finds { connection throws(RabbitMQError) in try connection.inspectExchange(exchange) }
  }
}

extension Names {
  /// The prefix of the names of marks.
  fileprivate var databases: String { "\(prefix)cubist.database." }
  /// The exchange that is a mark.
  fileprivate func database(_ mark: BrokerMark) -> String { "\(databases)\(mark)" }

  /// The mark that an exchange is; nil for any other exchange.
  package func mark(of exchange: String) -> BrokerMark? {
    guard exchange.hasPrefix(databases) else { return nil }
    return BrokerMark(String(exchange.dropFirst(databases.count)))
  }
}
