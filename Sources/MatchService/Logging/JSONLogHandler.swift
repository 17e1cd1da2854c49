package import Logging
import MatchCore
package import MatchInterfaces

/// Writes each log record as one JSON object on one line: `label`, `level`, `message`, `time`,
/// `error` if there is one, and the metadata beside them, keys sorted. Metadata of those names gets
/// a `_` in front; nested metadata is flattened with dots. Integers and truth values that are given
/// as `.stringConvertible` become numbers and truth values of JSON.
package struct JSONLogHandler: LogHandler {
  /// Metadata of every record.
  package var metadata: Logger.Metadata = [:]
  /// Gives metadata to every record.
  package var metadataProvider: Logger.MetadataProvider?
  /// The lowest level that is written.
  package var logLevel: Logger.Level
  private let label: String
  private let clock: WallClock
  private let sink: LineSink

  package init(label: String, level: Logger.Level, clock: WallClock, sink: LineSink) {
    self.label = label
    logLevel = level
    self.clock = clock
    self.sink = sink
  }

  /// One value of every record's metadata.
  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  /// Writes a record; the nearer metadata wins.
  package func log(event: LogEvent) {
    var line = JSONLine()
    for metadata in [metadata, metadataProvider?.get() ?? [:], event.metadata ?? [:]] {
      for (key, value) in metadata {
        JSONLogHandler.flatten(value, under: JSONLogHandler.own.contains(key) ? "_\(key)" : key) {
          line[$0] = $1
        }
      }
    }
    line["time"] = .text(clock.now().description)
    line["level"] = .text(event.level.rawValue)
    line["label"] = .text(label)
    line["message"] = .text(event.message.description)
    if let error = event.error { line["error"] = .text("\(error)") }
    // There is nowhere else to say that the log cannot be written.
    try? sink.write(line.bytes)
  }

  private static let own: Set = ["error", "label", "level", "message", "time"]

  private static func flatten(
    _ value: Logger.Metadata.Value, under key: String, _ add: (String, JSONLine.Value) -> Void
  ) {
    switch value {
    case .string(let text): add(key, .text(text))
    case .stringConvertible(let value): add(key, typed(value))
    case .array(let values):
      for (index, value) in values.enumerated() { flatten(value, under: "\(key).\(index)", add) }
    case .dictionary(let metadata):
      for (name, value) in metadata { flatten(value, under: "\(key).\(name)", add) }
    }
  }

  private static func typed(_ value: any CustomStringConvertible) -> JSONLine.Value {
    if let flag = value as? Bool { return .flag(flag) }
    if let number = (value as? any BinaryInteger).flatMap({ Int64(exactly: $0) }) {
      return .number(number)
    }
    return .text(value.description)
  }
}
