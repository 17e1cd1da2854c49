/// Rules and keys in words: on the screen, and where they are printed.
package enum HelpText {
  /// The rules, a line of at most 76 columns each.
  package static let rules = [
    "Spell a word over faces that touch. Corners count as touching.",
    "You may use faces that you can see, each once in a word. QU is one face.",
    "A word has three letters or more, and nobody may play it twice in a match.",
    "Points: the letters' values, times the length, times the length less 3.",
    "A face that was used three times takes its cube away. You see what lies",
    "behind it. Instead of a word you may remove two cubes, or one and then",
    "play a word. When no cube is left, most points win.",
  ]

  /// The keys, each with its action.
  package static let keys = [
    ("letters", "spell a word: its path lights up"),
    ("Enter, Tab", "play; another way to spell it"),
    ("Backspace", "take the last letter back"),
    ("Esc", "take everything back; with nothing chosen, leave"),
    ("arrows, space", "go over the cubes; mark one for removal; / goes by letters"),
    ("page up, down", "look at the turns before, each on its cube; space replays them"),
    ("mouse", "click faces instead of typing letters"),
    ("R, S, N", "after the end: rematch, share, next match"),
    ("#, Ctrl-N, -G", "letter values; the next match where it is your turn; give up"),
    ("N, B, S, F", "in the list: new match, boards, settings, first steps"),
    ("Ctrl-C", "quit; a turn on its way is kept and sent again later"),
  ]

  /// The meaning of the signs on the cube.
  package static func marks(isUnicode: Bool) -> String {
    let symbols = Symbols(isUnicode: isUnicode)
    return "\(symbols.once) used once   : used twice   ! vanishes   [ ] your word   { } theirs"
  }

  /// All of it, to be printed.
  package static func text(isUnicode: Bool) -> String {
    let keys = keys.map { key in
      "  " + key.0 + String(repeating: " ", count: keyWidth - key.0.utf8.count) + key.1
    }
    let lines =
      ["Rules"] + rules.map { "  " + $0 } + ["", "Keys of the game on the whole screen"] + keys
      + ["", "  " + marks(isUnicode: isUnicode)]
    return lines.joined(separator: "\n") + "\n"
  }

  /// The columns that the names of keys take.
  static let keyWidth = 16
}
