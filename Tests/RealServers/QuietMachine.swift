import Foundation

/// Tells a test that hangs from one that is slow: nothing works for a test that waits while no processor
/// has much to do. On a machine that computes, for this test or for another, it may only be slow.
package struct QuietMachine {
  /// What the processors have done so far, in clock ticks of all of them together.
  package struct Times: Hashable, Sendable {
    package var total: Int
    /// Those in which a processor, or a disk, worked.
    package var busy: Int

    package init(total: Int, busy: Int) { (self.total, self.busy) = (total, busy) }
  }

  private let limit: Int
  private let processors: Int
  private var looks: [Times] = []

  /// - Parameter seconds: The time after which quiet means a hang.
  package init(
    seconds: Int, processors: Int = ProcessInfo.processInfo.processorCount,
    ticksPerSecond: Int = sysconf(Int32(_SC_CLK_TCK))
  ) {
    limit = seconds * processors * ticksPerSecond
    self.processors = processors
  }

  /// Looks at the machine: whether less than half a processor has computed on average for so long. Time in
  /// which the whole machine stood still does not count.
  package mutating func isQuiet(_ now: Times? = .ofMachine()) -> Bool {
    guard let now else { return false }
    looks.append(now)
    guard let first = looks.lastIndex(where: { now.total - $0.total >= limit }) else {
      return false
    }
    looks.removeFirst(first)
    return (now.busy - looks[0].busy) * 2 * processors < now.total - looks[0].total
  }
}

extension QuietMachine.Times {
  /// Those since it started; nil where the system does not say.
  package static func ofMachine() -> Self? {
    guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8) else { return nil }
    return Self(stat: text)
  }

  /// Reads what the first line of `/proc/stat` says: user, nice, system, idle, and others that are work.
  package init?(stat text: String) {
    let words = text.prefix { $0 != "\n" }.split(separator: " ")
    let ticks = words.dropFirst().prefix(8).compactMap { Int($0) }
    guard words.first == "cpu", ticks.count == 8 else { return nil }
    let total = ticks.reduce(0, +)
    self.init(total: total, busy: total - ticks[3])
  }
}
