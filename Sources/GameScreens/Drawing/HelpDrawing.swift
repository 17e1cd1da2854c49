import TerminalScreen

/// Rules and keys on one screen of 80 columns and 24 rows.
enum HelpDrawing {
  private static let rules = [
    "Spell a word over faces that touch. Corners count as touching.",
    "You may use faces that you can see, each once in a word. QU is one face.",
    "A word has three letters or more, and nobody may play it twice in a match.",
    "Points: the letters' values, times the length, times the length less 3.",
    "A face that was used three times takes its cube away. You see what lies",
    "behind it. Instead of a word you may remove two cubes, or one and then",
    "play a word. When no cube is left, most points win.",
  ]
  private static let keys = [
    ("letters", "spell a word: its path lights up"),
    ("Enter", "play"),
    ("Tab", "another way to spell it"),
    ("Backspace", "take the last letter back"),
    ("Esc", "take everything back; with nothing chosen, leave"),
    ("arrows, space", "go over the cubes; mark one for removal; / goes by letters"),
    ("page up, down", "look at the turns before, each on its cube; space replays them"),
    ("mouse", "click faces instead of typing letters"),
    ("R, S, N", "after the end: rematch, share, next match"),
    ("#, Ctrl-N, -G", "letter values; the next match where it is your turn; give up"),
    ("Ctrl-C", "quit; a turn under way is not lost"),
  ]

  static func draw(on canvas: inout Canvas, _ symbols: Symbols) {
    canvas.write("Rules", column: 0, row: 0, look: .strong)
    for (row, line) in zip(1..., rules) { canvas.write(line, column: 2, row: row) }
    let row = rules.count + 2
    canvas.write("Keys", column: 0, row: row, look: .strong)
    for (row, key) in zip((row + 1)..., keys) {
      canvas.write(key.0, column: 2, row: row, look: .strong)
      canvas.write(key.1, column: 18, row: row)
    }
    let marks = "\(symbols.once) used once   : used twice   ! vanishes   [ ] your word   { } theirs"
    canvas.write(marks, column: 2, row: canvas.height - 3)
    canvas.write("Any key goes back.", column: 0, row: canvas.height - 1, look: .strong)
  }
}
