import CubeLexicon
package import CubeRules
package import CubistBasics
import MatchCore

/// Chooses the turns of a whole match beforehand: words where some are found fast, else removals.
package enum Strategy {
  /// The turns of a match of two from its deal to its end, real words by the list.
  ///
  /// - Throws: ``LoadFailure`` where the letters are no puzzle.
  package static func script(letters: String, seed: UInt64) throws -> [[Move]] {
    guard let puzzle = Puzzle(letters) else { throw LoadFailure("no puzzle: \(letters)") }
    var game = CubeGame(puzzle: puzzle)
    var random = SplitMix64(state: seed)
    var turns: [[Move]] = []
    while !game.isOver {
      let moves = try turn(in: game, &random)
      for move in moves { _ = try game.apply(move, words: Lexicon.english) }
      turns.append(moves)
    }
    return turns
  }

  /// A turn of a game that is not over.
  ///
  /// - Parameter tries: How often a word is looked for: fewer are faster, and find fewer.
  /// - Throws: ``LoadFailure`` where it is over.
  package static func turn(
    in game: CubeGame, tries: Int = 300, _ random: inout SplitMix64
  ) throws -> [Move] {
    let moves = word(in: game, tries, &random).map { [$0] } ?? removals(in: game, &random)
    guard !moves.isEmpty else { throw LoadFailure("no move is left") }
    return moves
  }

  /// Three or four faces that touch one after another, if they spell a word.
  private static func word(
    in game: CubeGame, _ tries: Int, _ random: inout SplitMix64
  ) -> Move? {
    let playable = game.playable
    let first = Array(playable)
    guard !first.isEmpty else { return nil }
    for _ in 0..<tries {
      var faces = [first[Int.random(in: 0..<first.count, using: &random)]]
      let length = Int.random(in: 3...4, using: &random)
      while faces.count < length, let last = faces.last {
        let next = last.neighbors.intersection(playable).filter { !faces.contains($0) }
        guard let face = next.randomElement(using: &random) else { break }
        faces.append(face)
      }
      let move = Move.word(faces)
      var after = game
      if faces.count == length, (try? after.apply(move, words: Lexicon.english)) != nil {
        return move
      }
    }
    return nil
  }

  private static func removals(in game: CubeGame, _ random: inout SplitMix64) -> [Move] {
    var game = game
    var moves: [Move] = []
    while moves.count < 2, !game.isOver {
      guard let face = Array(game.playable).randomElement(using: &random) else { break }
      let move = Move.removal(face.cube)
      guard (try? game.apply(move, words: Lexicon.english)) != nil else { break }
      moves.append(move)
    }
    return moves
  }
}
