internal import CVTerm
internal import Foundation
internal import Synchronization

/// A program in a pseudo-terminal of its own, and the contents of its screen.
package final class PseudoTerminal: Sendable {
  /// The state of a terminal apart from the text on it.
  package struct Condition: Hashable, Sendable {
    /// Input, output, control and local modes, and the control characters.
    package var modes: [UInt64]
    /// Whether the other screen is shown.
    package var isAlternateScreen: Bool
    /// Whether the cursor is seen.
    package var isCursorVisible: Bool
    /// Which reports of the mouse are asked for.
    package var mouse: Int
  }

  /// How a program ended.
  package enum End: Hashable, Sendable {
    /// With a status.
    case exit(Int32)
    /// By a signal.
    case signal(Int32)
  }

  /// Something that did not happen in time, or could not be done.
  package struct Failure: Error, CustomStringConvertible {
    /// The missing step, and the screen at that time.
    package var description: String
  }

  private let master: Int32
  /// Held open, so that the terminal outlives its program.
  private let slave: Int32
  private let emulator: Mutex<Emulator>
  private let log = Mutex<[UInt8]>([])
  /// Locked while bytes are taken from the terminal and shown; it counts them.
  private let shown = Mutex(0)
  private let news = NSCondition()
  private let isClosed = Atomic(false)
  /// The program; its process group is the terminal's first.
  package let process: Int32

  /// Starts a program as the leader of a session that has the terminal.
  package init(
    _ path: String, _ arguments: [String] = [], environment: [String: String],
    columns: Int = 80, rows: Int = 24
  ) throws {
    var ends: (master: Int32, slave: Int32) = (-1, -1)
    var name = [CChar](repeating: 0, count: 128)
    var size = winsize(
      ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    guard openpty(&ends.master, &ends.slave, &name, nil, &size) == 0 else {
      throw Failure(description: "there is no pseudo-terminal: \(errno)")
    }
    (master, slave) = ends
    for end in [master, slave] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    emulator = Mutex(Emulator(rows: rows, columns: columns))
    process = try Self.spawn(path, arguments, environment, on: name)
    DispatchQueue(label: "pseudo-terminal").async { self.read() }
  }

  private static func spawn(
    _ path: String, _ arguments: [String], _ environment: [String: String], on name: [CChar]
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // The first terminal that a session's leader opens becomes the session's.
    posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigdefault(&attributes, &all)
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    let flags =
      Int32(CVTERM_SPAWN_SETSID) | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
    posix_spawnattr_setflags(&attributes, Int16(flags))
    var words = ([path] + arguments).map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer {
      for text in words + variables { free(text) }
    }
    var process: pid_t = 0
    let code = posix_spawn(&process, path, &actions, &attributes, &words, &variables)
    guard code == 0 else { throw Failure(description: "\(path) cannot be started: \(code)") }
    return process
  }

  deinit {
    close(master)
    close(slave)
  }

  /// Ends the program, if it is still there, and stops reading.
  package func shut() {
    isClosed.store(true, ordering: .releasing)
    kill(process, SIGKILL)
    var status: Int32 = 0
    waitpid(process, &status, 0)
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !isClosed.load(ordering: .acquiring) {
      var file = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
      guard poll(&file, 1, 50) > 0 else { continue }
      let isOpen = shown.withLock { shown in
        let count = Foundation.read(master, &buffer, buffer.count)
        guard count > 0 else { return false }
        let bytes = buffer[..<count]
        log.withLock { $0 += bytes }
        emulator.withLock { $0.write(bytes) }
        shown += count
        return true
      }
      guard isOpen else { return }
      news.broadcast()
    }
  }
}

extension PseudoTerminal {
  /// Types text, control characters among it.
  package func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(master, bytes, bytes.count)
  }

  /// Changes the size, and signals that to the program.
  package func resize(columns: Int, rows: Int) {
    emulator.withLock { $0.resize(rows: rows, columns: columns) }
    var size = winsize(
      ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
  }

  /// The rows of the screen, without blanks at their ends.
  package var lines: [String] { emulator.withLock { $0.lines() } }

  /// The screen as text.
  package var text: String { lines.map { $0 + "\n" }.joined() }

  /// How many cells have a background of their own.
  package var filledCount: Int { emulator.withLock { $0.filledCount() } }

  /// How often the bell rang.
  package var bellCount: Int { emulator.withLock { $0.bellCount } }

  /// All bytes that came so far.
  package var bytes: [UInt8] { log.withLock { $0 } }

  /// The state of the terminal now.
  package var condition: Condition {
    var modes = termios()
    tcgetattr(slave, &modes)
    let characters = withUnsafeBytes(of: &modes.c_cc) { $0.map { UInt64($0) } }
    let switches = emulator.withLock { $0.switches }
    return Condition(
      modes: [modes.c_iflag, modes.c_oflag, modes.c_cflag, modes.c_lflag].map { UInt64($0) }
        + characters,
      isAlternateScreen: switches.isAlternateScreen, isCursorVisible: switches.isCursorVisible,
      mouse: switches.mouse)
  }

  /// Waits until something is so.
  package func wait(
    for what: String, seconds: Double = 120, until isSo: (PseudoTerminal) throws -> Bool
  ) throws {
    let end = Date(timeIntervalSinceNow: seconds)
    while try !isSo(self) {
      guard Date() < end else {
        throw Failure(description: "\(what): not within \(seconds) s; the screen shows\n\(text)")
      }
      // Not everything that is waited for comes with bytes.
      news.lock()
      _ = news.wait(until: Date(timeIntervalSinceNow: 0.02))
      news.unlock()
    }
  }

  /// Waits until the screen shows a text.
  package func wait(showing part: String, seconds: Double = 120) throws {
    try wait(for: "\"\(part)\"", seconds: seconds) { $0.text.contains(part) }
  }

  /// Waits for the end of the program.
  package func end(seconds: Double = 120) throws -> End {
    var status: Int32 = 0
    try wait(for: "the end of the program", seconds: seconds) { _ in
      waitpid(process, &status, WNOHANG) == process
    }
    // Its last output is still to be read, and to be shown.
    try wait(for: "the last bytes", seconds: seconds) { _ in
      shown.withLock { _ in
        var file = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        return poll(&file, 1, 0) == 0
      }
    }
    let signal = status & 0x7f
    return signal == 0 ? .exit((status >> 8) & 0xff) : .signal(signal)
  }
}
