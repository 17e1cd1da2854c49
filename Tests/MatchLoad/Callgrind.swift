/// Counts instructions of a ``WorkerAlone`` under valgrind's callgrind.
package enum Callgrind {
  /// The counted function: the worker's work on turns, without the players around it and without
  /// the beginning of their matches.
  package static let counted = "*workersTurns*"

  /// Otherwise hash tables are laid out at random, and the cost of look-ups varies.
  package static let environment = ["SWIFT_DETERMINISTIC_HASHING": "1"]

  /// The command that runs a program and writes its profile to a file.
  /// - Parameter function: What is counted; nil: everything.
  package static func command(
    _ valgrind: String, _ program: [String], counting function: String? = counted, to file: String
  ) -> [String] {
    [valgrind, "--quiet", "--tool=callgrind", "--callgrind-out-file=\(file)"]
      + (function.map { ["--toggle-collect=\($0)"] } ?? []) + program
  }

  /// The number of instructions in such a file; nil where it has none.
  package static func instructions(in text: String) -> Double? {
    text.split(separator: "\n").first { $0.hasPrefix("totals: ") }
      .flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Double($0) }
  }
}
