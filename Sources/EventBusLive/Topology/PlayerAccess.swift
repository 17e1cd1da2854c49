package import MatchWire

/// Checks with the login of programs that speak AMQP whether players could do everything by it.
package struct PlayerAccess: Sendable {
  private let address: BrokerAddress
  private let names: Names

  /// Checks the access of programs that connect to an address.
  package init(at address: BrokerAddress, names: Names = Names()) {
    (self.address, self.names) = (address, names)
  }

  /// The obstacles to playing, a sentence each. Empty if there are none. An alarm of the broker is
  /// not reported here.
  /// - Parameter limit: The most time for connecting, and for an answer.
  package func problems(within limit: Duration = .seconds(3)) -> [String] {
    let trial = AccessTrial(
      address, who: "programs by AMQP", name: "cubist setup, as a program", within: limit)
    if let problem = trial.loginProblem() { return [problem] }
    let publishing = [names.events, names.queries].map(trial.publishingProblem)
    return ([trial.replyProblem()] + publishing).compactMap { $0 }
  }
}
