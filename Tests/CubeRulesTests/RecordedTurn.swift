import CubeRules
import MatchCore

// deploy/wasm compiles this file too: the turns come out the same in a browser's engine.

/// A turn of Fixtures/turns.json.
struct RecordedTurn {
  struct Refused: Hashable {
    var moveIndex: Int
    var name: String
    var arguments: [String]
  }

  enum Outcome: Hashable {
    case scores([Int])
    case refused(Refused)
  }

  var name: String
  var puzzle: Puzzle
  var words: SomeWords
  var before: [Move]
  var seatCount: Int
  var moves: [Move]
  var outcome: Outcome
  var inPlayAfter: Int
  var playableAfter: String
  var playedAfter: [String]

  /// The turns of a file.
  static func read(_ bytes: [UInt8]) throws(WireFault) -> [RecordedTurn] {
    try Fixture.objects(of: bytes) { object throws(WireFault) in
      RecordedTurn(
        name: try object.string("name", limit: 200),
        puzzle: try Fixture.puzzle(object.string("puzzle", limit: 81)),
        words: try SomeWords(object), before: try moves(object, "before"),
        seatCount: try object.smallInteger("seats"), moves: try moves(object, "turn"),
        outcome: try outcome(object), inPlayAfter: try object.smallInteger("inPlayAfter"),
        playableAfter: try object.string("playableAfter", limit: 81),
        playedAfter: try object.strings("playedAfter", count: 100, limit: 162))
    }
  }

  private static func moves(_ object: JSONObject, _ key: String) throws(WireFault) -> [Move] {
    var moves: [Move] = []
    for text in try object.strings(key, count: 1000, limit: Move.notationLimit) {
      moves.append(try Fixture.move(text))
    }
    return moves
  }

  private static func outcome(_ object: JSONObject) throws(WireFault) -> Outcome {
    guard object.optional("refusal") != nil else {
      return .scores(try object.integers("scores", count: 100))
    }
    let refusal = try object.object("refusal")
    guard object.optional("scores") == nil else { throw .malformed("a refusal has no scores") }
    return .refused(
      Refused(
        moveIndex: try refusal.smallInteger("moveIndex"), name: try refusal.string("name"),
        arguments: try refusal.strings("arguments", count: 2, limit: 162)))
  }

  /// The first difference of the outcome; nil: there is none.
  func firstWrong() -> String? {
    var game = CubeGame(puzzle: puzzle)
    for move in before {
      do throws(RuleRefusal) { _ = try game.apply(move, words: words) } catch {
        return "\(move) before the turn is refused: \(error.name)"
      }
    }
    let gameBefore = game
    do throws(TurnRefusal) {
      let scores = try game.applyTurn(moves, seatCount: seatCount, words: words)
      if outcome != .scores(scores) { return "the scores are others" }
    } catch {
      let found = Refused(
        moveIndex: error.moveIndex, name: error.reason.name, arguments: error.reason.arguments)
      if outcome != .refused(found) { return "move \(found.moveIndex) is refused: \(found.name)" }
      if game != gameBefore { return "a refused turn changes the game" }
    }
    if game.inPlay.count != inPlayAfter { return "\(game.inPlay.count) cubes are left" }
    if game.isOver != (inPlayAfter == 0) { return "the game's end is at another turn" }
    if game.playable.digits != playableAfter { return "it leaves \(game.playable.digits)" }
    if game.playedWords != playedAfter { return "the played words are others" }
    return nil
  }

  /// The first turn of a file that comes out otherwise; nil: there is none.
  static func firstWrong(in bytes: [UInt8]) -> String? {
    Fixture.firstWrong(of: "turn", in: bytes, read) { _, turn in
      turn.firstWrong().map { "“\(turn.name)”: \($0)" }
    }
  }
}
