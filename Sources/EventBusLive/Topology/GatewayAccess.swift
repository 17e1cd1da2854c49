import LibRabbitMQ
package import MatchInterfaces
package import MatchWire

/// Checks with a gateway's login whether gateways can do everything they must.
package struct GatewayAccess: Sendable {
  private let address: BrokerAddress
  private let names: Names
  private let randomness: Randomness

  /// Checks the access of gateways that connect to an address.
  package init(
    at address: BrokerAddress, names: Names = Names(), randomness: Randomness = .live
  ) {
    (self.address, self.names, self.randomness) = (address, names, randomness)
  }

  /// The obstacles to serving players, a sentence each. Empty if there are none. An alarm of the
  /// broker is not reported here.
  /// - Parameter limit: The most time for connecting, and for an answer.
  package func problems(within limit: Duration = .seconds(3)) -> [String] {
    let trial = AccessTrial(
      address, who: "gateways", name: "cubist setup, as a gateway", within: limit)
    if let problem = trial.loginProblem() { return [problem] }
    let publishing = [names.events, names.queries, names.gatewayQueries].map(
      trial.publishingProblem)
    let own = names.gateway(randomness.next128())
    let listening = trial.problem("hear of changes from \(names.outcomes)") {
      connection throws(RabbitMQError) in
      // The queue goes with the connection.
      try connection.declareQueue(own, durable: false, exclusive: true, autoDelete: true)
      try connection.bindQueue(own, exchange: names.outcomes, routingKey: Names.changedMatches)
      try connection.consume(own, noAck: true)
    }
    return ([trial.replyProblem()] + publishing + [listening]).compactMap { $0 }
  }
}
