import MatchCore
import MatchInterfaces

/// Checks that no queue counts more time than has passed, but for two seconds at each jump of the
/// store's clock. A queue that counts too much takes time to play from everybody in it.
struct ClockCheck {
  /// The time that a jump may take, µs: a second that is no jump yet, and one without credit.
  static let mostMicroseconds: Int64 = 2_000_000

  private var found: [Int: String] = [:]

  /// Looks at the clocks of queues at the moment of a commit.
  mutating func committed(_ write: BatchWrite, _ world: World) {
    let passed = world.clock.now.microseconds(since: world.beginning)
    let jumps = Int64(world.faults.counts[.clockJump] ?? 0)
    for (queue, change) in write.clocks where found[queue] == nil {
      guard let time = change.after.time else { continue }
      let counted =
        time.microseconds(since: world.beginning) - change.after.creditMicroseconds
      if counted > passed + ClockCheck.mostMicroseconds * (jumps + 1) {
        found[queue] =
          "queue \(queue) has counted \(counted) µs while \(passed) passed, with \(jumps) jumps"
      }
    }
  }

  var violations: [String] { found.sorted { $0.key < $1.key }.map(\.value) }
}
