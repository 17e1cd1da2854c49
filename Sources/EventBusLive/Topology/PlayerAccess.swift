package import MatchWire

/// Checks with a player's login whether players can do everything they must.
package struct PlayerAccess: Sendable {
  private let address: BrokerAddress
  private let names: Names

  /// Checks the access of players who connect to an address.
  package init(at address: BrokerAddress, names: Names = Names()) {
    (self.address, self.names) = (address, names)
  }

  /// The obstacles to playing, a sentence each. Empty if there are none. An alarm of the broker is
  /// not reported here.
  /// - Parameter limit: The most time for connecting, and for an answer.
  package func problems(within limit: Duration = .seconds(3)) -> [String] {
    let trial = AccessTrial(
      address, who: "players", name: "cubist setup, as a player", within: limit)
    if let problem = trial.loginProblem() { return [problem] }
    let publishing = [names.events, names.queries].map(trial.publishingProblem)
    return ([trial.replyProblem()] + publishing).compactMap { $0 }
  }
}
