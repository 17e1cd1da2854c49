public import CubeRules

extension Lexicon {
  /// Candidates that are tried before the first one is taken. With a real word list nearly every
  /// candidate passes; with a tiny one (tests) none ever would.
  private static let candidateLimit = 32

  /// The first candidate of a seed that is worth playing by this list.
  public func puzzle(seed: UInt64) -> Puzzle {
    let first = Puzzle.candidate(0, seed: seed)
    if isWorthPlaying(first) { return first }
    for number in 1..<Self.candidateLimit {
      let candidate = Puzzle.candidate(number, seed: seed)
      if isWorthPlaying(candidate) { return candidate }
    }
    return first
  }
}
