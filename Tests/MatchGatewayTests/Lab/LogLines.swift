import InMemoryLogging
import Logging

/// The lines of a log: level, message and the values of its metadata.
struct LogLines: Sendable {
  private let kept = InMemoryLogHandler()

  var all: [String] {
    kept.entries.map { entry in
      let values = entry.metadata.sorted { $0.key < $1.key }.map { "\($0.value)" }
      return (["\(entry.level)", "\(entry.message)"] + values).joined(separator: " ")
    }
  }

  func logger() -> Logger { Logger(label: "lab") { [kept] _ in kept } }
}
