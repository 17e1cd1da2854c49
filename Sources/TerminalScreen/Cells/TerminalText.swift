/// Functions that make outside text safe and fit for a terminal.
package enum TerminalText {
  /// The text with a question mark in place of everything that could steer the terminal: control
  /// characters, line breaks, and invisible ones such as those that turn the direction of text.
  package static func safe(_ text: String) -> String {
    guard !text.unicodeScalars.allSatisfy(isSafe) else { return text }
    var safe = String.UnicodeScalarView()
    safe.append(contentsOf: text.unicodeScalars.lazy.map { isSafe($0) ? $0 : "?" })
    return String(safe)
  }

  /// The number of columns that a text takes.
  package static func width(of text: some StringProtocol) -> Int {
    text.reduce(0) { $0 + width(of: $1) }
  }

  /// The number of columns that a character takes: 0 for a combining mark alone, 2 for a wide one.
  package static func width(of character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first, !isCombining(scalar) else { return 0 }
    let isEmoji = character.unicodeScalars.contains { $0 == "\u{fe0f}" }
    return isEmoji || wideRanges.contains { $0.contains(scalar.value) } ? 2 : 1
  }

  /// The text cut to a number of columns, with an ellipsis where something is missing.
  package static func cut(_ text: String, columns: Int) -> String {
    guard width(of: text) > columns else { return text }
    guard columns > 0 else { return "" }
    return prefix(of: text, columns: columns - 1) + "…"
  }

  /// The lines of a text, broken at spaces, or within a word that is too long for a line.
  package static func wrap(_ text: String, columns: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, width(of: line) + 1 + width(of: word) <= columns {
        line += " " + word
        continue
      }
      if !line.isEmpty { lines.append(line) }
      line = String(word)
      while width(of: line) > max(2, columns) {
        let head = prefix(of: line, columns: max(2, columns))
        lines.append(head)
        line.removeFirst(head.count)
      }
    }
    return lines + [line]
  }

  private static func prefix(of text: String, columns: Int) -> String {
    var room = columns
    return String(
      text.prefix { character in
        room -= width(of: character)
        return room >= 0
      })
  }

  private static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
      .unassigned:
      false
    default: true
    }
  }

  private static func isCombining(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: true
    default: false
    }
  }

  /// The ranges of wide characters, in blocks rather than one by one.
  ///
  /// Source: Unicode Standard Annex #11, *East Asian Width*.
  private static let wideRanges: [ClosedRange<UInt32>] = [
    0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xa960...0xa97c, 0xac00...0xd7a3,
    0xf900...0xfaff, 0xfe30...0xfe6f, 0xff00...0xff60, 0xffe0...0xffe6, 0x1f300...0x1f64f,
    0x1f680...0x1f6ff, 0x1f900...0x1f9ff, 0x20000...0x3fffd,
  ]
}
