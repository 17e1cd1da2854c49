import Glibc

/// A program that is run to its end.
struct Tool {
  /// The program and its arguments.
  var words: [String]
  /// The whole environment.
  var variables: [String: String] = Tool.plain
  /// Its input, 32 KB at most.
  var input = ""
  /// The file that it reads instead.
  var source = "/dev/null"
  /// The file for its output, in place of the earlier content; no link.
  var log = "/dev/null"

  /// `POSIX_SPAWN_SETSID`, which Swift does not see.
  private static let setSession: Int32 = 0x80

  static let plain = ["PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8"]

  /// Runs it; it is in a session of its own, so that Ctrl-C does not stop it half-way.
  /// - Returns: Its exit status, or 128 and the number of the signal that ended it.
  func run() throws(ServersError) -> Int32 {
    var pipe: (reading: Int32, writing: Int32) = (-1, -1)
    if !input.isEmpty { pipe = try Tool.line() }
    defer { if pipe.reading >= 0 { close(pipe.reading) } }
    if pipe.writing >= 0 {
      // It fits into the line's buffer, so that nobody has to read it meanwhile.
      let bytes = Array(input.utf8)
      let isWhole = bytes.count <= 32_768 && write(pipe.writing, bytes, bytes.count) == bytes.count
      close(pipe.writing)
      guard isWhole else { throw .system(what: words[0], reason: "its input is too long") }
    }
    let process = try start(input: pipe.reading)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else { throw .system(what: words[0], reason: reasonOfError()) }
    }
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : 128 + signal
  }

  /// Starts it.
  ///
  /// It gets default signal handling: signals that are ignored or blocked here would stay so there,
  /// and could not stop a server.
  func start(input: Int32 = -1) throws(ServersError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if input >= 0 {
      posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, source, O_RDONLY, 0)
    }
    let written = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, written, 0o600)
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    let flags = Tool.setSession | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
    posix_spawnattr_setflags(&attributes, Int16(flags))
    var signals = sigset_t()
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)

    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var environment = variables.map { strdup("\($0)=\($1)") } + [nil]
    defer { for variable in environment { free(variable) } }
    var process = pid_t()
    let code = posix_spawn(&process, words[0], &actions, &attributes, &arguments, &environment)
    guard code == 0 else { throw .system(what: words[0], reason: String(cString: strerror(code))) }
    return process
  }

  /// A line between processes. Unlike a pipe's, its ends are never open in another one by chance.
  static func line() throws(ServersError) -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw .system(what: "a line between processes", reason: reasonOfError())
    }
    return (ends[0], ends[1])
  }
}

/// The system's reason why the last call failed.
func reasonOfError() -> String { String(cString: strerror(errno)) }
