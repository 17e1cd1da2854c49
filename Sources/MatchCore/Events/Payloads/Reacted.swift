import CubeRules

extension Event {
  /// A player answers the last turn of another player with a word of the same match.
  public struct Reacted: EventPayload, StepPayload {
    package static let name = "reacted"
    package static let noun = "reaction"
    package static let step = MatchStep.reacted

    public var match: MatchID
    /// The number of the turn that is answered.
    public var turn: Int
    /// A word that was played in the match, in upper-case characters.
    public var word: String

    public init(match: MatchID, turn: Int, word: String) {
      self.match = match
      self.turn = turn
      self.word = word
    }
  }
}

extension Event.Reacted {
  package var action: Event.Action { .reacted(self) }
  package var about: MatchID? { match }
  package var subject: Event.Subject? { .reaction(match) }

  /// A player sends nothing to a player whom they have blocked.
  package func encounter(of player: PlayerID, match: (MatchID) -> Match?) -> Judge.Encounter? {
    guard let match = match(self.match), match.seat(of: player) != nil else { return nil }
    return Judge.Encounter(players: match.players, counted: [])
  }

  package var fields: [(String, JSON?)] {
    [("match", .text(match)), ("turn", .number(turn)), ("word", .string(word))]
  }

  package init(_ object: JSONObject) throws(WireFault) {
    self.init(
      match: try object.id("match"),
      turn: try object.smallInteger("turn", in: WireLimits.turnNumbers),
      word: try object.value("word", "a word in upper case", limit: Spelling.countLimit) {
        $0.isEmpty || Spelling($0) == nil ? nil : $0
      })
  }
}

extension Match {
  /// The refusal of a reaction. Nil if it may be taken. The room for the end of the match is not
  /// its concern.
  func refusal(of reaction: Event.Reacted, by player: PlayerID) -> Refusal? {
    guard let seat = seat(of: player) else { return .unknownMatch }
    if let outcome { return .matchOver(outcome) }
    // The number comes from outside. It is compared before anything is computed with it.
    guard turnNumber > 1, reaction.turn < turnNumber else {
      return .unknownTurn(current: turnNumber)
    }
    guard reaction.turn == turnNumber - 1 else { return .turnNotLast(last: turnNumber - 1) }
    guard seats.count > 1, (reaction.turn - 1) % seats.count != seat else { return .turnIsYourOwn }
    guard !hasReaction else { return .alreadyReacted(turn: reaction.turn) }
    guard let word = Spelling(reaction.word), game.hasPlayed(word) else {
      return .wordNotPlayed(reaction.word)
    }
    return nil
  }
}

extension Judge {
  /// A player answers the last turn. Its player is told.
  static func react(_ reaction: Event.Reacted, _ draft: inout Draft) throws(Refusal) -> Acceptance {
    let (player, match) = (draft.received.event.player, draft.match)
    if let refusal = match.refusal(of: reaction, by: player) { throw refusal }
    // A turn and the end after it still need their room.
    guard match.entryCount + 4 <= Match.entryLimit else {
      throw .recordFull(limit: Match.entryLimit)
    }
    try draft.context.check(.react, of: player, with: match.players)
    draft.react()
    if let mover = match.seats[(reaction.turn - 1) % match.seats.count].player {
      draft.push(.reacted, to: mover, turn: reaction.turn)
    }
    return .done(.reacted, match.id, version: draft.version)
  }
}

extension Event.Action {
  public static func reacted(_ match: MatchID, turn: Int, word: String) -> Self {
    .reacted(Event.Reacted(match: match, turn: turn, word: word))
  }
}
