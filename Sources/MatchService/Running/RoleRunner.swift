package import Logging
package import MatchInterfaces
import Synchronization

/// Runs one role on a thread of its own.
package final class RoleRunner: Sendable {
  /// The role's name in logs and metrics: one of few.
  package let name: String
  private let loop: RoleLoop
  private let current: StateBox

  /// Prepares to run a role.
  ///
  /// `make` connects and puts the role together, on the role's own thread. It connects the store
  /// first and the bus second: each time a bus is opened, all messages that the former one had
  /// prefetched count as delivered once more. It is made anew between two steps whenever
  /// `generation` gives another number.
  package init(
    name: String, stop: StopSignal, clock: WallClock, randomness: Randomness, log: Logger,
    generation: @escaping @Sendable () -> Int = { 0 },
    make: @escaping @Sendable () throws(Interruption) -> any Role
  ) {
    self.name = name
    let current = StateBox()
    self.current = current
    loop = RoleLoop(
      name: name, make: make, stop: stop, clock: clock, randomness: randomness, log: log,
      generation: generation, report: { current.set($0) })
  }

  package var state: RoleState { current.get() }

  /// Begins, once.
  /// - Throws: `ThreadFailure` if the operating system gives no thread.
  package func start() throws(ThreadFailure) {
    let loop = loop
    try WorkThread.start { loop.run() }
  }
}

/// The state of a role, written by its thread and read by others.
private final class StateBox: Sendable {
  private let state = Mutex(RoleState.starting)

  func set(_ new: RoleState) { state.withLock { $0 = new } }
  func get() -> RoleState { state.withLock { $0 } }
}
