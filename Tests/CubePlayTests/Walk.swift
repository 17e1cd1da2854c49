import CubeLexicon
import CubePlay
import CubeRules
import CubistBasics

// deploy/wasm compiles this file too. The games come out the same in a browser's engine, whose Int
// has 32 bits.

/// Games that a reducer plays alone by the keyboard, and a number for their whole course.
enum Walk {
  /// The number that every build has to reach.
  static let golden: UInt64 = 4_422_474_214_901_944_313

  /// Plays three games of eight English words and hashes their whole course.
  static func hash() -> UInt64 {
    var hash = FNV1a()
    for seed in 0..<3 {
      let game = CubeGame(puzzle: .candidate(seed, seed: 0xc0be))
      var match = PlayTurn(
        Standing(
          game: game, players: .alone(points: 0), turnNumber: 1,
          stage: .yours(secondsLeft: 180)))
      let reducer = PlayTurn.reducer(words: .english)
      for number in 0..<8 {
        let words = Lexicon.english.words(on: match.game)
        guard !words.isEmpty else { break }
        for letter in words[number * 7 % words.count].word {
          guard let letter = Letter(letter) else { continue }
          _ = reducer.reduce(&match, .draft(.letterTyped(letter)))
          _ = reducer.reduce(&match, .draft(.nextWay))
        }
        add(UInt64(match.offer?.score ?? 0), to: &hash)
        _ = reducer.reduce(&match, .submit)
        _ = reducer.reduce(&match, .answered(.accepted(secondsLeft: 170)))
      }
      for byte in match.game.encodedState() { add(UInt64(byte), to: &hash) }
      add(UInt64(match.turnNumber), to: &hash)
    }
    return hash.value
  }

  private static func add(_ number: UInt64, to hash: inout FNV1a) {
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      hash.add(UInt8(truncatingIfNeeded: number >> shift))
    }
  }
}
