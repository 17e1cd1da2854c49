extension Event {
  /// A player of a finished match does not want the rematch that was offered.
  public struct RematchDeclined: MatchOnlyPayload, StepPayload {
    package static let name = "rematchDeclined"
    package static let noun = "refusal of a rematch"
    package static let step = MatchStep.rematchDeclined

    public var match: MatchID

    public init(match: MatchID) { self.match = match }
  }
}

extension Event.RematchDeclined {
  package var action: Event.Action { .rematchDeclined(self) }

  package func encounter(of player: PlayerID, match: (MatchID) -> Match?) -> Judge.Encounter? {
    // A player sends nothing to a player whom they have blocked.
    guard let match = match(self.match), match.seat(of: player) != nil else { return nil }
    return Judge.Encounter(players: match.players, counted: [])
  }
}

extension Event.Action {
  public static func rematchDeclined(_ match: MatchID) -> Self {
    .rematchDeclined(Event.RematchDeclined(match: match))
  }
}
