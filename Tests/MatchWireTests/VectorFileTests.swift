import CubistBasics
import FoundationEssentials
import MatchCore
import Testing

@testable import MatchCore
@testable import MatchRecord
@testable import MatchWire

@Suite("Vector files")
struct VectorFileTests {
  private struct Expected: Decodable {
    var moves: [Move]

    struct Move: Decodable {
      var accepted: Bool
      var score: Int?
      var playable: String
    }
  }

  @Test("The published games are judged as they say, move by move")
  func games() throws {
    let path = #filePath.replacing(
      "MatchWireTests/VectorFileTests.swift", with: "CubeRulesTests/Fixtures/games.json")
    let data = try Data(contentsOf: URL(filePath: path))
    let expected = try JSONDecoder().decode([Expected].self, from: data)
    let reports = try VectorFile.judge(Array(data))
    #expect(VectorFile.isVectorFile(Array(data)))
    try #require(reports.count == expected.count && reports.count == 120)
    for (number, (report, expected)) in zip(reports, expected).enumerated() {
      try #require(report.moves.count == expected.moves.count)
      #expect(report.total == expected.moves.compactMap(\.score).reduce(0, +), "game \(number)")
      for (move, expected) in zip(report.moves, expected.moves) {
        #expect((move.score != nil) == expected.accepted, "game \(number)")
        #expect(move.playable == expected.playable, "game \(number)")
        if let score = expected.score { #expect(move.score == score, "game \(number)") }
        #expect((move.reason == nil) == expected.accepted, "game \(number)")
      }
    }
  }

  static let puzzle =
    "[" + Array(repeating: #""A B C""#, count: 27).joined(separator: ",") + "]"

  @Test("A fault in a file is named")
  func malformed() {
    let puzzle = VectorFileTests.puzzle
    for (file, reason) in [
      ("{}", "an array of games is due"),
      ("[7]", "game 0: an object is due"),
      ("[{}]", "game 0: puzzle is missing"),
      (#"[{"puzzle":["A B C"]}]"#, "game 0: puzzle is not 27 times three letters"),
      (#"[{"puzzle":\#(puzzle)}]"#, "game 0: words is missing"),
      (#"[{"puzzle":\#(puzzle),"words":[]}]"#, "game 0: moves is missing"),
      (
        #"[{"puzzle":\#(puzzle),"words":[],"moves":[{"word":7}]}]"#,
        "game 0: move 0: word: a string is due"
      ),
      (
        #"[{"puzzle":\#(puzzle),"words":[],"moves":[{"remove":"333"}]}]"#,
        """
        game 0: move 0: "-333" is not a removal: write a minus sign and three digits 0, 1 or 2, \
        such as -212.
        """
      ),
    ] {
      #expect(throws: RecordFileError.malformed(reason)) { try VectorFile.judge(bytes(file)) }
    }
  }

  @Test("A move that is not accepted has its reason, and changes nothing")
  func reasons() throws {
    let moves =
      #"[{"word":""},{"word":"222T 222T"},{"word":"222T 222L 222R"},{"word":"222T 222L 222R"},"#
      + #"{"remove":"111"},{"remove":"222"},{"remove":"222"}]"#
    let file = #"[{"puzzle":\#(VectorFileTests.puzzle),"words":["ABC"],"moves":\#(moves)}]"#
    let report = try #require(try VectorFile.judge(bytes(file)).first)
    #expect(
      report.moves.map(\.reason) == [
        "emptyWord", "faceRepeated", nil, "wordAlreadyPlayed", "cubeHidden", nil, "cubeGone",
      ])
    #expect(report.total == 27)
  }

  @Test("Mutated files give reports or an error", arguments: [UInt64(61), 62])
  func mutations(seed: UInt64) {
    var random = SplitMix64(state: seed)
    let moves = #"[{"word":"222T 222L 222R"},{"remove":"222"},{"word":"221T 212L 212T"}]"#
    let file = bytes(
      #"[{"puzzle":\#(VectorFileTests.puzzle),"words":["ABC"],"moves":\#(moves)}]"#)
    var errors = 0
    for _ in 0..<500 {
      let mutated = file.mutated(using: &random)
      if (try? VectorFile.judge(mutated)) == nil { errors += 1 }
    }
    #expect(errors > 200 && errors < 500, "seed \(seed)")
  }
}
