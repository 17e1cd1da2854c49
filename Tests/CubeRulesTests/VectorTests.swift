import CubeRules
import Testing

extension RecordedTurn: CustomTestStringConvertible {
  var testDescription: String { name }
}

@Suite("Recorded games and turns")
struct VectorTests {
  @Test("Every recorded game agrees move by move")
  func games() throws {
    let games = try RecordedGame.read(fixture("games"))
    #expect(games.count == 120)
    #expect(games.reduce(0) { $0 + $1.moves.count } == 3580)
    #expect(RecordedGame.firstWrong(in: try fixture("games")) == nil)
  }

  @Test(
    "Every recorded turn ends as it should", arguments: try RecordedTurn.read(fixture("turns")))
  func turns(recorded: RecordedTurn) {
    #expect(recorded.firstWrong() == nil)
  }

  // Failure: RuleRefusal.gameOver: No cube is left.
  // Failure: RuleRefusal.turnShape: A turn cannot have this combination of moves.
  // Failure: RuleRefusal.emptyWord: The word names no face.
  // Failure: RuleRefusal.faceRepeated: The word names a face twice.
  // Failure: RuleRefusal.faceHidden: A face is not visible.
  // Failure: RuleRefusal.notTouching: Two consecutive faces do not touch.
  // Failure: RuleRefusal.tooShort: The word has fewer than three letters.
  // Failure: RuleRefusal.wordAlreadyPlayed: The word was already played in this match.
  // Failure: RuleRefusal.notAWord: The match's word list does not have the word.
  // Failure: RuleRefusal.cubeGone: The cube is gone.
  // Failure: RuleRefusal.cubeHidden: The cube is not visible.
  @Test("The recorded turns hold every reason that a move or turn can be refused for")
  func coverage() throws {
    let reasons = try RecordedTurn.read(fixture("turns")).compactMap { turn in
      if case .refused(let refused) = turn.outcome {
        RuleRefusal(name: refused.name, arguments: refused.arguments)
      } else {
        nil
      }
    }
    // Notation cannot express a word without faces; GameTests has it.
    let names = Set(RefusalTests.all.map(\.name)).subtracting(["emptyWord"])
    #expect(Set(reasons.map(\.name)) == names)
    let shapes = TurnShape.allCases.filter { reasons.contains(.turnShape($0)) }
    #expect(shapes == TurnShape.allCases)
  }

  @Test("A recorded game or turn that is changed is found")
  func changed() throws {
    var game = try #require(RecordedGame.read(fixture("games")).first)
    game.moves[2].score = 235
    #expect(game.firstWrong() == "move 2 scores 234")
    #expect(RecordedGame.firstWrong(in: Array("[]".utf8)) == "there is no game")
    #expect(RecordedTurn.firstWrong(in: Array("[1]".utf8)) == "an object is due")
    for turn in try RecordedTurn.read(fixture("turns")) {
      var (other, fewer) = (turn, turn)
      other.outcome = .scores([1])
      #expect(other.firstWrong() != nil, "\(turn.name)")
      fewer.inPlayAfter -= 1
      #expect(fewer.firstWrong() != nil, "\(turn.name)")
    }
  }
}
