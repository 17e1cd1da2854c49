import Glibc

/// The program to start, with its arguments, environment and files.
struct Spawn {
  var command: [String]
  /// Nil: that of this process.
  var environment: [String: String]?
  /// The descriptor that becomes the standard input; nil: nothing to read.
  var input: Int32?
  /// The descriptor that becomes the standard output; nil: the same as ``errors``.
  var output: Int32?
  /// The file that the standard error output is appended to.
  var errors = "/dev/null"
  /// The process group to join; 0 makes a new one.
  var group: pid_t = 0

  /// Starts it.
  ///
  /// The child gets only those of our descriptors that are named here. Its signals are reset, as it
  /// would inherit the ones that are ignored or blocked here.
  /// - Throws: ``ChaosFailure`` where it cannot be started.
  func start() throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input {
      posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    }
    let appended = O_WRONLY | O_CREAT | O_APPEND
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, appended, 0o600)
    posix_spawn_file_actions_adddup2(&actions, output ?? STDERR_FILENO, STDOUT_FILENO)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
    posix_spawnattr_setflags(&attributes, Int16(flags))
    posix_spawnattr_setpgroup(&attributes, group)
    var signals = sigset_t()
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)

    var arguments = command.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var variables = (environment ?? [:]).map { strdup("\($0)=\($1)") } + [nil]
    defer { for variable in variables { free(variable) } }
    var process = pid_t()
    let code =
      environment == nil
      ? posix_spawnp(&process, command[0], &actions, &attributes, &arguments, environ)
      : posix_spawnp(&process, command[0], &actions, &attributes, &arguments, &variables)
    guard code == 0 else {
      throw ChaosFailure("\(command[0]) cannot be started: \(String(cString: strerror(code)))")
    }
    return process
  }
}

/// The reason why a run cannot go on.
package struct ChaosFailure: Error, CustomStringConvertible {
  /// One sentence or more, for a person.
  package let description: String
  /// Whether servers are missing, which says nothing about the service.
  package let isAboutServers: Bool

  package init(_ description: String, isAboutServers: Bool = false) {
    self.description = description
    self.isAboutServers = isAboutServers
  }
}
