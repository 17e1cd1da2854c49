import CubistBasics
import Logging
import MatchInterfaces
import Metrics
import ServiceMetrics
import Synchronization

/// Runs a role until it is asked to stop: makes it, steps it, and makes it anew after it was
/// interrupted. Its log has one line when the role is first interrupted, one when that lasts, and
/// one when the role has been well again for ten seconds.
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
  /// Told whenever a step has done something.
  var did: @Sendable (Int) -> Void = { _ in }

  private static let messages = Incident.Messages(
    began: "role interrupted", lasts: "role is still interrupted", ended: "role works again")

  func run() {
    var failures = 0
    var outage = Incident(
      RoleLoop.messages, calm: .nanoseconds(Int64(RoleLoop.wellAfterNanoseconds)))
    while !stop.isAsked {
      turned()
      let started = clock.uptimeNanoseconds()
      do throws(Interruption) {
        try runOnce(&outage)
        failures = 0
      } catch {
        let ran = clock.uptimeNanoseconds() &- started
        failures = ran >= RoleLoop.wellAfterNanoseconds ? 1 : failures + 1
        recover(from: error, failures: failures, &outage)
      }
    }
    report(.stopped)
  }

  /// Makes the role and runs it to its end, or until its inputs have changed.
  private func runOnce(_ outage: inout Incident) throws(Interruption) {
    let generation = generation()
    let role = try make()
    // However the role ends, it gives back its work and closes its connections before new ones are
    // opened.
    defer { role.leave() }
    var isNew = true
    var trouble: Interruption?
    while !stop.isAsked {
      guard generation == self.generation() else {
        return log.info("role is made anew, with other keys")
      }
      turned()
      let count = try role.step()
      if count > 0 { did(count) }
      if role.trouble != trouble {
        trouble = role.trouble
        report(trouble.map { .interrupted($0) } ?? .working)
      }
      guard trouble == nil else { continue }
      if outage.isOpen { log.write(outage.wentWell(at: clock.uptimeNanoseconds())) }
      guard isNew else { continue }
      isNew = false
      report(.working)
      // After an interruption another line says how it ended.
      if !outage.isOpen { log.info("role works") }
    }
    log.info("role leaves")
  }

  private func recover(
    from interruption: Interruption, failures: Int, _ outage: inout Incident
  ) {
    // Rare: nothing is gained by keeping it.
    Counter(.interruptions, [("role", name), ("side", interruption.side)]).increment()
    report(.interrupted(interruption))
    var delay = Backoff.roles.milliseconds(after: failures, random: randomness.next())
    var isSevere = false
    switch interruption {
    case .store(.unusable), .keys:
      // Neither a schema nor a key heals by itself, but somebody may just be setting it up.
      delay = Backoff.roles.limit
      isSevere = true
    default: break
    }
    log.write(
      outage.failed(at: clock.uptimeNanoseconds(), isSevere: isSevere),
      metadata: ["reason": "\(interruption)", "side": "\(interruption.side)"])
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
