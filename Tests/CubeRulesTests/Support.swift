import CubeRules
import Foundation
import Testing

extension SomeWords {
  init(_ words: some Sequence<String>) {
    self.init(spellings: Set(words.map { known(Spelling($0), $0) }))
  }
}

/// A word list that has every word.
struct AnyWord: WordList {
  func contains(_ spelling: Spelling) -> Bool { true }
}

/// Unwraps a value that the test knows to be well formed.
func known<Value>(_ value: Value?, _ text: String) -> Value {
  guard let value else { preconditionFailure("the test misspells \(text)") }
  return value
}

/// The seeds of the properties; a failing test prints its argument, which reproduces it.
let seeds: [UInt64] = Array(1...20)

/// A generator of the tests' own, so that they share no code with the rules under test
/// (xorshift64*).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return state &* 0x2545_f491_4f6c_dd1d
  }
}

/// The bytes of a file of Fixtures.
func fixture(_ name: String) throws -> [UInt8] {
  let url = try #require(
    Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "Fixtures"))
  return Array(try Data(contentsOf: url))
}

extension Face {
  /// A face that the test knows to exist.
  init(_ notation: String) { self = known(Self(notation: notation), notation) }
}

extension Cube {
  /// A cube that the test knows to exist.
  init(_ notation: String) { self = known(Self(notation: notation), notation) }
}

extension Move {
  /// A move that the test knows to be well formed.
  init(_ notation: String) {
    self = known(try? Self(notation: notation), notation)
  }
}

/// The puzzle of a walk that was reckoned by hand: GAME, CUBES, REMOVE, WORD.
let walkPuzzle = known(
  Puzzle(
    [
      "122L": "G", "222L": "A", "222R": "M", "221R": "E", "122T": "C", "121T": "U", "222T": "B",
      "221T": "S", "112L": "R", "212L": "E", "212R": "O", "211R": "V", "002L": "W", "102L": "O",
      "202L": "R", "202R": "D",
    ].reduce(into: Array(repeating: "Z", count: 81)) { letters, entry in
      letters[Face(entry.key).number] = entry.value
    }.joined()), "the letters of the walk")

extension CubeGame {
  /// A move for random play: mostly a word of playable, touching faces, else a removal.
  func randomMove(using generator: inout SeededGenerator) -> Move? {
    guard let start = Array(playable).randomElement(using: &generator) else { return nil }
    if Int.random(in: 0..<4, using: &generator) == 0 {
      return .removal(start.cube)
    }
    var path = [start]
    while path.count < Int.random(in: 3...7, using: &generator) {
      let next = playable.intersection(path[path.count - 1].neighbors).subtracting(FaceSet(path))
      guard let face = Array(next).randomElement(using: &generator) else {
        return .removal(start.cube)
      }
      path.append(face)
    }
    return .word(path)
  }
}
