import CubeRules
import MatchCore

/// Chooses any legal turn by chance. Every word counts in a simulation.
enum TurnChoice {
  static func moves(_ game: CubeGame, seatCount: Int, _ random: SeededRandom) -> [Move] {
    var game = game
    var moves: [Move] = []
    let removals = random.pick(seatCount > 1 ? [0, 1, 2, 2, 2] : [1, 2, 3]) ?? 2
    for _ in 0..<removals {
      guard let move = removal(game, random) else { break }
      moves.append(move)
      _ = try? game.apply(move, words: AnyWord())
    }
    guard !game.isOver, seatCount == 1 || moves.count < 2 else { return moves }
    if let word = word(game, random) { return moves + [word] }
    if let removal = removal(game, random) { moves.append(removal) }
    return moves
  }

  private static func removal(_ game: CubeGame, _ random: SeededRandom) -> Move? {
    random.pick(Array(game.playable)).map { .removal($0.cube) }
  }

  /// Three to five faces that touch one after another.
  private static func word(_ game: CubeGame, _ random: SeededRandom) -> Move? {
    guard let first = random.pick(Array(game.playable)) else { return nil }
    var faces = [first]
    let length = random.number(in: 3...5)
    while faces.count < length, let last = faces.last {
      let next = last.neighbors.intersection(game.playable).filter { !faces.contains($0) }
      guard let face = random.pick(next) else { break }
      faces.append(face)
    }
    return faces.count < 3 ? nil : .word(faces)
  }

  private struct AnyWord: WordList {
    func contains(_ spelling: Spelling) -> Bool { true }
  }
}
