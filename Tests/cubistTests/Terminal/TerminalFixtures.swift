import CubeRules
import CubistBasics
import TerminalScreen

@testable import GameScreens
@testable import cubist

/// Positions to draw.
enum Position {
  struct AnyWord: WordList {
    func contains(_ spelling: Spelling) -> Bool { true }
  }

  /// The letters A to Z three times over, so that a golden picture shows each place.
  static func fullCube() throws -> CubeGame {
    let letters = String((0..<81).map { Character(Unicode.Scalar(UInt8(65 + $0 % 26))) })
    return CubeGame(puzzle: try unwrap(Puzzle(letters)))
  }

  static let lastWord = "120T 120L 221T 122T 021T 021R 022T"

  /// The words of a game.
  static let words = [
    "022L 112L 202L 102L 002L 012L", "220T 121T 022T 122T 222L 112L 022L",
    "220R 221T 222T 121T 020T 021T", "122L 222L 122T 022T 121T 220T", lastWord,
  ]

  /// A game of English words after five turns or fewer, among them used-up cubes.
  static func midGame(_ count: Int = 5) throws -> CubeGame {
    var game = CubeGame(puzzle: .candidate(0, seed: 1))
    for word in words.prefix(count) {
      try game.apply(Move(notation: word), words: AnyWord())
    }
    return game
  }

  static func midGameDrawing() throws -> CubeDrawing {
    let notes = [
      "ada SEQUENT 560", "grace MOTTOES 336", "ada UNYOKE 288", "grace BOTTOM 252",
      "ada CONTEXT 588",
    ]
    return CubeDrawing(
      game: try midGame(), highlighted: try faces(lastWord), notes: notes)
  }

  static func faces(_ notation: String) throws -> FaceSet {
    FaceSet(try notation.split(separator: " ").map { try unwrap(Face(notation: $0)) })
  }

  /// A position with any cubes in play, reachable or not, and no face used.
  static func anyCubes(seed: UInt64) throws -> CubeGame {
    var random = SplitMix64(state: seed)
    // Some dense, some sparse.
    var mask = UInt32.random(in: 0...0x7ff_ffff, using: &random)
    if seed % 3 == 0 { mask |= UInt32.random(in: 0...0x7ff_ffff, using: &random) }
    if seed % 3 == 1 { mask &= UInt32.random(in: 0...0x7ff_ffff, using: &random) }
    return try with(CubeSet(rawValue: mask), puzzle: .candidate(1, seed: seed))
  }

  /// The letters of the full cube with only some cubes in play.
  static func with(cubes: [String]) throws -> CubeGame {
    let cubes = CubeSet(try cubes.map { try unwrap(Cube(notation: $0)) })
    return try with(cubes, puzzle: try fullCube().puzzle)
  }

  private static func with(_ cubes: CubeSet, puzzle: Puzzle) throws -> CubeGame {
    let state = [1] + (0..<4).map { UInt8(truncatingIfNeeded: cubes.rawValue >> (8 * $0)) }
    let uses = [UInt8](repeating: 0, count: 22)
    return try unwrap(CubeGame(puzzle: puzzle, encodedState: state + uses))
  }

  /// A position after random moves: paths of touching faces, and removals.
  static func afterRandomMoves(seed: UInt64) -> (game: CubeGame, lastWord: FaceSet) {
    var random = SplitMix64(state: seed)
    var game = CubeGame(puzzle: .candidate(2, seed: seed))
    var lastWord = FaceSet()
    for _ in 0..<Int.random(in: 1...40, using: &random) {
      if Int.random(in: 0..<4, using: &random) == 0 {
        guard let cube = Array(game.inPlay).randomElement(using: &random) else { break }
        // Hidden cubes stay: then the position is one move shorter.
        _ = try? game.apply(.removal(cube), words: AnyWord())
        continue
      }
      var path: [Face] = []
      var next = game.playable
      while path.count < 6, let face = Array(next).randomElement(using: &random) {
        path.append(face)
        next = face.neighbors.intersection(game.playable).subtracting(FaceSet(path))
      }
      // Words too short or played already are refused.
      if (try? game.apply(.word(path), words: AnyWord())) != nil {
        lastWord = FaceSet(path)
      }
    }
    return (game, lastWord)
  }

  struct Missing: Error {}

  static func unwrap<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw Missing() }
    return value
  }
}

extension TerminalStyle {
  static func with(
    _ form: Form = .isometric, _ depth: ColorDepth = .none, columns: Int = 80,
    isTerminal: Bool = true
  ) -> TerminalStyle {
    TerminalStyle(form: form, colorDepth: depth, columns: columns, isTerminal: isTerminal)
  }
}
