import Chaos
import Foundation
import MatchCore
import MatchService
import MatchWire
import TestedService
import Testing

@Suite("A full disk for logs, and for what an operator asks", .serialized)
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

  @Test("An export or a status that cannot be written fails with the reason, or without a reader")
  func answers() async throws {
    try await ServiceLab.run(.init(workers: 0, roles: [], hasNewHost: true)) { lab in
      let processes = try RoleProcesses(of: lab)
      defer { processes.end() }
      for role in RoleName.standard { _ = try processes.start(role.rawValue) }
      let ann = try lab.player("Ann")
      let export = "accounts export \(ann.name) --reason asked"
      let full = try FileHandle(forWritingTo: URL(fileURLWithPath: "/dev/full"))
      let reason = "The standard output cannot be written: No space left on device"
      let exported = try processes.run(export, outputTo: full)
      #expect(exported.status == 74 && exported.errors.contains(reason), "\(exported)")
      // Without a reader.
      var ends: [Int32] = [-1, -1]
      let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
      try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
      close(ends[0])
      let gone = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
      let unread = try processes.run(export, outputTo: gone)
      #expect(unread.status == 74 && unread.errors.isEmpty, "\(unread)")
      // Whatever needs attention has a status of its own.
      let management = ["CUBIST_BROKER_MANAGEMENT": try lab.settings().brokerManagement ?? ""]
      try waitUntil("all is well, and cannot be said") {
        let status = try processes.run("status --json", management, outputTo: full)
        return status.status == 74 && status.errors.contains(reason)
      }
      try waitUntil("all is well, and nobody reads it") {
        let status = try processes.run("status --json", management, outputTo: gone)
        return status.status == 74 && status.errors.isEmpty
      }
    }
  }
}
