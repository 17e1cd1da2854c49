public import CubeLexicon
public import CubeRules

/// Choosing a turn on a cube, on either player's turn.
public struct Drafting: Hashable, Sendable {
  /// The game before the turn.
  public let game: CubeGame
  public internal(set) var draft: Draft
  /// Why the last action failed.
  public internal(set) var notice: Notice?

  /// Choosing goes on from a draft that was made on the same game.
  init(game: CubeGame, draft: Draft, notice: Notice?) {
    self.game = game
    self.draft = draft
    self.notice = notice
  }

  /// Choosing begins.
  public init(on game: CubeGame) {
    self.init(game: game, draft: .empty, notice: nil)
  }
}

/// One action in choosing a turn.
public enum DraftAction: Hashable, Sendable {
  /// A letter was typed: Q for the face `QU`. The U of that face may be typed or left out.
  case letterTyped(Letter)
  /// A face was tapped. The last one of the path is taken back; any other extends the path.
  case faceTapped(Face)
  /// A finger or a pressed mouse came to a face. Going back to the face before the last takes the
  /// last one back.
  case faceDragged(Face)
  /// The next of several ways was asked for; after the last comes the first.
  case nextWay
  /// The last letter or face was taken back, or, if there is none, the last mark.
  case takeBack
  /// Everything was taken back.
  case clear
  /// A cube was marked for removal, or its mark taken away.
  case cubeMarked(Cube)
  /// A choice that was kept is made again, as much of it as stands.
  case chosen(Choice)
}

extension Drafting {
  /// How choosing goes.
  ///
  /// An action that cannot be carried out leaves the choice as it is and says why. Letters typed
  /// after a letter without a path are not chosen: the word would differ from the typed one.
  ///
  /// - Parameter words: The match's word list; nil where it is not here.
  public static func reducer(words: Lexicon?) -> Reducer<Drafting, DraftAction, Never> {
    Reducer { state, action in
      if case .noPath(let letters) = state.notice, let rest = action.rest(after: letters) {
        state.notice = rest.isEmpty ? nil : .noPath(rest)
        return []
      }
      state.notice = nil
      do throws(Hindrance) {
        state.draft = try state.draft(after: action, words: words)
      } catch {
        state.notice = error.notice
      }
      return []
    }
  }

  /// Why an action changes nothing; without a notice there is nothing to say.
  struct Hindrance: Error {
    var notice: Notice?
  }

  private func draft(after action: DraftAction, words: Lexicon?) throws(Hindrance) -> Draft {
    switch action {
    case .letterTyped(let letter): return try typing(letter, words)
    case .faceTapped(let face): return try tapping(face, words)
    case .faceDragged(let face): return try dragging(over: face, words)
    case .nextWay:
      guard var word = draft.word else { return draft }
      word.shownIndex = (word.shownIndex + 1) % word.ways.count
      return draft.with(word) ?? draft
    case .takeBack: return takingBack(words)
    case .clear: return .empty
    case .cubeMarked(let cube): return try marking(cube, words)
    case .chosen(let choice): return Draft(choice, on: game, words: words)
    }
  }

  /// The game as the word would find it: without the cubes that are marked.
  var cleared: CubeGame { game.without(draft.marks) }
}

extension DraftAction {
  /// The rest is cut at the length of the longest possible word.
  private static let restLimit = 81

  /// The rest of the letters without a path; nil where the action is about something else.
  fileprivate func rest(after letters: [Letter]) -> [Letter]? {
    switch self {
    // The U of the face QU.
    case .letterTyped(.u) where letters.last == .q: letters
    case .letterTyped(let letter): letters.count < Self.restLimit ? letters + [letter] : letters
    case .takeBack: Array(letters.dropLast())
    case .faceTapped, .faceDragged, .nextWay, .clear, .cubeMarked, .chosen: nil
    }
  }
}

extension CubeGame {
  /// The game after removals that are known to be legal.
  func without(_ cubes: [Cube]) -> CubeGame {
    var game = self
    for cube in cubes {
      do throws(RuleRefusal) {
        try game.apply(.removal(cube), words: Lexicon.everyWord)
      } catch {
        preconditionFailure("a cube is marked only where it can be removed")
      }
    }
    return game
  }
}
