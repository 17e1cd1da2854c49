import ServiceNews
import GameScreens
import CubeLexicon
import CubePlay
import CubeRules

/// Asks a person which of several ways to play a word is meant. Draws one after the other, or lists
/// them where no cube is drawn.
struct WayQuestion {
  let choices: [LegalTurn]
  /// The game before the turn.
  let game: CubeGame
  let console: Console

  /// A person's answer.
  private enum Answer {
    case play(Int)
    case next
    case none
  }

  /// The way that a person takes; nil where none is wanted.
  func answer(_ readLine: () -> String?) throws -> LegalTurn? {
    let isDrawn = console.errorStyle.form == .isometric
    if !isDrawn {
      let documents = choices.enumerated().map { ChoiceDocument(number: $0 + 1, $1) }
      try console.ask(ChoiceText.table(documents, console.errorStyle))
    }
    var shown = 0
    while true {
      if isDrawn {
        try console.ask(drawing(of: shown).text(console.errorStyle))
        try console.ask(
          "Play it so? Enter plays, n shows the next way, q plays nothing [1-\(choices.count)] ")
      } else {
        try console.ask("Which one? [1-\(choices.count)] ")
      }
      switch read(readLine(), shown: isDrawn ? shown : nil) {
      case .play(let number): return choices[number]
      case .next: shown = (shown + 1) % choices.count
      case .none: return nil
      }
    }
  }

  private func read(_ line: String?, shown: Int?) -> Answer {
    guard let text = line?.lowercased() else { return .none }
    if let number = Int(text) {
      return number > 0 && choices.indices.contains(number - 1) ? .play(number - 1) : .none
    }
    guard let shown else { return .none }
    switch text {
    case "", "y", "yes": return .play(shown)
    case "n", "next", "no": return .next
    default: return .none
    }
  }

  private func drawing(of index: Int) throws -> CubeDrawing {
    let turn = choices[index]
    var game = game
    for move in turn.moves {
      if case .removal = move { try game.apply(move, words: Lexicon.everyWord) }
    }
    var drawing = CubeDrawing(
      game: game, highlighted: FaceSet(turn.faces), highlightMeaning: turn.word)
    drawing.leaving = turn.vanishing
    let what = Wording.vanishing(turn.vanishing.map(\.description))
    drawing.notes = [
      "Way \(index + 1) of \(choices.count): \(turn.word) scores \(turn.score)",
      what.prefix(1).uppercased() + what.dropFirst(),
    ]
    return drawing
  }
}
