import Metrics
import ServiceMetrics
import Synchronization
import SystemCalls

/// The round trips of statements that are under way in this process. Each is measured; one that
/// takes long is found while it lasts, so that somebody can ask the server what it waits for.
package final class StatementWatch: Sendable {
  /// From so many nanoseconds on a statement counts as slow: a second.
  package static let slowNanoseconds: UInt64 = 1_000_000_000

  /// The one of the process, as there is one home of its metrics.
  package static let process = StatementWatch()

  /// A round trip that is under way.
  struct Running: Sendable {
    /// Its statements, in their order.
    var statements: [SQL]
    var startedAt: UInt64
    /// The server's process.
    var session: Int32
    /// The statement that the server was seen to be busy with.
    var seen: String?
    var isLookedAt = false
  }

  private struct State {
    var last: UInt64 = 0
    var running: [UInt64: Running] = [:]
    /// The statements of slow ones that have ended since the last look, a few.
    var ended: [String] = []
  }

  private let state = Mutex(State())
  private let slow: UInt64
  private let times = MeterFamily<String, Timer> { Timer(.statementSeconds, [("statement", $0)]) }
  private let slowCounts = MeterFamily<String, Counter> {
    Counter(.slowStatements, [("statement", $0)])
  }

  init(slowNanoseconds: UInt64 = StatementWatch.slowNanoseconds) { slow = slowNanoseconds }

  /// A round trip begins.
  /// - Returns: its number.
  func begin(_ statements: [SQL], session: Int32) -> UInt64 {
    let running = Running(
      statements: statements, startedAt: MonotonicClock.now, session: session)
    return state.withLock { state in
      state.last &+= 1
      state.running[state.last] = running
      return state.last
    }
  }

  /// A round trip has ended, well or not.
  func end(_ number: UInt64) {
    let now = MonotonicClock.now
    let (name, nanoseconds) = state.withLock { state -> (String, UInt64) in
      guard let running = state.running.removeValue(forKey: number) else { return ("", 0) }
      let name = running.seen ?? running.statements.first?.name ?? "transaction"
      let nanoseconds = now &- running.startedAt
      if nanoseconds >= slow, state.ended.count < 1_000 { state.ended.append(name) }
      return (name, nanoseconds)
    }
    guard !name.isEmpty else { return }
    times[name].recordNanoseconds(Int64(clamping: nanoseconds))
    if nanoseconds >= slow { slowCounts[name].increment() }
  }

  /// The round trips that are slow by now and were not given before, the longest first.
  func takeSlow(at now: UInt64) -> [(number: UInt64, running: Running)] {
    state.withLock { state in
      let found = state.running.filter { !$0.value.isLookedAt && now &- $0.value.startedAt >= slow }
      for number in found.keys { state.running[number]?.isLookedAt = true }
      return found.sorted { $0.value.startedAt < $1.value.startedAt }
        .map { (number: $0.key, running: $0.value) }
    }
  }

  /// The server was seen to be busy with this statement of a round trip.
  func saw(_ statement: String, in number: UInt64) {
    state.withLock { $0.running[number]?.seen = statement }
  }

  /// The statements of the slow round trips that have ended since the last call.
  func takeEnded() -> [String] {
    state.withLock { state in
      defer { state.ended = [] }
      return state.ended
    }
  }
}

extension StatementWatch.Running {
  /// The name of the statement that a text of `pg_stat_activity` begins, which is cut short.
  func name(of query: String) -> String? {
    if let found = statements.first(where: { $0.text.hasPrefix(query) }) { return found.name }
    if query.hasPrefix("COMMIT") { return "commit" }
    return query.hasPrefix("BEGIN") ? "begin" : nil
  }
}
