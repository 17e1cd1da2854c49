import Foundation
import Glibc

/// A role of the service in a process of its own, set up by its environment, as an operator runs
/// it.
package final class RoleProcess: Sendable {
  package let role: String
  /// The path of its log file.
  package let log: String
  private let process: ChildProcess

  /// Starts `cubistd run ROLE`.
  package init(
    _ role: String, binary: String, environment: [String: String], log: String,
    in group: ProcessGroup
  ) throws {
    self.role = role
    self.log = log
    process = try group.start([binary, "run", role], environment: environment, log: log)
  }

  /// The `cubistd` beside the program or the tests that run.
  package static func binaryBesideThisProgram() throws -> String {
    let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    let binary = program.deletingLastPathComponent().appendingPathComponent("cubistd").path
    guard FileManager.default.isExecutableFile(atPath: binary) else {
      throw ChaosFailure("\(binary) is not built: run `swift build`")
    }
    return binary
  }

  /// Whether it runs, stopped or not.
  package var isRunning: Bool { process.isRunning }

  /// The contents of its log.
  package var logText: String {
    String(decoding: FileManager.default.contents(atPath: log) ?? Data(), as: UTF8.self)
  }

  /// How often some words are in the log, of this process and of those before it in its place.
  func complaints(of words: String) -> Int { logText.ranges(of: words).count }

  /// kill -9; gives whether that is how it ended.
  @discardableResult
  package func kill() -> Bool {
    process.kill()
    return process.wait() == 128 + SIGKILL
  }

  /// SIGSTOP; gives whether it stands still.
  @discardableResult
  package func stop() -> Bool {
    process.signal(SIGSTOP)
    return process.isStopped
  }

  /// SIGCONT.
  package func resume() { process.signal(SIGCONT) }

  /// SIGTERM.
  package func askToLeave() { process.signal(SIGTERM) }

  /// Waits until it has ended; gives the exit code.
  @discardableResult
  package func wait() -> Int32 { process.wait() }
}
