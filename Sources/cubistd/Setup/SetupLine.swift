/// A line of setup's report.
enum SetupLine: Hashable, Sendable, CustomStringConvertible {
  /// Something is otherwise than before.
  case change(String)
  /// Something to know, or to do by hand.
  case note(String)

  var description: String {
    switch self {
    case .change(let text): "changed: \(text)"
    case .note(let text): text
    }
  }

  /// Prints the lines of setup, and at the end whether nothing was changed.
  static func printing(
    _ setup: ((SetupLine) -> Void) throws(OperatorFailure) -> Void
  ) throws(OperatorFailure) {
    var isUnchanged = true
    try setup { line in
      if case .change = line { isUnchanged = false }
      Output.out("\(line)")
    }
    if isUnchanged { Output.out("nothing to change") }
  }
}
