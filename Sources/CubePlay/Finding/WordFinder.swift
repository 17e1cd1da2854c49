public import CubeLexicon
public import CubeRules

/// Finds the faces that spell a word.
public struct WordFinder: Sendable {
  /// The game as it stands.
  public var game: CubeGame
  /// How many seats the match has.
  public var seatCount: Int
  /// The match's word list; nil where this build does not have it. Then only the service judges
  /// words.
  public var lexicon: Lexicon?

  /// Finds words in a game.
  public init(game: CubeGame, seatCount: Int, lexicon: Lexicon?) {
    self.game = game
    self.seatCount = seatCount
    self.lexicon = lexicon
  }

  /// The ways to play a word that differ in the game they leave, so that the choice matters.
  ///
  /// Ways that score the same, use up the same cubes and leave the same faces, used as often, are
  /// one. The order is that of face numbers, and the same game, word and removals give the same
  /// list.
  ///
  /// - Parameters:
  ///   - word: In either case, `QU` as two letters.
  ///   - removals: The cubes that are removed first.
  /// - Returns: At least one choice; each is a legal turn by all that this build knows.
  /// - Throws: `WordFinderError` with the reason.
  public func choices(
    for word: String, after removals: [Cube] = []
  ) throws(WordFinderError) -> [LegalTurn] {
    let isWord = word.utf8.allSatisfy { (65...90).contains($0 & 0xdf) && $0 < 128 }
    let text = String(decoding: word.utf8.map { $0 & 0xdf }, as: UTF8.self)
    guard isWord, !text.isEmpty, let spelling = Spelling(text) else { throw .notLetters(word) }
    let prefix = removals.map { Move.removal($0) }
    try checkShape(of: prefix)
    let cleared = try apply(prefix)
    try check(spelling, in: cleared, moveIndex: prefix.count)
    let paths = cleared.paths(spelling: text, limit: Way.pathLimit)
    guard let first = paths.first else { throw .notOnCube(text) }
    // Any other fault is a fault of every path: they spell the same word in the same state.
    let score = try turn(prefix + [.word(first)]).score
    return DistinctWays(paths, in: cleared).ways.map { way in
      LegalTurn(removing: removals, thenBy: way, word: text, score: score)
    }
  }

  /// The ways to play a word between which a person would care to choose. They differ in the cubes
  /// that vanish, and so in the letters that are in sight afterwards.
  ///
  /// Each is the first of `choices` with those vanishing cubes. More wear on the remaining faces is
  /// ignored. All of them score the same.
  ///
  /// - Parameters:
  ///   - word: In either case, `QU` as two letters.
  ///   - removals: The cubes that are removed first.
  /// - Throws: `WordFinderError` with the reason.
  public func visibleChoices(
    for word: String, after removals: [Cube] = []
  ) throws(WordFinderError) -> [LegalTurn] {
    var seen: Set<CubeSet> = []
    return try choices(for: word, after: removals).filter { seen.insert($0.vanishing).inserted }
  }

  /// A turn of given moves.
  /// - Throws: `WordFinderError.illegal` with the move and the rule that refuses it.
  public func turn(_ moves: [Move]) throws(WordFinderError) -> LegalTurn {
    do throws(TurnRefusal) {
      return try LegalTurn(moves, on: game, seatCount: seatCount, words: lexicon)
    } catch {
      throw .illegal(error)
    }
  }

  /// The game after some removals.
  private func apply(_ removals: [Move]) throws(WordFinderError) -> CubeGame {
    var game = game
    for (index, move) in removals.enumerated() {
      do throws(RuleRefusal) {
        try game.apply(move, words: Lexicon.everyWord)
      } catch {
        throw .illegal(TurnRefusal(moveIndex: index, reason: error))
      }
    }
    return game
  }

  /// Refuses removals that leave no room for a word in the same turn.
  private func checkShape(of removals: [Move]) throws(WordFinderError) {
    do throws(WordFinderError) {
      // The shape of a turn is judged before its moves, so that an empty word will do.
      _ = try turn(removals + [.word([])])
    } catch {
      guard case .illegal(let refusal) = error, case .turnShape = refusal.reason else { return }
      throw error
    }
  }

  /// Refuses text that is no playable word, wherever its letters stand.
  private func check(
    _ spelling: Spelling, in game: CubeGame, moveIndex: Int
  ) throws(WordFinderError) {
    guard spelling.count >= 3 else {
      throw .illegal(TurnRefusal(moveIndex: moveIndex, reason: .tooShort(spelling.count)))
    }
    let word = spelling.description
    if let lexicon, !lexicon.contains(spelling) { throw .notAWord(word) }
    if game.hasPlayed(spelling) { throw .alreadyPlayed(word) }
  }
}

/// Why a word cannot be played.
public enum WordFinderError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Something in it is not a letter A to Z, or it is longer than any word.
  case notLetters(String)
  /// Not in the match's word list.
  case notAWord(String)
  /// Somebody has played it in this match.
  case alreadyPlayed(String)
  /// No faces that can be seen and touch one another spell it.
  case notOnCube(String)
  /// A rule refuses the turn.
  case illegal(TurnRefusal)

  /// The fault, and its remedy.
  public var description: String {
    switch self {
    case .notLetters(let text): "\"\(text)\" is no word of letters A to Z. Play a word."
    case .notAWord(let word): "\(word) is not in this match's word list. Play another word."
    case .alreadyPlayed(let word):
      "\(word) has been played in this match already. Play another word."
    case .notOnCube(let word):
      """
      No visible faces that touch one another spell \(word). Look at the cube, or remove a cube \
      first.
      """
    case .illegal(let refusal): refusal.description
    }
  }
}
