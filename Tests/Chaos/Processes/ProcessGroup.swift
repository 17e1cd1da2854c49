import Glibc
import Synchronization

/// Processes that end when this one does, however it ends: even `kill -9` leaves none behind.
///
/// A guardian reads from a line of which only we hold the other end. When that end is closed, by us
/// or by the kernel, the guardian kills the whole group, stopped processes too.
package final class ProcessGroup: Sendable {
  private static let guardian = """
    set -m
    sleep infinity </dev/null >/dev/null &
    echo $!
    exec >/dev/null
    cat
    kill -KILL -- -$!
    """

  private let group: pid_t
  private let guardian: ChildProcess
  /// Our end of the pipe; -1 once it is closed.
  private let lifeline: Mutex<Int32>
  private let members = Mutex<[ChildProcess]>([])

  /// Makes an empty group.
  package init() throws {
    let (input, life) = try ProcessGroup.line()
    let (answer, output) = try ProcessGroup.line()
    defer { for end in [input, answer, output] { close(end) } }
    var spawn = Spawn(command: ["/bin/bash", "-c", ProcessGroup.guardian, "guardian"])
    spawn.input = input
    spawn.output = output
    guardian = try ChildProcess(spawn)
    lifeline = Mutex(life)
    var digits = [UInt8](repeating: 0, count: 32)
    let count = read(answer, &digits, digits.count)
    let text = String(decoding: digits.prefix(max(0, count)), as: UTF8.self)
    guard let group = pid_t(text.prefix(while: \.isNumber)), group > 1 else {
      close(life)
      throw ChaosFailure("the guardian of processes did not start")
    }
    self.group = group
  }

  deinit { end() }

  private static func line() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    // Unlike a pipe's, its ends are never open in another process, not even for a moment.
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw ChaosFailure("no descriptor is left")
    }
    return (ends[0], ends[1])
  }

  /// Starts a process in the group; its output is appended to a file.
  package func start(
    _ command: [String], environment: [String: String], log: String
  ) throws -> ChildProcess {
    let process = try ChildProcess(
      Spawn(command: command, environment: environment, errors: log, group: group))
    members.withLock { members in
      members.removeAll { !$0.isRunning }
      members.append(process)
    }
    return process
  }

  /// Kills all of them, and waits for them.
  package func end() {
    loseLifeline()
    for member in members.withLock({ $0 }) { member.wait() }
    guardian.wait()
  }

  /// Behaves as if the owner of the group were killed.
  func loseLifeline() {
    lifeline.withLock { lifeline in
      if lifeline >= 0 { close(lifeline) }
      lifeline = -1
    }
  }
}
