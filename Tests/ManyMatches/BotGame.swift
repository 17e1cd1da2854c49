import CubeLexicon
import CubeRules
import MatchCore

/// Chooses turns fast: short words of the list, found by trying faces that touch, else removals.
struct BotGame {
  private var random: SplitMix

  init(seed: UInt64) { random = SplitMix(state: seed) }

  /// A legal turn of a match of two that is not over.
  mutating func moves(in game: CubeGame) -> [Move] {
    for _ in 0..<24 {
      if let word = word(in: game) { return [.word(word)] }
    }
    return removals(in: game)
  }

  /// Two to four faces that touch one after another, if they spell a word.
  private mutating func word(in game: CubeGame) -> [Face]? {
    let playable = Array(game.playable)
    guard let first = playable.randomElement(using: &random) else { return nil }
    var faces = [first]
    for _ in 0..<Int.random(in: 2...3, using: &random) {
      guard let last = faces.last else { return nil }
      let next = last.neighbors.intersection(game.playable).filter { !faces.contains($0) }
      guard let face = next.randomElement(using: &random) else { return nil }
      faces.append(face)
    }
    var after = game
    guard (try? after.apply(.word(faces), words: Lexicon.english)) != nil else { return nil }
    return faces
  }

  private mutating func removals(in game: CubeGame) -> [Move] {
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

/// Randomness from a seed. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number
/// generators", 2014.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
