import Logging
import MatchInterfaces
import MatchService

extension Logger {
  /// A logger that writes one JSON object a line.
  static func make(level: Logger.Level, clock: WallClock, sink: LineSink) -> Logger {
    Logger(label: "cubistd") { label in
      JSONLogHandler(label: label, level: level, clock: clock, sink: sink)
    }
  }
}
