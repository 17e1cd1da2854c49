extension Event {
  /// A player gives a match up, in or out of turn. It also ends a game of one player, and takes a
  /// match back that nobody has joined.
  public struct MatchForfeited: MatchOnlyPayload {
    package static let name = "matchForfeited"
    package static let noun = "forfeit"

    public var match: MatchID

    public init(match: MatchID) { self.match = match }
  }
}

extension Event.MatchForfeited {
  package static func answer(_ acceptance: Acceptance) -> MatchEnding? {
    if case .matchEnded(let match, let outcome, let points, let version) = acceptance {
      MatchEnding(match: match, outcome: outcome, points: points, version: version)
    } else {
      nil
    }
  }

  package var action: Event.Action { .matchForfeited(self) }

  package func needs(of event: Event) -> Judge.Needs {
    var needs = Judge.Needs()
    needs.matches = [match]
    needs.leavesSeat = true
    return needs
  }
}

extension Event.Action {
  public static func matchForfeited(_ match: MatchID) -> Self {
    .matchForfeited(Event.MatchForfeited(match: match))
  }
}
