import Glibc
import Synchronization

/// Servers that end when this process does, however it ends: `kill -9` leaves none behind.
///
/// A keeper is a process in a session of its own. It reads from a line whose other end is ours
/// alone. When that end is closed, by us or by the kernel, the keeper stops the servers.
package final class HeldServers: Sendable {
  /// The servers of the folder.
  package let servers: ServerSet
  private let keeper: pid_t
  /// Our end of the line; -1 once it is closed.
  private let line: Mutex<Int32>

  /// Starts a keeper, and servers, or finds them running. A former keeper holds them no more.
  ///
  /// - Parameters:
  ///   - isPassing: Whether the folder goes with them.
  ///   - program: The path of `cubistd`, which keeps them.
  package static func start(
    _ servers: ServerSet, _ options: ServerOptions = .init(), isPassing: Bool = false,
    keptBy program: String
  ) throws(ServersError) -> (held: HeldServers, addresses: ServerAddresses) {
    try servers.makeFolder()
    let held = try HeldServers(servers, program, isPassing ? ["--remove"] : [])
    do throws(ServersError) {
      let addresses = try servers.start(options, keeper: ServerKeeper.name(of: held.keeper))
      return (held, addresses)
    } catch {
      // Some may run.
      held.release()
      held.waitForKeeper()
      throw error
    }
  }

  private init(
    _ servers: ServerSet, _ program: String, _ options: [String]
  ) throws(ServersError) {
    self.servers = servers
    let (reading, writing) = try Tool.line()
    defer { close(reading) }
    do throws(ServersError) {
      keeper = try ServerKeeper.command(program, servers, options).start(input: reading)
    } catch {
      close(writing)
      throw error
    }
    line = Mutex(writing)
  }

  deinit { release() }

  /// Starts the servers that have died; the others stay as they are.
  package func startAgain(_ options: ServerOptions = .init()) throws(ServersError) {
    try servers.start(options)
  }

  /// Stops the servers; their data stays.
  package func stop() throws(ServersError) {
    // Its failure is ours to tell; the keeper tries again.
    defer {
      release()
      waitForKeeper()
    }
    try servers.stop()
  }

  /// Does the same as the kernel when the starter is killed.
  package func release() {
    line.withLock { line in
      if line >= 0 { close(line) }
      line = -1
    }
  }

  /// Waits until the keeper has stopped them.
  package func waitForKeeper() {
    var status: Int32 = 0
    while waitpid(keeper, &status, 0) < 0, errno == EINTR {}
  }
}

/// A keeper's work, in a process of its own.
package enum ServerKeeper {
  /// The event that a keeper waits for.
  package enum Wait: Hashable, Sendable {
    /// The end of its input.
    case input
    /// The end of a process.
    case process(Int32)
  }

  /// The arguments of `cubistd` that make it a keeper.
  static func command(_ program: String, _ servers: ServerSet, _ options: [String]) -> Tool {
    var tool = Tool(words: [program, "servers", "keep", servers.folder] + options)
    // The environment is ours: a program with a sanitizer needs the same variables.
    var index = 0
    while let entry = environ[index] {
      let parts = String(cString: entry).split(separator: "=", maxSplits: 1)
      if parts.count == 2 { tool.variables[String(parts[0])] = String(parts[1]) }
      index += 1
    }
    tool.log = servers.paths.keeperLog
    return tool
  }

  /// A process, so that no later one of the same number is taken for it.
  static func name(of process: pid_t) -> String {
    "\(process) \(ProcessTable.start(of: process) ?? "")"
  }

  /// Starts servers that end with another process, or with none; or finds them running.
  package static func start(
    _ servers: ServerSet, _ options: ServerOptions, owner: Int32?, keptBy program: String
  ) throws(ServersError) -> ServerAddresses {
    guard let owner else { return try servers.start(options, keeper: "") }
    guard ProcessTable.start(of: owner) != nil else {
      throw .folder("there is no process \(owner) that servers could end with")
    }
    try servers.makeFolder()
    let keeper = try command(program, servers, ["--owner", "\(owner)"]).start()
    return try servers.start(options, keeper: name(of: keeper))
  }

  /// Waits, and stops the servers unless they have another keeper by then.
  ///
  /// - Parameter isRemoved: Whether the folder goes with them.
  package static func keep(
    _ servers: ServerSet, until wait: Wait, isRemoved: Bool = false
  ) throws(ServersError) {
    // The folder may be gone by the time.
    var mark = servers.processName
    func look() { if Disk.exists(servers.paths.data) { mark = servers.processName } }
    switch wait {
    case .input:
      // Nothing is ever written: only the end of the line counts.
      var byte: UInt8 = 0
      var line = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      while true {
        let count = poll(&line, 1, 1_000)
        look()
        if count == 0 || (count < 0 && errno == EINTR) { continue }
        if read(STDIN_FILENO, &byte, 1) <= 0 { break }
      }
    case .process(let owner):
      let start = ProcessTable.start(of: owner)
      while start != nil, ProcessTable.start(of: owner) == start {
        pause(0.2)
        look()
      }
    }
    let own = name(of: getpid())
    try servers.stop(mark) {
      !Disk.exists(servers.folder) || Disk.text(servers.paths.keeper) == own
    }
    guard isRemoved, Disk.text(servers.paths.keeper) == own else { return }
    _ = try Tool(words: ["/bin/rm", "-rf", "--", servers.folder]).run()
  }
}
