import CubeLexicon
import CubePlay
import CubeRules

// deploy/wasm compiles this file too.

/// Unwraps a value that the test knows to be well formed.
func known<Value>(_ value: Value?, _ text: String) -> Value {
  guard let value else { preconditionFailure("the test misspells \(text)") }
  return value
}

/// The players of a match in which nobody has a point.
let two = PlayTurn.Players.two(mine: 0, theirs: 0)

extension CubeGame {
  /// The game after some turns; any spelling is a word.
  func after(_ turns: [Move]...) -> CubeGame {
    var game = self
    for turn in turns {
      _ = known(
        try? game.applyTurn(turn, seatCount: 2, words: Lexicon.everyWord),
        "the turn of \(turn.map { $0.description }.joined(separator: ", "))")
    }
    return game
  }
}
