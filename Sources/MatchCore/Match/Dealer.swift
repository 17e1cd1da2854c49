public import CubeLexicon
public import CubeRules

/// Deals puzzles.
public enum Dealer {
  /// Candidates that are tried before the best one so far is taken: with a real word list nearly
  /// every candidate passes, with a tiny one (tests) none ever would.
  static let candidateLimit = 32

  /// The first candidate of a seed that passes the quality rule of docs/rules.md (60 distinct words
  /// of four letters or more).
  public static func puzzle(seed: UInt64, lexicon: Lexicon) -> Puzzle {
    let first = Puzzle.candidate(0, seed: seed)
    if lexicon.isWorthPlaying(first) { return first }
    for number in 1..<candidateLimit {
      let candidate = Puzzle.candidate(number, seed: seed)
      if lexicon.isWorthPlaying(candidate) { return candidate }
    }
    return first
  }

  /// The challenge of a day.
  public static func daily(
    _ key: DailyKey, lexicon: Lexicon, secret: ServiceSecret
  ) -> DailyChallenge {
    let puzzle = puzzle(seed: secret.puzzleSeed(for: key), lexicon: lexicon)
    return DailyChallenge(
      key: key, lexicon: lexicon.version.rawValue, letters: puzzle.description)
  }
}
