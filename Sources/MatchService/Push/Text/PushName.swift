/// A player's name as a notification shows it: nothing in it changes the text around it.
struct PushName: Hashable {
  /// The name, perhaps shortened.
  let text: String

  /// The longest name in characters and in scalars.
  static let limit = 64
  private static let scalarLimit = 256
  /// The most scalars of one character: stacked marks cover the lines around.
  private static let stackLimit = 8

  /// Cleans a name. Nil if nothing of it can be seen.
  ///
  /// Control characters, line breaks and characters that turn the direction of writing or cannot be
  /// seen are left out. A name with letters that are written from right to left stands between
  /// isolates, so that it does not turn the sentence. Source: UAX #9, section 2.4.2.
  init?(_ name: String) {
    var kept = ""
    for character in String(name.unicodeScalars.prefix(PushName.scalarLimit).filter(isShown)) {
      guard kept.count < PushName.limit else {
        kept += "…"
        break
      }
      // A mark without a letter would stand on the character before the name.
      if kept.isEmpty, character == " " || character.unicodeScalars.first.map(isMark) ?? true {
        continue
      }
      kept.unicodeScalars.append(contentsOf: character.unicodeScalars.prefix(PushName.stackLimit))
    }
    while kept.last == " " { kept.removeLast() }
    guard !kept.isEmpty else { return nil }
    text = kept.unicodeScalars.contains(where: isRightToLeft) ? "\u{2068}\(kept)\u{2069}" : kept
  }
}

private func isMark(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.properties.generalCategory {
  case .nonspacingMark, .spacingMark, .enclosingMark: true
  default: scalar == "\u{fe0f}"
  }
}

private func isShown(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.properties.generalCategory {
  case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
    .paragraphSeparator:
    false
  case .spaceSeparator: scalar == " "
  default:
    scalar == "\u{fe0f}"
      || !scalar.properties.isDefaultIgnorableCodePoint && scalar != "\u{2800}"
  }
}

/// Whether a scalar may be written from right to left. The ranges are those of the classes R and AL
/// in the Unicode Character Database.
private func isRightToLeft(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0x590...0x8ff, 0xfb1d...0xfdff, 0xfe70...0xfeff, 0x10800...0x10fff, 0x1e800...0x1efff: true
  default: false
  }
}
