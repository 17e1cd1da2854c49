/// Counts instructions of a ``WorkerAlone`` under valgrind's callgrind.
public enum Callgrind {
  /// What is counted: the worker's work on turns, and not the players around it, nor how their
  /// matches began.
  public static let counted = "*workersTurns*"

  /// Hash tables are laid out by chance otherwise, and searched longer or shorter.
  public static let environment = ["SWIFT_DETERMINISTIC_HASHING": "1"]

  /// Runs a program and writes what it did to a file.
  public static func command(_ valgrind: String, _ program: [String], to file: String) -> [String] {
    [
      valgrind, "--quiet", "--tool=callgrind", "--callgrind-out-file=\(file)",
      "--toggle-collect=\(counted)",
    ] + program
  }

  /// The instructions that such a file tells of; nil where it tells of none.
  public static func instructions(in text: String) -> Double? {
    text.split(separator: "\n").first { $0.hasPrefix("totals: ") }
      .flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Double($0) }
  }
}
