import ArgumentParser

/// Refuses a `--limit` that is not 1 to `most`.
func checkLimit(_ limit: Int, atMost most: Int) throws {
  guard 1...most ~= limit else {
    throw ValidationError("--limit is \(limit), not 1 to \(most).")
  }
}

/// The reason that an operator gives for an act.
struct ReasonOption: ParsableArguments {
  @Option(name: .customLong("reason"), help: "The reason, in a few words.")
  var text: String

  func validate() throws {
    guard !text.allSatisfy(\.isWhitespace), text.utf8.count <= 500 else {
      throw ValidationError("--reason is empty or longer than 500 bytes.")
    }
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
