import Foundation
import Glibc

/// A role of the service in a process of its own, set up by its environment, as an operator runs
/// it.
public final class RoleProcess: Sendable {
  public let role: String
  /// The path of its log file.
  public let log: String
  private let process: ChildProcess

  /// Starts `cubistd run ROLE`.
  public init(
    _ role: String, binary: String, environment: [String: String], log: String,
    in group: ProcessGroup
  ) throws {
    self.role = role
    self.log = log
    process = try group.start([binary, "run", role], environment: environment, log: log)
  }

  /// The `cubistd` beside the program or the tests that run.
  public static func binaryBesideThisProgram() throws -> String {
    let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    let binary = program.deletingLastPathComponent().appendingPathComponent("cubistd").path
    guard FileManager.default.isExecutableFile(atPath: binary) else {
      throw ChaosFailure("\(binary) is not built: run `swift build`")
    }
    return binary
  }

  /// Whether it runs, stopped or not.
  public var isRunning: Bool { process.isRunning }

  /// The contents of its log.
  public var logText: String {
    String(decoding: FileManager.default.contents(atPath: log) ?? Data(), as: UTF8.self)
  }

  /// How often some words are in the log, of this process and of those before it in its place.
  func complaints(of words: String) -> Int { logText.ranges(of: words).count }

  /// kill -9; gives whether that is how it ended.
  @discardableResult
  public func kill() -> Bool {
    process.kill()
    return process.wait() == 128 + SIGKILL
  }

  /// SIGSTOP; gives whether it stands still.
  @discardableResult
  public func stop() -> Bool {
    process.signal(SIGSTOP)
    return process.isStopped
  }

  /// SIGCONT.
  public func resume() { process.signal(SIGCONT) }

  /// SIGTERM.
  public func askToLeave() { process.signal(SIGTERM) }

  /// Waits until it has ended; gives the exit code.
  @discardableResult
  public func wait() -> Int32 { process.wait() }
}
