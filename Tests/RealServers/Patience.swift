import Foundation

/// Waiting in tests, where nothing signals what is waited for.
package enum Patience {
  /// Looks again and again until something is so. The limit is one against hanging: a machine that is
  /// busy otherwise may be several times as slow as usual, and stand still for a minute.
  ///
  /// Looking must not take the time of what is waited for. So a wait of some length looks more rarely,
  /// and notices by a twentieth too late.
  ///
  /// - Parameters:
  ///   - found: The present state, to be named when it is not so in time.
  ///   - pause: Waits so many seconds before the next look, or until something may have happened.
  /// - Throws: ``RealServersError`` when it is not so in time.
  package static func wait(
    for what: String, atMost limit: Duration = waitLimit,
    found: @autoclosure () throws -> String = "", pause: (Double) -> Void = Patience.pause,
    _ isSo: () throws -> Bool
  ) throws {
    guard try !comes(within: limit, pause: pause, isSo) else { return }
    throw RealServersError(try overdue(what, limit, found()))
  }

  /// The same; gives whether it was so in time. On a ``QuietMachine`` a long wait ends earlier.
  package static func comes(
    within limit: Duration, pause: (Double) -> Void = Patience.pause, _ isSo: () throws -> Bool
  ) rethrows -> Bool {
    let start = ContinuousClock.now
    var machine = QuietMachine(seconds: quietWaitLimit)
    while try !isSo() {
      let waited = ContinuousClock.now - start
      guard waited < limit else { return false }
      // A limit of its own may be one that the test is about.
      if limit >= waitLimit, waited > .seconds(1), machine.isQuiet() { return false }
      pause(min(max(waited / .seconds(20), 0.01), 0.25))
    }
    return true
  }

  /// The text about something that was not so in time.
  package static func overdue(_ what: String, _ limit: Duration, _ found: String) -> String {
    "still not so after \(limit.components.seconds) s"
      + (limit < waitLimit ? "" : ", or \(quietWaitLimit) s in which the machine had nothing to do")
      + ": \(what)" + (found.isEmpty ? "" : "; found: \(found)")
  }

  /// Whether something stays so for a time, or for that many looks: nothing could signal that it does.
  package static func holds(
    for time: Duration, every interval: Double = 0.1, _ isSo: () throws -> Bool
  ) rethrows -> Bool {
    let end = ContinuousClock.now + time
    repeat {
      guard try isSo() else { return false }
      pause(interval)
    } while ContinuousClock.now < end
    return try isSo()
  }

  /// Lets others go on for a while of any length, up to this one: what follows is to meet them at any
  /// point of their work.
  package static func passAny(upTo seconds: Double, _ random: UInt64) {
    pause(seconds * Double(random % 1_000_000) / 1_000_000)
  }

  /// Lets this thread rest.
  package static func pause(_ seconds: Double) { Thread.sleep(forTimeInterval: seconds) }
}
