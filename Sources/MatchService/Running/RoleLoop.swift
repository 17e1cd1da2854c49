import CubistBasics
import Logging
import MatchInterfaces
import Metrics
import ServiceMetrics
import Synchronization

/// Runs a role until it is asked to stop: makes it, steps it, and makes it anew after it was
/// interrupted.
struct RoleLoop: Sendable {
  /// A role that ran this long was well. Its next failure counts as a first one.
  static let wellAfterNanoseconds: UInt64 = 10_000_000_000
  /// A wait is cut into pieces of this length, so that a stop is noticed.
  static let waitPiece: Duration = .milliseconds(100)

  let name: String
  let make: @Sendable () throws(Interruption) -> any Role
  let stop: StopSignal
  let clock: WallClock
  let randomness: Randomness
  let log: Logger
  /// How many times the inputs of the role have changed. When the count changes, the role is made
  /// anew.
  var generation: @Sendable () -> Int = { 0 }
  /// Told whenever the role begins to work, and whenever it stops working.
  let report: @Sendable (RoleState) -> Void
  /// Told at each turn of the loop, waits included.
  var turned: @Sendable () -> Void = {}

  func run() {
    var failures = 0
    while !stop.isAsked {
      turned()
      let started = clock.uptimeNanoseconds()
      do throws(Interruption) {
        try runOnce(after: failures)
        failures = 0
      } catch {
        let ran = clock.uptimeNanoseconds() &- started
        failures = ran >= RoleLoop.wellAfterNanoseconds ? 1 : failures + 1
        recover(from: error, failures: failures)
      }
    }
    report(.stopped)
  }

  /// Makes the role and runs it to its end, or until its inputs have changed.
  private func runOnce(after failures: Int) throws(Interruption) {
    let generation = generation()
    let role = try make()
    // However the role ends, it gives back its work and closes its connections before new ones are
    // opened.
    defer { role.leave() }
    var isNew = true
    var trouble: Interruption?
    while !stop.isAsked {
      guard generation == self.generation() else {
        return log.info("role is made anew, with other keys", metadata: ["role": "\(name)"])
      }
      turned()
      try role.step()
      if role.trouble != trouble {
        trouble = role.trouble
        report(trouble.map { .interrupted($0) } ?? .working)
      }
      guard isNew, trouble == nil else { continue }
      isNew = false
      report(.working)
      log.info("role works", metadata: ["role": "\(name)", "failures": "\(failures)"])
    }
    log.info("role leaves", metadata: ["role": "\(name)"])
  }

  private func recover(from interruption: Interruption, failures: Int) {
    // Rare: nothing is gained by keeping it.
    Counter(.interruptions, [("role", name), ("side", interruption.side)]).increment()
    report(.interrupted(interruption))
    var delay = Backoff.roles.milliseconds(after: failures, random: randomness.next())
    var level = Logger.Level.warning
    switch interruption {
    case .store(.unusable), .keys:
      // Neither a schema nor a key heals by itself, but somebody may just be setting it up.
      delay = Backoff.roles.limit
      level = .error
    default: break
    }
    log.log(
      level: level, "role interrupted",
      metadata: [
        "role": "\(name)", "reason": "\(interruption)", "failures": "\(failures)",
        "retryIn": "\(delay)",
      ])
    var rest = delay
    while rest > .zero, !stop.isAsked {
      turned()
      clock.sleep(min(rest, RoleLoop.waitPiece))
      rest -= RoleLoop.waitPiece
    }
  }
}

package enum RoleState: Hashable, Sendable {
  /// It has not done a step yet.
  case starting
  /// Its last step went well.
  case working
  /// It was interrupted and is made anew.
  case interrupted(Interruption)
  /// It has left.
  case stopped
}
