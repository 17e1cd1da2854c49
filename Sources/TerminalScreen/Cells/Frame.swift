/// The bytes that make a terminal show a canvas.
package struct Frame: Hashable, Sendable {
  /// How many colors the terminal is given.
  package var depth: ColorDepth
  /// Whether the terminal shows UTF-8; else everything that is not ASCII becomes a question mark.
  package var isUnicode: Bool

  /// Frames for a terminal.
  package init(depth: ColorDepth, isUnicode: Bool) {
    self.depth = depth
    self.isUnicode = isUnicode
  }

  /// A frame, to be written at once; empty where nothing changes.
  ///
  /// Each row is put in its place and the rest of it cleared, so that the row's earlier content and
  /// the cursor's place do not matter. Terminals that know synchronized output show all of it at
  /// once. Source: <https://gist.github.com/christianparpart/d8a62cc1ab659194337d73e399004036>.
  ///
  /// - Parameter shown: The content of the terminal: rows that it has already are left out. Nil: it
  ///   is not known.
  package func bytes(_ canvas: Canvas, after shown: Canvas? = nil) -> [UInt8] {
    var known = shown
    if shown?.width != canvas.width || shown?.height != canvas.height { known = nil }
    var text = ""
    for row in 0..<canvas.height {
      if let known, canvas.hasRow(row, of: known) { continue }
      // The look is reset first, since clearing fills the rest with the background's color.
      text += "\u{1b}[\(row + 1);1H" + line(row, of: canvas)
    }
    return text.isEmpty ? [] : Array("\u{1b}[?2026h\(text)\u{1b}[?2026l".utf8)
  }

  private func line(_ row: Int, of canvas: Canvas) -> String {
    let line = canvas.line(row, depth)
    // After a full row the cursor stands on the row's last cell, and that would be cleared.
    let last = canvas.width > 0 ? canvas[canvas.width - 1, row] : Canvas.Cell()
    let isFull = last.character != " " || last.extent == .covered || last.look.background != nil
    let end = isFull ? "" : "\u{1b}[K"
    guard !isUnicode else { return line + end }
    return line.map { character in
      let count = max(1, TerminalText.width(of: character))
      return character.isASCII ? String(character) : String(repeating: "?", count: count)
    }.joined() + end
  }
}
