/// Answering the other player's last turn with a word that was played in the match.
public enum Reacting: Hashable, Sendable {
  /// No answer is on its way. If the last one was not taken, the reason.
  case no(failure: String?)
  /// The player has answered the turn of that number, and the service has not taken it yet.
  case asked(word: String, turn: Int)
}

/// An action about answering a turn.
public enum ReactAction: Hashable, Sendable {
  /// The player answers with the word of the turn that is looked at.
  case asked
  /// The service took the answer, or not, for a reason in words.
  case answered(failure: String?)
}

extension ShownMatch {
  /// Whether the player can answer the last turn.
  public var canReact: Bool {
    guard case .playing = turn.stage, case .no = reacting, watched == nil, let last = lines.last
    else { return false }
    return last.player == .them && last.reaction == nil
  }

  /// The word of the turn that is looked at; nil where the last turn cannot be answered with it.
  public var possibleReaction: String? {
    guard canReact, let word = lookedAt?.word, !word.isEmpty else { return nil }
    return word
  }

  mutating func reduce(_ action: ReactAction) -> [MatchEffect] {
    switch action {
    case .asked:
      guard let word = possibleReaction, let last = lines.last else { return [] }
      reacting = .asked(word: word, turn: last.number)
      return [.react(word, turn: last.number)]
    case .answered(let failure):
      guard case .asked(let word, let turn) = reacting else { return [] }
      reacting = .no(failure: failure)
      if failure == nil, let place = lines.firstIndex(where: { $0.number == turn }) {
        lines[place].reaction = word
      }
      return []
    }
  }
}
