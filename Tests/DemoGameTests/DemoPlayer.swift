import PseudoTerminal

/// A player of the demo who presses keys and looks only at the screen.
struct DemoPlayer {
  private let terminal: PseudoTerminal
  /// How many turns the screen counted last.
  private(set) var turnCount = 0
  private var showsValues = false

  private static let arrows = ["\u{1b}[C", "\u{1b}[A", "\u{1b}[D", "\u{1b}[B"]

  init(_ terminal: PseudoTerminal) { self.terminal = terminal }

  /// Waits for the player's turn; false where the match is over.
  mutating func awaitTurn() throws -> Bool {
    let before = turnCount
    var isOver = false
    try terminal.wait(for: "a turn after turn \(before), or the end") { terminal in
      let text = terminal.text
      isOver = text.contains("Over: ")
      let isNew = Self.turns(text).map { $0 > before || before == 0 } ?? false
      return isOver || isNew && text.contains("Your turn: type a word.")
    }
    turnCount = Self.turns(terminal.text) ?? turnCount
    return !isOver
  }

  /// Marks two cubes, or the last one, and plays that.
  mutating func removeCubes() throws {
    for step in 0..<60 {
      try press(Self.arrows[(step / 4 + step) % 4])
      let before = marks
      try press(" ")
      // That one was marked already.
      if marks < before { try press(" ") }
      guard marks == 2 || marks == 1 && step > 12 else { continue }
      try press("\r")
      var isRefused = false
      try terminal.wait(for: "an answer") { terminal in
        isRefused = terminal.text.contains("One cube alone is no turn.")
        return isRefused || Self.marks(terminal.text) == 0
      }
      guard isRefused else { return }
    }
    throw Failure(description: "no cubes can be removed:\n\(terminal.text)")
  }

  /// A step that was impossible by keys.
  private struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// Types a key, and waits until it was processed: a second key after it has a visible effect.
  private mutating func press(_ key: String) throws {
    terminal.type(key + "#")
    showsValues.toggle()
    let legend = showsValues ? "letter values" : "used once"
    try terminal.wait(showing: legend)
  }

  private var marks: Int { Self.marks(terminal.text) }

  private static func marks(_ text: String) -> Int {
    text.contains("2 cubes are removed") ? 2 : text.contains("1 cube is removed") ? 1 : 0
  }

  /// The turns that the screen counts.
  private static func turns(_ text: String) -> Int? {
    text.firstMatch(of: /Turns: ([0-9]+)/).flatMap { Int($0.1) }
  }
}
