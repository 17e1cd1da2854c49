internal import CubeLexicon
internal import CubeRules

extension Drafting {
  func marking(_ cube: Cube, _ words: Lexicon?) throws(Hindrance) -> Draft {
    switch draft {
    case .empty:
      try check(cube, in: game)
      return .marked(cube, then: nil)
    case .word(let word):
      try check(cube, in: game)
      return .marked(cube, then: try moved(word, to: game.without([cube]), words, cube))
    case .marked(cube, then: nil):
      return .empty
    case .marked(cube, then: let word?):
      return .word(try moved(word, to: game, words, cube))
    case .marked(let first, then: nil):
      try check(cube, in: game.without([first]))
      return .twoMarked(first, cube)
    case .twoMarked(let first, cube):
      return .marked(first, then: nil)
    case .twoMarked(cube, let second):
      guard game.refusal(ofRemoving: second) == nil else { throw Hindrance(notice: .needed(cube)) }
      return .marked(second, then: nil)
    case .marked, .twoMarked:
      throw Hindrance(notice: .full)
    }
  }

  /// The same word with another cube in play; the path stays where it is if it can.
  private func moved(
    _ word: WordDraft, to game: CubeGame, _ words: Lexicon?, _ cube: Cube
  ) throws(Hindrance) -> WordDraft {
    let moved = WordDraft(word.picks, keeping: word.shown.faces, on: game, words: words)
    guard let moved else { throw Hindrance(notice: .needed(cube)) }
    return moved
  }

  private func check(_ cube: Cube, in game: CubeGame) throws(Hindrance) {
    if let refusal = game.refusal(ofRemoving: cube) { throw Hindrance(notice: .rule(refusal)) }
  }
}

extension CubeGame {
  /// Why a cube cannot be removed; nil where it can.
  func refusal(ofRemoving cube: Cube) -> RuleRefusal? {
    do throws(RuleRefusal) {
      _ = try judge(.removal(cube), words: Lexicon.everyWord)
      return nil
    } catch {
      return error
    }
  }
}

extension Draft {
  /// As much of the draft as stands on another game.
  func adapted(to game: CubeGame, words: Lexicon?) -> Draft {
    Draft(Choice(self), on: game, words: words)
  }

  /// As much of a choice as stands on a game.
  init(_ choice: Choice, on game: CubeGame, words: Lexicon?) {
    var game = game
    var marked: [Cube] = []
    for cube in choice.marks.prefix(2) where game.refusal(ofRemoving: cube) == nil {
      game = game.without([cube])
      marked.append(cube)
    }
    self = .empty
    if let first = marked.first { self = .marked(first, then: nil) }
    if marked.count == 2 { self = .twoMarked(marked[0], marked[1]) }
    for count in stride(from: choice.picks.count, to: 0, by: -1) {
      let picks = Array(choice.picks.prefix(count))
      guard let word = WordDraft(picks, keeping: choice.path, on: game, words: words) else {
        continue
      }
      self = with(word) ?? self
      return
    }
  }
}
