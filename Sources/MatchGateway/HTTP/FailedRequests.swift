import Logging
import Synchronization

/// The lines of the log about requests. A player is told the request's id where it failed, so those
/// are written at `info`, all others at `debug`.
final class FailedRequests: Sendable {
  /// So many failed requests a minute have a line: clients fill no disk while the service is away.
  static let limit = 120
  private static let minute: UInt64 = 60_000_000_000

  private let state = Mutex((began: UInt64(0), count: 0))

  /// - Parameters:
  ///   - uptime: A clock that only goes forward.
  ///   - metadata: What the line says.
  func note(
    _ status: Int, at uptime: UInt64, _ log: Logger, metadata: () -> Logger.Metadata
  ) {
    // 202: the event is sent, and nobody has answered.
    guard status >= 500 || status == 202 else {
      return log.debug("request", metadata: metadata())
    }
    let count = state.withLock { state in
      if state.count == 0 || uptime &- state.began >= FailedRequests.minute {
        state = (uptime, 0)
      }
      state.count += 1
      return state.count
    }
    let message: Logger.Message = status == 202 ? "event unanswered" : "request failed"
    log.log(level: count > FailedRequests.limit ? .debug : .info, message, metadata: metadata())
    guard count == FailedRequests.limit else { return }
    log.notice("many requests fail; for the rest of this minute they are logged at debug")
  }
}
