extension Rules {
  /// (sum of points) × L × max(1, L − 3), where L is the number of characters.
  public static func firstScore(points: Int, length: Int) -> Int {
    points * length * max(1, length - 3)
  }

  /// Refuses moves that are no turn in any game.
  public static func firstShape(_ moves: [Move], seatCount: Int) throws(TurnRefusal) {
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

  /// Refuses a single removal that leaves cubes.
  public static func firstEnd(
    _ moves: [Move], seatCount: Int, left: CubeSet
  ) throws(TurnRefusal) {
    if seatCount > 1, moves.count == 1, !moves[0].isWord, !left.isEmpty {
      throw TurnRefusal(moveIndex: 0, reason: .turnShape(.singleRemoval))
    }
  }
}

extension Rules {
  /// The score of a word of some letters.
  public func score(of letters: some Sequence<Letter>) -> Int {
    var points = 0
    var count = 0
    for letter in letters {
      points += letter.points
      count += letter.characterCount
    }
    return score(points, count)
  }
}

extension Rules: Hashable {
  /// Rules are the same where their names are.
  public static func == (lhs: Rules, rhs: Rules) -> Bool { lhs === rhs || lhs.name == rhs.name }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension Move {
  fileprivate var isWord: Bool {
    if case .word = self { true } else { false }
  }
}
