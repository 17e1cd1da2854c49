package import Logging
package import MatchInterfaces

/// All roles that run in one process: started together, stopped together.
package struct ServiceProcess: Sendable {
  /// How long roles may take to leave once they are asked to.
  package static let leaveTime: Duration = .seconds(20)

  package let runners: [RoleRunner]
  private let stop: StopSignal
  private let clock: WallClock
  private let log: Logger

  /// Puts roles together that share a signal to stop.
  package init(runners: [RoleRunner], stop: StopSignal, clock: WallClock, log: Logger) {
    self.runners = runners
    self.stop = stop
    self.clock = clock
    self.log = log
  }

  /// Starts every role. If one cannot be started, the roles that were started are asked to stop.
  /// - Throws: `ThreadFailure`.
  package func start() throws(ThreadFailure) {
    do throws(ThreadFailure) {
      for runner in runners { try runner.start() }
    } catch {
      stop.ask()
      throw error
    }
  }

  /// Whether the roles were asked to stop.
  package var isEnding: Bool { stop.isAsked }

  /// Whether every role works now.
  package var isWorking: Bool { runners.allSatisfy { $0.state == .working } }

  /// Waits until every role works, for a time at most.
  /// - Returns: the roles that do not work, by name, with their state; none if all is well.
  package func waitUntilWorking(atMost limit: Duration) -> [(name: String, state: RoleState)] {
    wait(atMost: limit) { isWorking || stop.isAsked }
    return runners.filter { $0.state != .working }.map { ($0.name, $0.state) }
  }

  /// Waits until somebody asks to stop, then for the roles to finish the step in hand and leave, 20
  /// s at most.
  /// - Returns: the names of those that have not left by then.
  package func waitUntilStopped() -> [String] {
    while !stop.isAsked { clock.sleep(ServiceProcess.glance) }
    wait(atMost: ServiceProcess.leaveTime) { runners.allSatisfy { $0.state == .stopped } }
    let late = runners.filter { $0.state != .stopped }.map(\.name)
    if !late.isEmpty {
      log.error("roles did not leave in time", metadata: ["roles": "\(late)"])
    }
    return late
  }

  private static let glance: Duration = .milliseconds(50)

  private func wait(atMost limit: Duration, until isDone: () -> Bool) {
    let nanoseconds = UInt64(max(0, limit / .nanoseconds(1)))
    let started = clock.uptimeNanoseconds()
    while !isDone(), clock.uptimeNanoseconds() &- started < nanoseconds {
      clock.sleep(ServiceProcess.glance)
    }
  }
}
