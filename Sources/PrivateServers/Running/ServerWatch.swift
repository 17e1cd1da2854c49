/// Decides when servers that died are started again: the first time without a pause, then with a
/// growing one, so that a server that dies at each start does not keep the machine busy.
package struct ServerWatch: Hashable, Sendable {
  /// The longest pause between two starts.
  static let longestPause = Duration.seconds(60)
  /// After a start and this time without a death, the next death has no pause.
  static let calm = Duration.seconds(120)

  /// The consequences of a look or of a start.
  package struct Step: Hashable, Sendable {
    /// Lines for the operator.
    package var lines: [String] = []
    /// Whether to start all servers that do not run.
    package var starts = false
  }

  /// The names of the servers that do not run.
  private var ended: [String] = []
  /// The pause before the next start.
  private var pause = Duration.zero
  /// The uptime of the next start; nil while all servers run, and while they are being started.
  private var next: Duration?
  /// The uptime of the last start that succeeded.
  private var startedAt: Duration?
  private var isStarting = false

  package init() {}

  /// A look at the processes. While a start is under way it decides nothing.
  /// - Parameters:
  ///   - found: The names of the servers that do not run.
  ///   - now: The uptime.
  package mutating func looked(ended found: [String], at now: Duration) -> Step {
    guard !isStarting else { return Step() }
    guard !found.isEmpty else {
      // Somebody else has started them.
      defer { (ended, next) = ([], nil) }
      return Step(lines: ended.map(Self.runsAgain))
    }
    if next == nil, let startedAt, now - startedAt >= Self.calm { pause = .zero }
    let starts = next ?? now + pause
    let wait = max(starts - now, .zero)
    var step = Step()
    for name in found where !ended.contains(name) {
      step.lines.append(
        "\(name) has died. It is started again "
          + (wait == .zero ? "…" : "in \(wait.components.seconds) s."))
    }
    (ended, next) = (found, starts)
    guard now >= starts else { return step }
    (isStarting, next, step.starts) = (true, nil, true)
    return step
  }

  /// The end of a start.
  /// - Parameter failure: Why a server does not run; nil where all of them do.
  package mutating func started(failure: String?, at now: Duration) -> Step {
    isStarting = false
    pause = pause == .zero ? .seconds(2) : min(pause * 2, Self.longestPause)
    guard let failure else {
      defer { (ended, startedAt) = ([], now) }
      return Step(lines: ended.map(Self.runsAgain))
    }
    next = now + pause
    return Step(lines: [
      "\(ended.joined(separator: " and ")) cannot be started: \(failure)",
      "The next attempt is in \(pause.components.seconds) s.",
    ])
  }

  private static func runsAgain(_ name: String) -> String {
    "\(name) runs again: nothing is lost."
  }
}
