import Logging
import Synchronization

/// The lines of a log: level, message and the values of its metadata.
final class LogLines: Sendable {
  private let kept = Mutex<[String]>([])

  var all: [String] { kept.withLock { $0 } }

  func logger(_ level: Logger.Level = .info) -> Logger {
    var logger = Logger(label: "lab") { _ in Handler(lines: self) }
    logger.logLevel = level
    return logger
  }

  private struct Handler: LogHandler {
    let lines: LogLines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let values = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.value)" }
      let line = ["\(event.level)", "\(event.message)"] + values
      lines.kept.withLock { $0.append(line.joined(separator: " ")) }
    }
  }
}
