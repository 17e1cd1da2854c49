import Foundation
import Testing

@testable import Chaos

@Suite("Groups of processes")
struct ProcessGroupTests {
  private func sleeper(in group: ProcessGroup) throws -> ChildProcess {
    try group.start(["/bin/sleep", "600"], environment: [:], log: "/dev/null")
  }

  @Test("The end of a group ends its processes, stopped ones too")
  func end() throws {
    let group = try ProcessGroup()
    let (running, stopped) = (try sleeper(in: group), try sleeper(in: group))
    stopped.signal(SIGSTOP)
    #expect(stopped.isStopped && !running.isStopped)
    #expect(running.isRunning && stopped.isRunning)
    group.end()
    #expect(!running.isRunning && !stopped.isRunning)
  }

  @Test("An owner that is killed takes the processes of its group along")
  func killedOwner() throws {
    let group = try ProcessGroup()
    let process = try sleeper(in: group)
    // The kernel closes the descriptors of a killed process in the same way.
    group.loseLifeline()
    #expect(process.wait() == 128 + SIGKILL)
    group.end()
  }

  @Test("A process that is killed or that ends says how")
  func statuses() throws {
    let group = try ProcessGroup()
    defer { group.end() }
    let killed = try sleeper(in: group)
    killed.kill()
    #expect(killed.wait() == 128 + SIGKILL)
    let ended = try group.start(
      ["/bin/sh", "-c", "exit 7"], environment: [:], log: "/dev/null")
    #expect(ended.wait() == 7)
  }

  @Test("A program that cannot be started is named")
  func missing() throws {
    let group = try ProcessGroup()
    defer { group.end() }
    #expect(throws: ChaosFailure.self) {
      try group.start(["/no/such/program"], environment: [:], log: "/dev/null")
    }
  }
}
