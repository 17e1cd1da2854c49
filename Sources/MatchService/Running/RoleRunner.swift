package import Logging
package import MatchInterfaces
import Synchronization

/// What a role has just done. Tests await it instead of looking again and again; in production
/// nobody listens.
package enum RoleSignal: Hashable, Sendable {
  /// It is in another state.
  case became(RoleState)
  /// A step has done so much: events committed and answered, notifications recorded, jobs relayed.
  case did(Int)
}

/// Runs one role on a thread of its own.
package final class RoleRunner: Sendable {
  /// The role's name in logs and metrics: one of few.
  package let name: String
  private let loop: RoleLoop
  private let current: StateBox
  private let turns: Turns

  /// Prepares to run a role.
  ///
  /// `make` connects and puts the role together, on the role's own thread. It connects the store
  /// first and the bus second: each time a bus is opened, all messages that the former one had
  /// prefetched count as delivered once more. It is made anew between two steps whenever
  /// `generation` gives another number. `signal` is told on the role's thread.
  package init(
    name: String, stop: StopSignal, clock: WallClock, randomness: Randomness, log: Logger,
    generation: @escaping @Sendable () -> Int = { 0 },
    signal: @escaping @Sendable (RoleSignal) -> Void = { _ in },
    make: @escaping @Sendable () throws(Interruption) -> any Role
  ) {
    self.name = name
    let current = StateBox()
    let turnedAt = Turns()
    self.current = current
    self.turns = turnedAt
    loop = RoleLoop(
      name: name, make: make, stop: stop, clock: clock, randomness: randomness, log: log,
      generation: generation,
      report: { state in
        current.set(state)
        signal(.became(state))
      },
      turned: { turnedAt.set(clock.uptimeNanoseconds()) }, did: { signal(.did($0)) })
  }

  package var state: RoleState { current.get() }

  /// The uptime at which its loop turned last; nil before it was started. A loop turns at each step
  /// and while it waits to be made anew.
  package var turnedAt: UInt64? { turns.get() }

  /// Begins, once.
  /// - Throws: `ThreadFailure` if the operating system gives no thread.
  package func start() throws(ThreadFailure) {
    let loop = loop
    try WorkThread.start { loop.run() }
  }
}

/// When a loop turned last, written by its thread and read by others.
private final class Turns: Sendable {
  private let at = Atomic<UInt64>(0)

  func set(_ uptime: UInt64) { at.store(uptime, ordering: .relaxed) }
  func get() -> UInt64? {
    let uptime = at.load(ordering: .relaxed)
    return uptime == 0 ? nil : uptime
  }
}

/// The state of a role, written by its thread and read by others.
private final class StateBox: Sendable {
  private let state = Mutex(RoleState.starting)

  func set(_ new: RoleState) { state.withLock { $0 = new } }
  func get() -> RoleState { state.withLock { $0 } }
}
