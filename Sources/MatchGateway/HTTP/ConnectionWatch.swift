import MatchInterfaces
import NIOCore

/// Watches the times of one connection. Confined to its event loop, and shared by its handlers.
final class ConnectionWatch {
  private(set) var times: ConnectionTimes
  private let eventLoop: any EventLoop
  private let clock: WallClock
  private var alarm: (at: UInt64, task: Scheduled<Void>)?
  /// Told when the connection has to close.
  var onExpiry: (ConnectionTimes.Expiry) -> Void = { _ in }

  init(_ limits: ConnectionTimes.Limits, on eventLoop: any EventLoop, clock: WallClock) {
    times = ConnectionTimes(limits, at: clock.uptimeNanoseconds())
    (self.eventLoop, self.clock) = (eventLoop, clock)
  }

  /// Changes the times, and sets the alarm by them.
  func change(_ body: (inout ConnectionTimes, UInt64) -> Void) {
    let now = clock.uptimeNanoseconds()
    body(&times, now)
    set(now)
  }

  /// An alarm that rings too early is set anew then. So a busy connection rarely sets one.
  private func set(_ now: UInt64) {
    guard let deadline = times.deadline else { return }
    if let alarm, alarm.at <= deadline.at { return }
    alarm?.task.cancel()
    let wait = deadline.at > now ? deadline.at - now : 0
    let task = eventLoop.assumeIsolated().scheduleTask(
      in: .nanoseconds(Int64(clamping: wait)), { self.ring() })
    alarm = (deadline.at, task)
  }

  private func ring() {
    alarm = nil
    let now = clock.uptimeNanoseconds()
    guard let deadline = times.deadline else { return }
    if deadline.at <= now { onExpiry(deadline.why) } else { set(now) }
  }

  /// The connection is closed.
  func end() {
    alarm?.task.cancel()
    alarm = nil
    onExpiry = { _ in }
  }
}
