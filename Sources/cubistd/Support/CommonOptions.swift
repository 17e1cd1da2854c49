import ArgumentParser

/// Refuses a `--limit` that is not 1 to `most`.
func checkLimit(_ limit: Int, atMost most: Int) throws {
  guard 1...most ~= limit else {
    throw ValidationError("--limit is \(limit), not 1 to \(most).")
  }
}

/// Checks the reason that an operator gives for an act.
/// - Throws: `ValidationError` for one that is empty or longer than 500 bytes.
func checkReason(_ reason: String) throws {
  guard !reason.allSatisfy(\.isWhitespace), reason.utf8.count <= 500 else {
    throw ValidationError("--reason is empty or longer than 500 bytes.")
  }
}

/// The options of a command that lists rows, the newest first.
struct ListOptions: ParsableArguments {
  @Option(help: "How many, 1 to 10000.")
  var limit = 100
  @Flag(help: "Print one JSON object.")
  var json = false

  func validate() throws {
    try checkLimit(limit, atMost: 10_000)
  }
}
