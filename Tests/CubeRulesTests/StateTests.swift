import CubeRules
import Testing

@Suite("The stored state")
struct StateTests {
  private func walked() throws -> CubeGame {
    var game = CubeGame(puzzle: walkPuzzle)
    for notation in ["122L 222L 222R 221R", "122T 121T 222T 221R 221T", "-222"] {
      try game.apply(Move(notation), words: AnyWord())
    }
    return game
  }

  @Test("The bytes of version 1 are these for ever")
  func golden() throws {
    let fresh: [UInt8] = [1, 0xff, 0xff, 0xff, 0x07] + Array(repeating: 0, count: 22)
    #expect(CubeGame(puzzle: walkPuzzle).encodedState() == fresh)
    let state: [UInt8] = [
      1, 0xff, 0xff, 0xff, 0x03,
      0, 0, 0, 0, 0, 0, 0x19, 0x00, 0x00, 0xc8, 0x01,
      0, 0, 0, 0, 0, 0, 0, 0, 0, 0x20, 0,
      4, 6, 0, 12, 4,
      5, 2, 20, 1, 4, 18,
    ]
    #expect(try walked().encodedState() == state)
  }

  @Test("A state that was cut off or has more bytes is refused at every length")
  func wrongLength() throws {
    let state = try walked().encodedState()
    for count in 0..<state.count {
      #expect(CubeGame(puzzle: walkPuzzle, encodedState: state.prefix(count)) == nil)
    }
    #expect(CubeGame(puzzle: walkPuzzle, encodedState: state + [0]) == nil)
    #expect(CubeGame(puzzle: walkPuzzle, encodedState: state + state) == nil)
  }

  @Test("A changed bit is refused, but for those that only take back or make a removal")
  func changedBit() throws {
    let game = try walked()
    let state = game.encodedState()
    for index in state.indices {
      for bit in 0..<8 {
        var changed = state
        changed[index] ^= 1 << bit
        guard let other = CubeGame(puzzle: walkPuzzle, encodedState: changed) else { continue }
        // A removal leaves no trace but the mask, so that bytes 1...4 cannot be compared with
        // anything else.
        #expect((1...4).contains(index), "byte \(index), bit \(bit)")
        #expect(other != game)
      }
    }
  }

  @Test("A state that contradicts itself is refused")
  func contradictions() throws {
    let state = try walked().encodedState()
    #expect(CubeGame(puzzle: walkPuzzle, encodedState: state) != nil)
    #expect(CubeGame(puzzle: walkPuzzle, encodedState: state + [4, 6, 0, 12, 4]) == nil)
    #expect(CubeGame(puzzle: walkPuzzle, encodedState: state + [2, 6, 0]) == nil)
    #expect(CubeGame(puzzle: walkPuzzle, encodedState: state + [3, 6, 0, 26]) == nil)
    var otherVersion = state
    otherVersion[0] = 2
    #expect(CubeGame(puzzle: walkPuzzle, encodedState: otherVersion) == nil)
    let otherPuzzle = try #require(Puzzle(String(repeating: "A", count: 81)))
    #expect(CubeGame(puzzle: otherPuzzle, encodedState: state) == nil)
    #expect(CubeGame(puzzle: walkPuzzle, encodedState: []) == nil)
  }

  @Test("A cube with a face used up cannot be in play")
  func usedUp() throws {
    let puzzle = try #require(Puzzle(String(repeating: "A", count: 81)))
    var game = CubeGame(puzzle: puzzle)
    for notation in ["222T 222L 222R", "222T 222L 222R 221R", "222T 222L 222R 221R 221T"] {
      try game.apply(Move(notation), words: AnyWord())
    }
    #expect(!game.inPlay.contains(Cube("222")))
    var state = game.encodedState()
    #expect(CubeGame(puzzle: puzzle, encodedState: state) == game)
    state[4] |= 0b100
    #expect(CubeGame(puzzle: puzzle, encodedState: state) == nil)
  }

  @Test("Random bytes neither crash nor make a state", arguments: seeds)
  func noise(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<2000 {
      var bytes = (0..<Int.random(in: 0...80, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      if !bytes.isEmpty { bytes[0] = 1 }
      #expect(CubeGame(puzzle: walkPuzzle, encodedState: bytes) == nil)
    }
  }
}
