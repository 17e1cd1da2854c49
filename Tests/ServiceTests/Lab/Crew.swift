import Chaos
import Foundation
import MatchCore
import MatchService
import RealServers
import TestedService
import Testing

/// Workers in processes of their own.
struct Crew {
  private let processes: RoleProcesses
  private var workers: [WorkerProcess] = []
  private var gone: [WorkerProcess] = []

  init(_ processes: RoleProcesses) { self.processes = processes }

  mutating func add(_ count: Int) throws {
    for _ in 0..<count { workers.append(try WorkerProcess(in: processes)) }
  }

  mutating func kill(_ index: Int) {
    let worker = workers.remove(at: index)
    worker.kill()
    gone.append(worker)
  }

  /// Starts one beside the others that is killed after a time.
  func crash(after seconds: Double) throws -> WorkerProcess {
    let worker = try WorkerProcess(in: processes)
    // Nothing is awaited: it dies in the middle of anything.
    Patience.pause(seconds)
    worker.kill()
    return worker
  }

  /// Asks one to leave; gives its exit code.
  mutating func terminate(_ index: Int) -> Int32 {
    let worker = workers.remove(at: index)
    gone.append(worker)
    return worker.terminate()
  }

  /// Waits until the workers share all queues like this, no queue twice.
  func waitForShares(_ shares: [Int], atMost limit: Duration = waitLimit) throws {
    try waitUntil("the queues are shared \(shares)", atMost: limit) {
      let queues = workers.map(\.queues)
      return queues.map(\.count).sorted() == shares
        && Set(queues.joined()).count == shares.reduce(0, +)
    }
  }

  /// The end of every worker's log.
  var logs: String {
    (gone + workers).map { "\($0.log.suffix(1_500))" }.joined(separator: "\n---\n")
  }
}

extension Crew {
  /// Keeps two workers and ten pairs of players busy while something disturbs them. At the end it
  /// compares the players' knowledge with the store.
  ///
  /// - Parameter eachPushOnce: Whether no push job may come twice. That needs a database that is
  ///   always there.
  static func underLoad(
    eachPushOnce: Bool,
    _ disturb:
      @Sendable (_ crew: inout Crew, _ load: Load, _ lab: ServiceLab, _ seed: UInt64) throws -> Void
  ) async throws {
    let seed = UInt64.random(in: .min ... .max)
    var options = ServiceLab.Options(queueCount: 16, workers: 0)
    options.roles = [.reader, .relay, .push, .scheduler]
    options.lexicons = .standard
    try await ServiceLab.run(options) { lab in
      let processes = try RoleProcesses(of: lab)
      defer { processes.end() }
      var crew = Crew(processes)
      try crew.add(2)
      try crew.waitForShares([8, 8])
      let load = Load()
      async let played: Void = load.run(pairs: 10, in: lab, seed: seed)
      do {
        defer { load.stop.ask() }
        try load.awaitTurns(20)
        try disturb(&crew, load, lab, seed)
      } catch {
        throw LabFailure("seed \(seed): \(error)\n\(crew.logs)")
      }
      try await played
      try load.log.settle(in: lab)
      try load.log.verify(in: lab, seed: seed, eachPushOnce: eachPushOnce)
      #expect(load.log.all.allSatisfy { $0.isConfirmed }, "seed \(seed)")
      #expect(try lab.deadEventCount() == 0, "seed \(seed)")
    }
  }
}
