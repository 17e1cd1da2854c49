import Foundation
import Glibc

/// A process that the benchmark has started, and ends.
final class Child {
  let name: String
  let id: pid_t
  private let log: String
  private var status: Int32?
  private var input: Int32 = -1
  private var output: Int32 = -1
  private var unread: [UInt8] = []

  /// Starts a program with only the given environment, in a process group of its own. Its output
  /// goes to a file; with `isAsked` its standard input and output are for `ask`.
  init(
    _ name: String, _ command: [String], environment: [String: String], log: String,
    isAsked: Bool = false
  ) throws {
    self.name = name
    self.log = log
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(
      &actions, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    var theirs: [Int32] = []
    if isAsked {
      var (toChild, fromChild): ([Int32], [Int32]) = ([0, 0], [0, 0])
      guard pipe(&toChild) == 0, pipe(&fromChild) == 0 else {
        throw BenchFailure("no pipe: \(String(cString: strerror(errno)))")
      }
      for descriptor in toChild + fromChild { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
      posix_spawn_file_actions_adddup2(&actions, toChild[0], STDIN_FILENO)
      posix_spawn_file_actions_adddup2(&actions, fromChild[1], STDOUT_FILENO)
      (input, output) = (toChild[1], fromChild[0])
      theirs = [toChild[0], fromChild[1]]
    } else {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
    }
    defer { for descriptor in theirs { close(descriptor) } }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF))
    var signals = sigset_t()
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    var arguments = command.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for variable in variables { free(variable) } }
    var process = pid_t()
    let code = posix_spawn(&process, command[0], &actions, &attributes, &arguments, &variables)
    id = process
    guard code == 0 else {
      throw BenchFailure("\(command[0]) does not start: \(String(cString: strerror(code)))")
    }
  }

  /// Whether it has not ended yet.
  var isRunning: Bool {
    guard status == nil else { return false }
    var raw: Int32 = 0
    guard waitpid(id, &raw, WNOHANG) == id else { return true }
    status = raw & 0x7f == 0 ? raw >> 8 & 0xff : 128 + raw & 0x7f
    return false
  }

  /// The contents of its log.
  var said: String {
    String(decoding: FileManager.default.contents(atPath: log) ?? Data(), as: UTF8.self)
  }

  /// Sends a line and gives the line that comes back.
  func ask(_ line: String) throws -> String {
    let sent = Array("\(line)\n".utf8)
    guard write(input, sent, sent.count) == sent.count else {
      throw BenchFailure("\(name) does not listen:\n\(said.suffix(2_000))")
    }
    while true {
      if let end = unread.firstIndex(of: 10) {
        defer { unread.removeSubrange(...end) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      var bytes = [UInt8](repeating: 0, count: 4_096)
      let count = read(output, &bytes, bytes.count)
      guard count > 0 else { throw BenchFailure("\(name) has ended:\n\(said.suffix(2_000))") }
      unread += bytes.prefix(count)
    }
  }

  /// Waits until it ends by itself. Ctrl-C ends it, unless its work has to be done nevertheless.
  /// - Returns: its exit status.
  func wait(isInterruptible: Bool = true) throws -> Int32 {
    while isRunning {
      do { if isInterruptible { try Interruption.check() } } catch {
        end()
        throw error
      }
      usleep(2_000)
    }
    return status ?? 0
  }

  /// SIGTERM, and SIGKILL to the processes that are still there after 15 s.
  func end() {
    for descriptor in [input, output] where descriptor >= 0 { close(descriptor) }
    (input, output) = (-1, -1)
    let began = monotonic()
    if isRunning { kill(id, SIGTERM) }
    while isRunning {
      if seconds(from: began, to: monotonic()) > 15 { kill(id, SIGKILL) }
      usleep(5_000)
    }
  }

  /// Runs a program to its end and gives its output.
  static func run(
    _ command: [String], environment: [String: String], log: String,
    isInterruptible: Bool = true
  ) throws -> String {
    let child = try Child(command[0], command, environment: environment, log: log)
    let status = try child.wait(isInterruptible: isInterruptible)
    guard status == 0 else {
      throw BenchFailure(
        "\(command.joined(separator: " ")) ended with \(status): \(child.said.suffix(2_000))")
    }
    return child.said
  }
}
