internal import CubeRules

extension PlayTurn {
  /// The draft so far, sent or not; nil once the match is over.
  public var draft: Draft? {
    switch stage {
    case .playing(.mine(let draft), _), .playing(.theirs(let draft), _): draft
    case .playing(.sent(let sent), _): sent.draft
    case .over: nil
    }
  }

  /// The chosen turn, where it can be played. On the other one's turn: the turn that the player
  /// could play if it were the player's own.
  public var offer: LegalTurn? {
    guard let draft else { return nil }
    // The typed letters are another word than the chosen one.
    if case .noPath = notice { return nil }
    if let word = draft.word {
      guard word.verdict.mayBeSent else { return nil }
      return LegalTurn(
        removing: draft.marks, thenBy: word.shown, word: word.word, score: word.score)
    }
    switch draft {
    case .marked(let cube, _) where players.seatCount > 1 && game.inPlay != [cube]: return nil
    case .empty: return nil
    default: return LegalTurn(removing: draft.marks, thenBy: nil, word: "", score: 0)
    }
  }

  /// Choosing as a state of its own; nil while nothing can be chosen.
  var drafting: Drafting? {
    switch stage {
    case .playing(.mine(let draft), _), .playing(.theirs(let draft), _):
      Drafting(game: game, draft: draft, notice: notice)
    case .playing(.sent, _), .over: nil
    }
  }

  /// Puts another draft in the place of the current one, if that can be changed.
  mutating func setDraft(_ draft: Draft) {
    switch stage {
    case .playing(.mine, let seconds): stage = .playing(.mine(draft), secondsLeft: seconds)
    case .playing(.theirs, let seconds): stage = .playing(.theirs(draft), secondsLeft: seconds)
    case .playing(.sent, _), .over: break
    }
  }
}
