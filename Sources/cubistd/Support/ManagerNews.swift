import Glibc
import Logging
import MatchGateway
import MatchInterfaces
import MatchService
import Synchronization
import SystemCalls

/// The news of a process for its service manager: ready once every role works, and alive as long as
/// no role hangs.
struct ManagerNews: Sendable {
  /// How often the manager hears that the process lives: half of the time that it waits for that.
  let interval: Duration
  /// Whether the manager watches.
  let isWatched: Bool
  private var isReady = false
  private var isStopping = false
  private var status = ""
  private var lastSign: UInt64?

  /// How much longer a start may take after each sign of life, in microseconds.
  static let startMicroseconds = 120_000_000

  /// - Parameter watchdog: the time within which the manager wants a sign of life; nil: it wants none.
  init(watchdog: Duration?) {
    interval = (watchdog ?? .seconds(30)) / 2
    isWatched = watchdog != nil
  }

  /// The assignments that a report calls for; mostly none.
  mutating func next(_ report: HealthReport) -> [String] {
    var news: [String] = []
    if report.isEnding, !isStopping {
      isStopping = true
      news.append("STOPPING=1")
    }
    if report.isReady, !isReady {
      isReady = true
      news.append("READY=1")
    }
    let summary = String(report.summary.prefix(ManagerNews.statusLimit))
    if summary != status {
      status = summary
      news.append("STATUS=\(summary)")
    }
    guard report.isLive, isDue(at: report.uptime) else { return news }
    lastSign = report.uptime
    if isWatched { news.append("WATCHDOG=1") }
    if !isReady, !isStopping { news.append("EXTEND_TIMEOUT_USEC=\(ManagerNews.startMicroseconds)") }
    return news
  }

  private static let statusLimit = 300

  private func isDue(at uptime: UInt64) -> Bool {
    guard let lastSign else { return true }
    return uptime >= lastSign && uptime - lastSign >= UInt64(max(0, interval / .nanoseconds(1)))
  }
}

/// Tells a service manager how a process is.
final class ManagerReporter: Sendable {
  private struct State {
    var news: ManagerNews
    /// Whether the manager took what was sent last.
    var isHeard = true
  }

  private let socket: NotifySocket
  private let state: Mutex<State>
  private let clock: WallClock
  private let log: Logger

  private static let glance: Duration = .milliseconds(200)

  /// Reads the variables that systemd sets; nil where no manager wants to hear anything.
  init?(
    environment: [String: String], process: Int32 = getpid(), clock: WallClock, log: Logger
  ) {
    guard let socket = environment["NOTIFY_SOCKET"].flatMap({ NotifySocket($0) }) else {
      return nil
    }
    self.socket = socket
    let watchdog = ManagerReporter.watchdog(in: environment, of: process)
    state = Mutex(State(news: ManagerNews(watchdog: watchdog)))
    self.clock = clock
    self.log = log
  }

  /// The time within which the manager wants a sign of life of this process.
  static func watchdog(in environment: [String: String], of process: Int32) -> Duration? {
    guard let text = environment["WATCHDOG_USEC"], let microseconds = Int64(text),
      1...Int64(UInt32.max) ~= microseconds
    else { return nil }
    let isOurs = environment["WATCHDOG_PID"].map { $0 == "\(process)" } ?? true
    return isOurs ? .microseconds(microseconds) : nil
  }

  /// Tells it again and again, on a thread of its own, until `end` is asked for.
  func start(
    until end: StopSignal, report: @escaping @Sendable () -> HealthReport
  ) throws(ThreadFailure) {
    try WorkThread.start { [self] in
      while !end.isAsked {
        tell(report())
        clock.sleep(ManagerReporter.glance)
      }
    }
  }

  /// Sends the news of a report, if there are any, and logs the first of several failures.
  func tell(_ report: HealthReport) {
    state.withLock { state in
      let news = state.news.next(report)
      guard !news.isEmpty else { return }
      do throws(SystemError) {
        try socket.send(news)
        state.isHeard = true
      } catch {
        if state.isHeard {
          log.warning("the service manager does not hear us", metadata: ["reason": "\(error)"])
        }
        state.isHeard = false
      }
    }
  }
}
