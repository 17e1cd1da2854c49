import Chaos
import MatchCore
import MatchWire
import TestedService
import Testing

@Suite("A full disk for logs", .serialized)
struct FullLogTests {
  @Test("A worker whose log has no room judges as before")
  func worker() async throws {
    try await ServiceLab.run(.init(workers: 0, roles: [])) { lab in
      let processes = try RoleProcesses(of: lab)
      defer { processes.end() }
      let worker = try processes.start(
        "worker", ["CUBIST_LOG_LEVEL": "trace"], log: "/dev/full")
      let (ann, bob) = try lab.pair()
      let match = try lab.begin(ann, bob)
      try ann.must(.turnPlayed(match, lab.turn(lab.match(match))))
      #expect(worker.isRunning)
      worker.askToLeave()
      #expect(worker.wait() == 0)
    }
  }
}
