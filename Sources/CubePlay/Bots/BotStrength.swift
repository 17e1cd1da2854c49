public import CubeLexicon
public import CubeRules

/// How strong a bot plays.
public enum BotStrength: String, Hashable, Sendable, CaseIterable {
  /// Short words that everybody knows.
  case easy
  /// Better words of at most five letters.
  case medium
  /// The best word on the cube.
  case hard
}

extension BotStrength {
  /// A legal turn: a word where there is one, else removals of cubes that can be seen.
  ///
  /// The same game, list and random numbers give the same turn.
  ///
  /// - Parameters:
  ///   - words: The match's word list; nil where it is not here: then cubes are removed only.
  ///   - random: The next 64 random bits.
  /// - Returns: The moves; none only where the game is over.
  public func turn(
    on game: CubeGame, seatCount: Int, words: Lexicon?, random: () -> UInt64
  ) -> [Move] {
    let choices = choices(among: words?.words(on: game) ?? [])
    guard choices.isEmpty else {
      let place = choices.startIndex + Self.number(below: choices.count, random)
      return [.word(choices[place].faces)]
    }
    return Self.removals(on: game, count: seatCount > 1 ? 2 : 1, random)
  }

  /// The words that the bot chooses from; empty only if there is none.
  ///
  /// - Parameter found: The best word first.
  private func choices(among found: [FoundWord]) -> ArraySlice<FoundWord> {
    switch self {
    case .easy:
      let common = found.filter { CommonWords.all.contains($0.word) }
      return common.isEmpty ? found.suffix(5) : common[...]
    case .medium:
      let short = found.filter { $0.word.utf8.count <= 5 }
      return short.isEmpty ? found.suffix(5) : short.prefix((short.count + 1) / 2)
    case .hard: return found.prefix(1)
    }
  }

  private static func removals(
    on game: CubeGame, count: Int, _ random: () -> UInt64
  ) -> [Move] {
    var game = game
    var moves: [Move] = []
    while moves.count < count, !game.isOver {
      let visible = CubeSet(game.playable.map { $0.cube }).map { $0 }
      guard !visible.isEmpty else { break }
      let cube = visible[number(below: visible.count, random)]
      game = game.without([cube])
      moves.append(.removal(cube))
    }
    return moves
  }

  private static func number(below count: Int, _ random: () -> UInt64) -> Int {
    Int(random().multipliedFullWidth(by: UInt64(count)).high)
  }
}
