import CEmbedded
import Glibc

/// The script that runs private servers, carried in the binary and run from a file.
struct ServersScript: Sendable {
  /// The script's text, byte for byte.
  static var bytes: [UInt8] {
    Array(UnsafeBufferPointer(start: cubist_servers_script, count: cubist_servers_script_size))
  }

  /// Where the script is.
  let path: String

  /// Puts the script into a folder, which is made if it does not exist; an older one is replaced.
  init(in folder: String) throws(OperatorFailure) {
    path = "\(folder)/servers"
    try Files.makeFolder(folder)
    try Files.write(ServersScript.bytes, to: path, mode: 0o700)
  }

  /// What the script said, and how it ended.
  struct Outcome: Equatable {
    var status: Int32
    var output: String
    var errors: String
  }

  /// Runs the script to its end. It is in a process group of its own, so that Ctrl-C does not stop
  /// it half-way.
  func run(_ arguments: [String]) throws(OperatorFailure) -> Outcome {
    // Files instead of pipes: servers that the script leaves running would keep a pipe open.
    let output = "\(path).out"
    let errors = "\(path).err"
    let status = try ServersScript.spawn(
      ["/bin/bash", path] + arguments, output: output, errors: errors)
    return Outcome(
      status: status, output: String(decoding: try Files.read(output), as: UTF8.self),
      errors: String(decoding: try Files.read(errors), as: UTF8.self))
  }

  /// Runs a program and waits for it.
  ///
  /// Foundation's `Process` waits until nobody holds a socket that servers inherit, which is until
  /// they end.
  /// - Returns: its exit status, or 128 and the number of the signal that ended it.
  private static func spawn(
    _ command: [String], output: String, errors: String
  ) throws(OperatorFailure) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let written = O_WRONLY | O_CREAT | O_TRUNC
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, written, 0o600)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, written, 0o600)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
    posix_spawnattr_setflags(&attributes, Int16(flags))
    posix_spawnattr_setpgroup(&attributes, 0)
    // A signal that is ignored or blocked here would stay so in the servers, which could not be
    // stopped by it then.
    var signals = sigset_t()
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)

    var arguments = command.map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    var process = pid_t()
    let code = posix_spawn(&process, command[0], &actions, &attributes, arguments, environ)
    guard code == 0 else { throw .file(path: command[0], reason: String(cString: strerror(code))) }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else {
        throw .file(path: command[0], reason: String(cString: strerror(errno)))
      }
    }
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : 128 + signal
  }
}
