extension CubeGame {
  /// Judges a turn as a whole and carries it out, or changes nothing.
  ///
  /// By the first rules, with two or more seats a turn is a word; a removal, then a word; two
  /// removals; or a single removal that leaves no cube in play. With one seat it is any run of
  /// moves. No turn goes on after the game is over.
  ///
  /// - Parameter seatCount: How many players the match has; up to one makes a one-player game.
  /// - Returns: The scores of the moves, in order.
  /// - Throws: `TurnRefusal`: `gameOver` first, then a shape that is wrong for any moves, named
  ///   with the first move too many, then the first move that is not legal where it stands, and
  ///   last a single removal that leaves cubes.
  public mutating func applyTurn<Words: WordList>(
    _ moves: [Move], seatCount: Int, words: Words
  ) throws(TurnRefusal) -> [Int] {
    guard !isOver else { throw TurnRefusal(moveIndex: 0, reason: .gameOver) }
    try rules.checkShape(moves, seatCount)
    var game = self
    var scores: [Int] = []
    scores.reserveCapacity(moves.count)
    for (index, move) in moves.enumerated() {
      guard !game.isOver else {
        throw TurnRefusal(moveIndex: index, reason: .turnShape(.afterLastCube))
      }
      do throws(RuleRefusal) {
        scores.append(try game.apply(move, words: words))
      } catch {
        throw TurnRefusal(moveIndex: index, reason: error)
      }
    }
    try rules.checkEnd(moves, seatCount, game.inPlay)
    self = game
    return scores
  }
}
