import Dispatch
import MatchService
import MatchSimulation
import Synchronization

/// Runs seeds on several threads, and hands out the reports in the order of the seeds.
final class SeedRunner: Sendable {
  private struct State {
    var taken = 0
    var handedOut = 0
    var reports: [Int: SimulationReport] = [:]
  }

  /// How many reports may wait to be handed out.
  private static let waitingLimit = 256

  private let first: UInt64
  private let count: Int
  private let options: Simulation.Options
  private let stop: StopSignal
  private let state = Mutex(State())
  private let arrived = DispatchSemaphore(value: 0)
  // A semaphore must not end lower than it began, so this one begins with 0.
  private let room = DispatchSemaphore(value: 0)

  /// Begins with seed `first`; `stop` ends it before its time.
  init(first: UInt64, count: Int, options: Simulation.Options, stop: StopSignal) {
    self.first = first
    self.count = count
    self.options = options
    self.stop = stop
  }

  func start(threads: Int) throws(ThreadFailure) {
    for _ in 0..<SeedRunner.waitingLimit { room.signal() }
    for _ in 0..<min(threads, count) { try WorkThread.start { self.work() } }
  }

  /// The report of the next seed; nil after the last, or when it was asked to stop.
  func next() -> SimulationReport? {
    while !stop.isAsked {
      let (report, isLast) = state.withLock { state in
        guard state.handedOut < count else { return (SimulationReport?.none, true) }
        let report = state.reports.removeValue(forKey: state.handedOut)
        if report != nil { state.handedOut += 1 }
        return (report, false)
      }
      if isLast { return nil }
      if let report {
        room.signal()
        return report
      }
      // It looks now and then whether it was asked to stop.
      _ = arrived.wait(timeout: .now() + .milliseconds(100))
    }
    return nil
  }

  private func work() {
    while !stop.isAsked {
      guard room.wait(timeout: .now() + .milliseconds(100)) == .success else { continue }
      let index = state.withLock { state in
        state.taken += 1
        return state.taken - 1
      }
      guard index < count else { return }
      let report = Simulation.run(seed: first &+ UInt64(index), options)
      state.withLock { $0.reports[index] = report }
      arrived.signal()
    }
  }
}
