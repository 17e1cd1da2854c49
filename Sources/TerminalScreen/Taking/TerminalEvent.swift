internal import CTerminal

/// An event at a terminal.
package enum TerminalEvent: Hashable, Sendable {
  /// A key or the mouse.
  case key(Key)
  /// The terminal has this size now.
  case resized(TerminalSize)
  /// The process goes on after a stop: all has to be drawn again.
  case continued
}

/// How large a terminal is.
package struct TerminalSize: Hashable, Sendable {
  package var columns: Int
  package var rows: Int

  /// The size of a terminal that does not tell its own.
  package static let standard = TerminalSize(columns: 80, rows: 24)

  package init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }

  /// The size that the terminal of an open file tells; nil: it tells none.
  package init?(of file: Int32) {
    var (columns, rows): (Int32, Int32) = (0, 0)
    cterminal_size(file, &columns, &rows)
    guard columns > 0, rows > 0 else { return nil }
    self.init(columns: Int(columns), rows: Int(rows))
  }
}

/// Why a terminal cannot be taken over: an error of the system.
package struct TerminalFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The system's number of it.
  package var code: Int32

  /// A sentence for a person.
  package var description: String { "The terminal cannot be used (error \(code))." }
}
