import CPostgreSQL
import CubistBasics
import Glibc

extension PostgreSQLConnection {
  /// Waits for the socket, and calls the hook meanwhile.
  ///
  /// - Returns: Whether the socket is ready; false at the deadline.
  func wait(for events: Int32, until deadline: MonotonicInstant) throws(PostgreSQLError) -> Bool {
    var hasWork = false
    while true {
      var now = MonotonicInstant.now
      hasWork = callHook(isDue: hasWork, &now)
      guard socket >= 0 else { throw PostgreSQLError(.connectionLost, lastMessage) }
      var until = hasWork ? now : deadline
      if let waitHook, let lastHook { until = min(until, lastHook.advanced(by: waitHook.interval)) }
      var descriptor = pollfd(fd: socket, events: Int16(events), revents: 0)
      let ready = poll(&descriptor, 1, until.milliseconds(since: now))
      if ready > 0 { return true }
      if ready < 0, errno != EINTR {
        throw PostgreSQLError(.connectionLost, "waiting failed with errno \(errno)")
      }
      if ready == 0, now >= deadline { return false }
    }
  }

  /// Calls the hook if it is due, at the latest after its interval; gives whether it has more to do.
  private func callHook(isDue: Bool, _ now: inout MonotonicInstant) -> Bool {
    guard let waitHook else { return false }
    if !isDue, let lastHook, now < lastHook.advanced(by: waitHook.interval) { return false }
    let hasMore = waitHook.body()
    now = .now
    lastHook = now
    return hasMore
  }

  /// The next result of the sent statements; `nil` ends the results of one statement.
  ///
  /// - Throws: ``PostgreSQLError/Code/timedOut`` if the server stays silent too long; the
  ///   connection cannot be used any more then.
  func nextResult() throws(PostgreSQLError) -> OpaquePointer? {
    let limit = settings.responseTimeout
    let deadline = MonotonicInstant.now.advanced(by: limit)
    while PQisBusy(handle) == 1, socket >= 0 {
      // Sending and receiving take turns: if the buffers of both sides are full, neither could go
      // on.
      let pending = PQflush(handle)
      let events = pending > 0 ? POLLIN | POLLOUT : POLLIN
      guard try wait(for: events, until: deadline) else {
        throw PostgreSQLError(.timedOut, "no answer within \(limit.wholeMilliseconds) ms")
      }
      // After a failure PQgetResult has the server's last message.
      if PQconsumeInput(handle) == 0 { break }
    }
    return PQgetResult(handle)
  }

  /// The error for a connection that ended, with the server's last message, if any.
  func lostError(_ cause: PostgreSQLError? = nil) -> PostgreSQLError {
    var error = cause ?? PostgreSQLError(.connectionLost, lastMessage)
    error.code = .connectionLost
    return error
  }
}
