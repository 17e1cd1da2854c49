import MatchInterfaces
import MatchService
import PrivateServers
import Synchronization

/// Starts servers of `cubistd up` again when they have died. A start may take a minute, so it has a
/// thread of its own.
final class ServerRestarts: Sendable {
  private struct State {
    var watch = ServerWatch()
    var isStarting = false
  }

  private let servers: OwnServers.Running
  private let clock: WallClock
  private let tell: @Sendable (String) -> Void
  private let state = Mutex(State())

  /// - Parameter tell: Gets each line for the operator.
  init(
    of servers: OwnServers.Running, clock: WallClock = .live,
    tell: @escaping @Sendable (String) -> Void
  ) {
    (self.servers, self.clock, self.tell) = (servers, clock, tell)
  }

  /// Looks at the servers' processes once, and begins a start if one is due.
  func look() {
    let ended = servers.ended()
    let step = state.withLock { state in
      let step = state.watch.looked(ended: ended, at: uptime)
      if step.starts { state.isStarting = true }
      return step
    }
    for line in step.lines { tell(line) }
    guard step.starts else { return }
    do throws(ThreadFailure) { try WorkThread.start { self.start() } } catch {
      finish(failure: "\(error)")
    }
  }

  /// Waits for the end of a start that is under way.
  func wait() {
    while state.withLock({ $0.isStarting }) { clock.sleep(.milliseconds(20)) }
  }

  private func start() {
    do throws(OperatorFailure) {
      try servers.startAgain()
      finish(failure: nil)
    } catch { finish(failure: "\(error)") }
  }

  private func finish(failure: String?) {
    let step = state.withLock { $0.watch.started(failure: failure, at: uptime) }
    for line in step.lines { tell(line) }
    // Last: whoever waits for the end has all lines then.
    state.withLock { $0.isStarting = false }
  }

  private var uptime: Duration { .nanoseconds(Int64(clamping: clock.uptimeNanoseconds())) }
}
