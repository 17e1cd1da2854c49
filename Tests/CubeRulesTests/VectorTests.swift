import CubeRules
import CustomDump
import Foundation
import Testing

@Suite("Recorded games and turns")
struct VectorTests {
  struct Game: Decodable {
    struct RecordedMove: Decodable {
      var word: String?
      var spells: String?
      var remove: String?
      var accepted: Bool
      var score: Int?
      var playable: String
    }
    var puzzle: [String]
    var words: [String]
    var moves: [RecordedMove]
  }

  struct Turn: Decodable, CustomTestStringConvertible {
    struct Refusal: Decodable, Equatable {
      var moveIndex: Int
      var name: String
      var arguments: [String]
    }
    var name: String
    var puzzle: String
    var words: [String]
    var before: [String]
    var seats: Int
    var turn: [String]
    var scores: [Int]?
    var refusal: Refusal?
    var inPlayAfter: Int
    var playableAfter: String
    var playedAfter: [String]
    var testDescription: String { name }
  }

  @Test("Every recorded game agrees move by move")
  func games() throws {
    let games = try fixture("games", as: [Game].self)
    #expect(games.count == 120)
    for (number, recorded) in games.enumerated() {
      let letters = recorded.puzzle.joined().replacing("QU", with: "Q").filter { $0 != " " }
      var game = CubeGame(puzzle: try #require(Puzzle(letters)))
      let words = SomeWords(recorded.words)
      for (index, recordedMove) in recorded.moves.enumerated() {
        let place = "game \(number), move \(index)"
        let notation = try #require(recordedMove.word ?? recordedMove.remove.map { "-\($0)" })
        let move = try Move(notation: notation)
        if case .word(let faces) = move {
          #expect(game.spelling(of: faces).description == recordedMove.spells, "\(place)")
        }
        let score = try? game.apply(move, words: words)
        #expect((score != nil) == recordedMove.accepted, "\(place)")
        if recordedMove.accepted {
          #expect(score == recordedMove.score, "\(place)")
        }
        #expect(game.playable.digits == recordedMove.playable, "\(place)")
      }
    }
  }

  @Test("Every recorded turn ends as it should", arguments: try fixture("turns", as: [Turn].self))
  func turns(recorded: Turn) throws {
    var game = CubeGame(puzzle: try #require(Puzzle(recorded.puzzle)))
    let words = SomeWords(recorded.words)
    for notation in recorded.before {
      try game.apply(Move(notation), words: words)
    }
    let before = game
    var scores: [Int]?
    var refusal: Turn.Refusal?
    do throws(TurnRefusal) {
      scores = try game.applyTurn(
        recorded.turn.map { Move($0) }, seatCount: recorded.seats, words: words)
    } catch {
      refusal = Turn.Refusal(
        moveIndex: error.moveIndex, name: error.reason.name, arguments: error.reason.arguments)
      expectNoDifference(game, before)
    }
    #expect(scores == recorded.scores)
    #expect(refusal == recorded.refusal)
    #expect((scores == nil) != (refusal == nil))
    #expect(game.inPlay.count == recorded.inPlayAfter)
    #expect(game.isOver == (recorded.inPlayAfter == 0))
    #expect(game.playable.digits == recorded.playableAfter)
    #expect(game.playedWords == recorded.playedAfter)
  }

  @Test("The recorded turns hold every reason that a move or turn can be refused for")
  func coverage() throws {
    let turns = try fixture("turns", as: [Turn].self)
    let reasons = turns.compactMap { turn in
      turn.refusal.flatMap { RuleRefusal(name: $0.name, arguments: $0.arguments) }
    }
    // Notation cannot express a word without faces; GameTests has it.
    let names = Set(RefusalTests.all.map(\.name)).subtracting(["emptyWord"])
    #expect(Set(reasons.map(\.name)) == names)
    let shapes = TurnShape.allCases.filter { reasons.contains(.turnShape($0)) }
    #expect(shapes == TurnShape.allCases)
  }
}
