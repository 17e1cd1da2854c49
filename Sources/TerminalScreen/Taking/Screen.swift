internal import CTerminal
internal import Dispatch

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A terminal that is taken over: raw, with a screen of its own and no cursor.
package struct Screen: Sendable {
  /// The events, in order; ends when the terminal goes away.
  package let events: AsyncStream<TerminalEvent>
  private let readSize: @Sendable () -> TerminalSize
  private let writeBytes: @Sendable ([UInt8]) throws(TerminalFailure) -> Void
  private let stopProcess: @Sendable () -> Void

  /// A screen of closures, for one that is no terminal.
  package init(
    events: AsyncStream<TerminalEvent>, size: @escaping @Sendable () -> TerminalSize,
    write: @escaping @Sendable ([UInt8]) throws(TerminalFailure) -> Void,
    stop: @escaping @Sendable () -> Void
  ) {
    (self.events, readSize, writeBytes, stopProcess) = (events, size, write, stop)
  }

  /// How large it is now.
  package var size: TerminalSize { readSize() }

  /// Writes bytes, such as those of a frame. While the process is stopped nothing is written.
  ///
  /// - Throws: `TerminalFailure` where the terminal has gone away.
  package func write(_ bytes: [UInt8]) throws(TerminalFailure) { try writeBytes(bytes) }

  /// Gives the terminal back and stops the process, as Ctrl-Z does elsewhere. Returns when the
  /// process goes on.
  package func stop() { stopProcess() }

  /// The terminal that is taken.
  private init(events: AsyncStream<TerminalEvent>, output: Int32) {
    self.init(
      events: events,
      size: { TerminalSize(of: output) ?? .standard },
      write: { bytes throws(TerminalFailure) in
        let code = bytes.withUnsafeBytes { cterminal_write($0.baseAddress, $0.count) }
        guard code == 0 else { throw TerminalFailure(code: code) }
      },
      stop: { cterminal_stop() })
  }

  /// The most events that wait to be read; more are lost.
  private static let eventLimit = 1_024

  /// Takes the terminal of the standard input and output over for as long as the body runs.
  ///
  /// The terminal is given back as it was when the body returns or throws, and by signal handlers when
  /// the process is ended, stopped or crashes. In raw mode Ctrl-C and Ctrl-Z are keys like others.
  ///
  /// - Throws: `TerminalFailure` where there is no terminal, and the errors of the body.
  package static func taken<Value>(
    usesMouse: Bool = false, _ body: (Screen) async throws -> Value
  ) async throws -> Value {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw TerminalFailure(code: errno) }
    let (reading, writing) = (ends[0], ends[1])
    defer {
      close(reading)
      close(writing)
    }
    for end in ends {
      // A signal handler never waits for room, and no other program gets the pipe.
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    let code = Sequences.take(usesMouse: usesMouse, wake: writing)
    guard code == 0 else { throw TerminalFailure(code: code) }
    defer { cterminal_give_back() }
    let (events, sender) = AsyncStream.makeStream(
      of: TerminalEvent.self, bufferingPolicy: .bufferingNewest(eventLimit))
    let (end, ender) = AsyncStream.makeStream(of: Never.self)
    let screen = Screen(events: events, output: STDOUT_FILENO)
    DispatchQueue(label: "terminal.input").async {
      InputReader(input: STDIN_FILENO, wake: reading).run(into: sender, of: screen)
      sender.finish()
      ender.finish()
    }
    let result: Result<Value, any Error>
    do { result = .success(try await body(screen)) } catch { result = .failure(error) }
    // The reader ends before the terminal is given back, so that it takes no byte meant for the
    // shell.
    InputReader.end(writing)
    for await _ in end {}
    return try result.get()
  }
}

/// The sequences that begin and end a screen of one's own; their memory never moves, for handlers.
private enum Sequences {
  /// The other screen, no cursor, pastes marked.
  private static let enter: StaticString = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?2004h\u{1b}[2J"
  /// The same, and the mouse with its places as numbers.
  private static let enterWithMouse: StaticString =
    "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?2004h\u{1b}[?1002h\u{1b}[?1006h\u{1b}[2J"
  /// Cancels a sequence that was cut short, then undoes everything in reverse order.
  private static let leave: StaticString = """
    \u{18}\u{1b}[?2026l\u{1b}[0m\u{1b}[?1006l\u{1b}[?1002l\u{1b}[?2004l\u{1b}[?25h\u{1b}[?1049l
    """

  static func take(usesMouse: Bool, wake: Int32) -> Int32 {
    let enter = usesMouse ? Self.enterWithMouse : Self.enter
    return cterminal_take(
      STDIN_FILENO, STDOUT_FILENO, chars(enter), enter.utf8CodeUnitCount, chars(leave),
      leave.utf8CodeUnitCount, wake)
  }

  private static func chars(_ text: StaticString) -> UnsafePointer<CChar> {
    UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
