extension CubeGame {
  /// Judges a turn as a whole and carries it out, or changes nothing.
  ///
  /// With two or more seats a turn is a word; a removal, then a word; two removals; or a single
  /// removal that leaves no cube in play. With one seat it is any run of moves. No turn goes on
  /// after the last cube is gone.
  ///
  /// - Parameter seatCount: How many players the match has; up to one makes a one-player game.
  /// - Returns: The scores of the moves, in order.
  /// - Throws: `TurnRefusal`: `gameOver` first, then a shape that is wrong whatever the moves are,
  ///   named with the first move too many, then the first move that is not legal where it stands,
  ///   and last a single removal that leaves cubes.
  public mutating func applyTurn<Words: WordList>(
    _ moves: [Move], seatCount: Int, words: Words
  ) throws(TurnRefusal) -> [Int] {
    guard !isOver else { throw TurnRefusal(moveIndex: 0, reason: .gameOver) }
    try Self.checkShape(of: moves, seatCount: seatCount)
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
    if seatCount > 1, moves.count == 1, case .removal = moves[0], !game.isOver {
      throw TurnRefusal(moveIndex: 0, reason: .turnShape(.singleRemoval))
    }
    self = game
    return scores
  }

  /// Refuses what is no turn whatever its moves do.
  private static func checkShape(of moves: [Move], seatCount: Int) throws(TurnRefusal) {
    guard !moves.isEmpty else {
      throw TurnRefusal(moveIndex: 0, reason: .turnShape(.empty))
    }
    guard seatCount > 1 else { return }
    if let word = moves.firstIndex(where: { $0.isWord }), word < 2, word + 1 < moves.count {
      throw TurnRefusal(moveIndex: word + 1, reason: .turnShape(.wordThenMore))
    }
    if moves.count > 2 {
      let shape: TurnShape = moves[2].isWord ? .removalsThenWord : .threeRemovals
      throw TurnRefusal(moveIndex: 2, reason: .turnShape(shape))
    }
  }
}

extension Move {
  fileprivate var isWord: Bool {
    if case .word = self { true } else { false }
  }
}
