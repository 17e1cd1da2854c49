import CubeRules
import MatchCore

// deploy/wasm compiles this file too: the games come out the same in a browser's engine.

/// A game of Fixtures/games.json.
struct RecordedGame {
  struct RecordedMove {
    var move: Move
    /// The letters of a word.
    var spells: String?
    /// nil: the move is refused.
    var score: Int?
    /// The faces that can be played afterwards.
    var playable: String
  }

  var puzzle: Puzzle
  var words: SomeWords
  var moves: [RecordedMove]

  /// The games of a file.
  static func read(_ bytes: [UInt8]) throws(WireFault) -> [RecordedGame] {
    try Fixture.objects(of: bytes) { object throws(WireFault) in
      let letters = try object.strings("puzzle", count: 27).joined(separator: " ")
        .split(separator: " ").map { $0 == "QU" ? "Q" : String($0) }.joined()
      return RecordedGame(
        puzzle: try Fixture.puzzle(letters), words: try SomeWords(object),
        moves: try moves(object))
    }
  }

  private static func moves(_ object: JSONObject) throws(WireFault) -> [RecordedMove] {
    var moves: [RecordedMove] = []
    for move in try object.objects("moves", count: 1000) {
      let isWord = move.optional("remove") == nil
      let notation =
        isWord
        ? try move.string("word", limit: Move.notationLimit) : "-" + (try move.string("remove"))
      moves.append(
        RecordedMove(
          move: try Fixture.move(notation),
          spells: isWord ? try move.string("spells", limit: 162) : nil,
          score: try move.flag("accepted") ? try move.smallInteger("score") : nil,
          playable: try move.string("playable", limit: 81)))
    }
    return moves
  }

  /// The first move that ends otherwise, and its end; nil: there is none.
  func firstWrong() -> String? {
    var game = CubeGame(puzzle: puzzle)
    for (index, recorded) in moves.enumerated() {
      if case .word(let faces) = recorded.move {
        let spelling = game.spelling(of: faces).description
        if spelling != recorded.spells { return "move \(index) spells \(spelling)" }
      }
      var score: Int?
      do throws(RuleRefusal) { score = try game.apply(recorded.move, words: words) } catch {}
      if score != recorded.score {
        return "move \(index) scores \(score.map { "\($0)" } ?? "nothing")"
      }
      let playable = game.playable.digits
      if playable != recorded.playable { return "move \(index) leaves \(playable)" }
    }
    return nil
  }

  /// The first game of a file that comes out otherwise; nil: there is none.
  static func firstWrong(in bytes: [UInt8]) -> String? {
    Fixture.firstWrong(of: "game", in: bytes, read) { number, game in
      game.firstWrong().map { "game \(number): \($0)" }
    }
  }
}
