public import CubeRules

/// A word that can be played on a cube.
public struct FoundWord: Hashable, Sendable {
  /// The word in capitals, `QU` as two.
  public var word: String
  /// Faces that spell it: of all legal paths the first in the order of face numbers.
  public var faces: [Face]
  /// The score for playing it.
  public var score: Int

  /// A word with its faces and score, as they are.
  public init(word: String, faces: [Face], score: Int) {
    self.word = word
    self.faces = faces
    self.score = score
  }
}

extension Lexicon {
  /// The least number of words that a puzzle must offer at the start to be worth playing: 60.
  public static let wordsWorthPlaying = 60

  /// The least number of letters of the words that make a puzzle worth playing: 4.
  public static let lengthWorthPlaying = 4

  /// Every word that can be played on a cube now: not those already played.
  ///
  /// The search ends with its 100,000th step from face to face, so that no cube takes for ever;
  /// ``english`` on a puzzle drawn from the bag takes fewer than 20,000. ``everyWord`` gives only
  /// words as short as allowed, and at most 10,000 of them.
  ///
  /// - Parameter minimumLength: The least number of letters; the rules want at least three anyway.
  /// - Returns: The words with the highest score first, equal ones in alphabetical order.
  public func words(on game: CubeGame, minimumLength: Int = 3) -> [FoundWord] {
    var found: [FoundWord] = []
    search(game, limit: everyWordLimit, minimumLength: minimumLength) { word, faces in
      let faces = faces()
      found.append(FoundWord(word: word, faces: faces, score: game.score(of: faces)))
    }
    return found.sorted { ($1.score, $0.word) < ($0.score, $1.word) }
  }

  /// How many distinct words can be played on a cube now, not counting beyond a number.
  ///
  /// The words are those of ``words(on:minimumLength:)``.
  ///
  /// - Parameters:
  ///   - enough: The count to stop at.
  ///   - minimumLength: The least number of letters; the rules want at least three anyway.
  /// - Returns: The number of words, but `enough` where there are more.
  public func count(on game: CubeGame, atLeast enough: Int, minimumLength: Int = 3) -> Int {
    var count = 0
    search(game, limit: min(enough, everyWordLimit), minimumLength: minimumLength) { _, _ in
      count += 1
    }
    return count
  }

  /// Whether a puzzle may be dealt: at the start it has at least 60 distinct words of four
  /// letters or more.
  public func isWorthPlaying(_ puzzle: Puzzle) -> Bool {
    let count = count(
      on: CubeGame(puzzle: puzzle), atLeast: Self.wordsWorthPlaying,
      minimumLength: Self.lengthWorthPlaying)
    return count >= Self.wordsWorthPlaying
  }

  private var everyWordLimit: Int {
    if case .everyWord = content { 10_000 } else { .max }
  }

  private func search(
    _ game: CubeGame, limit: Int, minimumLength: Int,
    onWord: (String, _ faces: () -> [Face]) -> Void
  ) {
    let shortest = max(3, minimumLength)
    switch content {
    case .everyWord:
      var search = CubeSearch(AnyLetters(shortest: shortest), game, shortest, limit)
      search.run(onWord)
    case .words(let graph, _):
      graph.read { nodes in
        var search = CubeSearch(nodes, game, shortest, limit)
        search.run(onWord)
      }
    }
  }
}
