import Logging
import MatchInterfaces
import MatchService

extension Logger {
  /// A logger that writes one JSON object a line. Each has the machine, the process and the release.
  /// Lines that belong to no role have the role `process`.
  static func make(level: Logger.Level, clock: WallClock, sink: LineSink) -> Logger {
    var log = Logger(label: "cubistd") { label in
      JSONLogHandler(label: label, level: level, clock: clock, sink: sink)
    }
    log[metadataKey: "host"] = "\(ThisProcess.host)"
    log[metadataKey: "process"] = .stringConvertible(ThisProcess.number)
    log[metadataKey: "release"] = "\(Release.mark)"
    return log.of("process")
  }

  /// The first line of a process that runs roles.
  func begin(_ settings: ServiceSettings) {
    info("process begins", metadata: ["settings": .dictionary(settings.metadata)])
  }
}
