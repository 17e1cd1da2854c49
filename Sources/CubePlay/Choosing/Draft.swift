public import CubeRules

/// The part of a turn that is chosen so far.
///
/// It has room for no other turns. In a game of one seat a turn is any run of moves, and a longer
/// run is played as several turns.
public enum Draft: Hashable, Sendable {
  /// Nothing.
  case empty
  case word(WordDraft)
  /// A cube that goes first, then a word or, so far, none.
  case marked(Cube, then: WordDraft?)
  /// Two cubes, the second as it stands when the first is gone.
  case twoMarked(Cube, Cube)

  /// The cubes that are marked for removal, in order.
  public var marks: [Cube] {
    switch self {
    case .empty, .word: []
    case .marked(let cube, _): [cube]
    case .twoMarked(let first, let second): [first, second]
    }
  }

  /// The word that is being chosen.
  public var word: WordDraft? {
    switch self {
    case .word(let word): word
    case .marked(_, let word): word
    case .empty, .twoMarked: nil
    }
  }

  /// The moves that the draft would make as it stands.
  public var moves: [Move] {
    marks.map { .removal($0) } + (word.map { [.word($0.shown.faces)] } ?? [])
  }

  /// The same marks with another word; nil where there is no room for one.
  func with(_ word: WordDraft?) -> Draft? {
    switch self {
    case .empty, .word: word.map { .word($0) } ?? .empty
    case .marked(let cube, _): .marked(cube, then: word)
    case .twoMarked: nil
    }
  }
}

/// A choice without what the rules make of it. It leads to a draft on any game.
public struct Choice: Hashable, Sendable {
  public var marks: [Cube]
  public var picks: [Pick]
  /// The faces that the word takes, if they can be taken.
  public var path: [Face]

  public init(marks: [Cube], picks: [Pick], path: [Face]) {
    (self.marks, self.picks, self.path) = (marks, picks, path)
  }

  /// The choice of a draft.
  public init(_ draft: Draft) {
    (marks, picks, path) = (draft.marks, draft.word?.picks ?? [], draft.word?.shown.faces ?? [])
  }
}

/// Why the last action failed; shown until the next one.
public enum Notice: Hashable, Sendable {
  /// No path goes on with the first of these letters. It and the letters typed after it are no part
  /// of the word until they are taken back.
  case noPath([Letter])
  /// No cube that can be removed shows a letter.
  case noCube(Letter)
  /// A rule forbids it.
  case rule(RuleRefusal)
  /// The chosen letters, or the other marked cube, would not stand without this cube.
  case needed(Cube)
  /// A turn has no room for more: it is a word, a cube and a word, or two cubes.
  case full
  /// It is the other one's turn.
  case notYourTurn
  /// The turn that was sent has no answer yet.
  case waiting
  /// The match had gone on; the turn was not played.
  case outdated
  /// The service's own words.
  case said(String)
}
