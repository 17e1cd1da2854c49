public import CubeLexicon
public import CubeRules

/// Deals puzzles.
public enum Dealer {
  /// The first candidate of a seed that passes the quality rule of docs/rules.md (60 distinct words
  /// of four letters or more).
  public static func puzzle(seed: UInt64, lexicon: Lexicon) -> Puzzle {
    lexicon.puzzle(seed: seed)
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
