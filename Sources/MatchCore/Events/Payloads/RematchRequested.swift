extension Event {
  /// A player of a finished match wants another one against the same opponent.
  public struct RematchRequested: MatchOnlyPayload {
    package static let name = "rematchRequested"
    package static let noun = "wish for a rematch"
    package static let price = EventPrice.beginning

    public var match: MatchID

    public init(match: MatchID) { self.match = match }
  }
}

extension Event.RematchRequested {
  /// The outcome of the wish.
  public enum Answer: Hashable, Sendable {
    /// The other player must answer.
    case offered(MatchID, version: Int64)
    case started(MatchTicket)
  }

  package static func answer(_ acceptance: Acceptance) -> Answer? {
    switch acceptance {
    case .done(.rematchOffered, let match, let version): .offered(match, version: version)
    case .rematchStarted(let ticket): .started(ticket)
    default: nil
    }
  }

  package var action: Event.Action { .rematchRequested(self) }

  package func needs(of event: Event) -> Judge.Needs {
    var needs = Judge.Needs()
    // The successor exists if both have asked before.
    needs.matches = [match, MatchID(successorOf: match)]
    return needs
  }

  package func encounter(of player: PlayerID, match: (MatchID) -> Match?) -> Judge.Encounter? {
    guard let match = match(self.match), match.seat(of: player) != nil else { return nil }
    return Judge.Encounter(players: match.players, counted: match.players)
  }
}

extension Event.Action {
  public static func rematchRequested(_ match: MatchID) -> Self {
    .rematchRequested(Event.RematchRequested(match: match))
  }
}
