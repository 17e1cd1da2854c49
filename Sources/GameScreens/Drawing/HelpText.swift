package import CubePlay

/// Rules and keys in words: on the screen, and where they are printed.
package enum HelpText {
  /// The rules, a line of at most 76 columns each.
  package static let rules = [
    "Spell a word over faces that touch. Corners count as touching.",
    "You may use faces that you can see, each once in a word. QU is one face.",
    "A word has three letters or more, and nobody may play it twice in a match.",
    "Points: the letters' values, times the length, times the length less 3,",
    "at least 1. A face that was used three times takes its cube away. You see",
    "what lies behind it. Instead of a word you may remove two cubes, or one and",
    "then play a word. When no cube is left, most points win.",
  ]

  /// A line about keys. A part is shown if the place has the facilities that it needs.
  private struct Line {
    var parts: [(key: String, does: String, need: Facilities)]
    /// Stands before the texts of all parts.
    var head = ""
    var separator = "; "

    init(_ key: String, _ does: String) { parts = [(key, does, [])] }

    init(
      _ head: String, separator: String = "; ", _ parts: (String, String, Facilities)...
    ) {
      (self.head, self.separator) = (head, separator)
      self.parts = parts.map { (key: $0.0, does: $0.1, need: $0.2) }
    }
  }

  private static let lines = [
    Line("letters", "spell a word: its path lights up"),
    Line("Enter, Tab", "play; another way to spell it"),
    Line("Backspace", "take the last letter back"),
    Line("Esc", "take everything back; with nothing chosen, leave"),
    Line("arrows, space", "go over the cubes; mark one for removal; / goes by letters"),
    Line("page up, down", "look at the turns before, each on its cube; space replays them"),
    Line("mouse, #", "click faces instead of typing letters; the letters' values"),
    Line(
      "after the end: ", separator: ", ", ("R", "rematch", []), ("S", "share", .sharing),
      ("N", "next match", [])),
    Line(
      "", ("Ctrl-N", "your next match", []), ("G", "give up", .givingUp),
      ("O", "the other player", .menus), ("R", "answer a turn", .reacting)),
    Line(
      "in the list: ", separator: ", ", ("N", "new match", .menus), ("B", "boards", .menus),
      ("S", "settings", .menus), ("O", "player", .menus), ("F", "first steps", [])),
    Line(
      "in the list: ", separator: ", ", ("D", "decline", .declining),
      ("A", "decline all", .declining), ("W", "withdraw", .menus), ("Q", "quit", [])),
    Line(
      "", ("P", "past games", .menus), ("I", "inbox", .menus), ("Ctrl-C", "quit", []),
      ("", "a turn on its way is sent again later", .keeping)),
  ]

  /// The keys of a place, each with its action.
  static func keys(_ facilities: Facilities) -> [(String, String)] {
    lines.map { line in
      let parts = line.parts.filter { facilities.contains($0.need) }
      return (
        parts.map(\.key).filter { !$0.isEmpty }.joined(separator: ", "),
        line.head + parts.map(\.does).joined(separator: line.separator)
      )
    }
  }

  /// The meaning of the signs on the cube.
  package static func marks(isUnicode: Bool) -> String {
    let symbols = Symbols(isUnicode: isUnicode)
    return "\(symbols.once) used once   : used twice   ! vanishes   [ ] your word   { } theirs"
  }

  /// All of it for a place, to be printed.
  package static func text(_ facilities: Facilities, isUnicode: Bool) -> String {
    let keys = keys(facilities).map { key in
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
