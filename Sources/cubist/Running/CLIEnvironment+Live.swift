import ServiceNews
import CubistBasics
import Dispatch
import CubePlay
import DemoGame
import EventBusLive
import FoundationEssentials
import GameScreens
import Logging
import MatchCore
import MatchInterfaces
import PlayerClient
import Synchronization
import SystemCalls
import TerminalScreen

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension CLIEnvironment {
  /// The terminal, the files and the network of this process.
  static func live() -> CLIEnvironment {
    CLIEnvironment(
      variables: ProcessInfo.processInfo.environment, output: outlet(STDOUT_FILENO),
      errorOutput: outlet(STDERR_FILENO), inputIsTerminal: isatty(STDIN_FILENO) == 1,
      readLine: { Swift.readLine() }, readHiddenLine: HiddenInput.readLine,
      readFile: { path throws(FileFailure) in try LiveFiles.read(path) },
      writeFile: { path, bytes throws(FileFailure) in try LiveFiles.create(path, bytes) },
      listFolder: { (try? FileManager.default.contentsOfDirectory(atPath: $0)) ?? [] },
      makeBus: { url, isVerbose throws(CommandFailure) in try bus(url, isVerbose: isVerbose) },
      makeStore: { ProfileStore.live(folder: $0) }, clock: .live, randomness: .live,
      lexicons: .standard, showWaiting: LiveProgress.begin,
      openScreen: openScreen, openDemo: openDemo,
      setEventInFlight: InterruptHandler.setEventInFlight,
      timeZoneLink: {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/etc/localtime")
      },
      hasTimeZone: TimeZoneList.has)
  }

  private static func openScreen(
    _ plan: ScreenPlan, _ setting: ScreenSetting
  ) throws -> ScreenEnd {
    var client = ScreenClient.live(plan, clock: .live, lexicons: .standard) {
      let player = try Player.open(
        .live(folder: plan.folder), bus: bus(plan.url, isVerbose: plan.isVerbose), clock: .live,
        randomness: .live)
      player.onInFlight = { InterruptHandler.setEventInFlight($0 != nil) }
      return player
    }
    let failure = FirstStepsFailure()
    client.keepFirstSteps(in: { [folder = plan.folder] in .live(folder: folder) }) { error in
      failure.text.withLock { $0 = error.map { "\($0)" } }
    }
    var end = try FullScreen(
      client: client, words: Lexicons.standard.named, setting: setting,
      match: plan.code.map { MatchKey($0) } ?? plan.match.map { MatchKey($0) },
      isReplay: plan.isReplay, firstSteps: plan.firstSteps, rings: plan.rings
    ).run()
    end.firstStepsFailure = failure.text.withLock { $0 }
    return end
  }

  /// Why the progress of the first steps was not kept the last time.
  private final class FirstStepsFailure: Sendable {
    let text = Mutex<String?>(nil)
  }

  private static func openDemo(_ game: DemoGame, _ setting: ScreenSetting) throws {
    let service = DemoService(
      random: Randomness.live.next, pause: { try? await Task.sleep(for: .milliseconds(1_200)) })
    _ = try game.screen(service, setting: setting).run()
  }

  private static func outlet(_ file: Int32) -> TextOutput {
    let size = TerminalSize(of: file)
    return TextOutput(
      isTerminal: isatty(file) == 1, columns: size?.columns, rows: size?.rows,
      write: { text throws(OutputFailure) in
        do throws(SystemError) { try SystemFile.write(Array(text.utf8), to: file) } catch {
          throw OutputFailure(reason: "\(error)", isClosedPipe: error.code == EPIPE)
        }
      },
      synchronize: { () throws(OutputFailure) in
        guard SystemFile.isRegular(file), fsync(file) != 0 else { return }
        throw OutputFailure(reason: "\(SystemError.last())")
      })
  }

  private static func bus(
    _ url: String, isVerbose: Bool
  ) throws(CommandFailure) -> PlayerBus {
    let log = Logger(label: "cubist") { label in
      guard isVerbose else { return SwiftLogNoOpLogHandler() }
      var handler = StreamLogHandler.standardError(label: label)
      handler.logLevel = .debug
      return handler
    }
    switch try ServiceAddress(url: url) {
    case .broker(let address): return .live(address, clock: .live, log: log)
    case .gateway(let address): return .http(address) { log.debug("\($0)") }
    }
  }
}

/// Files of this machine.
enum LiveFiles {
  static func read(_ path: String) throws(FileFailure) -> [UInt8] {
    try calling(path) { () throws(SystemError) in
      let file = try path == "-" ? dup(STDIN_FILENO) : SystemFile.open(path, O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { throw .last() }
      defer { close(file) }
      return try SystemFile.read(file) ?? []
    }
  }

  static func create(_ path: String, _ bytes: [UInt8]) throws(FileFailure) {
    try calling(path) { () throws(SystemError) in
      let file = try SystemFile.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode: 0o600)
      do throws(SystemError) { try SystemFile.write(bytes, to: file) } catch {
        close(file)
        unlink(path)
        throw error
      }
      guard close(file) == 0 else {
        let error = SystemError.last()
        unlink(path)
        throw error
      }
    }
  }

  private static func calling<Value>(
    _ path: String, _ body: () throws(SystemError) -> Value
  ) throws(FileFailure) -> Value {
    try mapErrors({ FileFailure(path: path, reason: "\($0)") }, body)
  }
}

/// Typed text that the terminal does not show.
enum HiddenInput {
  static let failure = CommandFailure(
    .unreadable, "inputIsShown",
    "The terminal would show what you type: it cannot be changed. Put the words into a file that "
      + "only you can read, and that file on the standard input.")

  static func readLine(_ question: String) throws(CommandFailure) -> String? {
    try InterruptHandler.hidingInput { () throws(CommandFailure) in
      guard let isChanged = setShown(false) else { throw failure }
      defer { if isChanged { _ = setShown(true) } }
      // Only now: somebody may type at once.
      try write(question)
      let line = Swift.readLine()
      // The end of the line was not shown either.
      if isChanged { try write("\n") }
      return line
    }
  }

  private static func write(_ text: String) throws(CommandFailure) {
    do throws(SystemError) { try SystemFile.write(Array(text.utf8), to: STDERR_FILENO) } catch {
      throw .unasked
    }
  }

  /// Gives whether the terminal has changed; nil if it cannot be changed. A signal handler may call
  /// it.
  static func setShown(_ isShown: Bool) -> Bool? {
    var mode = termios()
    guard tcgetattr(STDIN_FILENO, &mode) == 0 else { return nil }
    let isShownNow = mode.c_lflag & tcflag_t(ECHO) != 0
    guard isShownNow != isShown else { return false }
    mode.c_lflag ^= tcflag_t(ECHO)
    return tcsetattr(STDIN_FILENO, TCSADRAIN, &mode) == 0 ? true : nil
  }
}

/// A line on the error output that counts the seconds of a wait.
enum LiveProgress {
  static func begin(_ label: String, _ style: TerminalStyle) -> () -> Void {
    guard style.isTerminal else { return {} }
    let line = ProgressLine(label: label)
    let clock = WallClock.live
    let start = clock.uptimeNanoseconds()
    let elapsed: @Sendable () -> Duration = {
      .nanoseconds(Int64(clamping: clock.uptimeNanoseconds() &- start))
    }
    let queue = DispatchQueue(label: "cubist.progress")
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.setEventHandler { show(line.text(elapsed: elapsed(), style: style)) }
    timer.schedule(deadline: .now() + 0.51, repeating: 0.5)
    timer.resume()
    return {
      queue.sync {
        timer.cancel()
        show(line.removal(elapsed: elapsed(), style: style))
      }
    }
  }

  private static func show(_ text: String?) {
    // The end of the command says whether the error output takes anything.
    if let text { try? SystemFile.write(Array(text.utf8), to: STDERR_FILENO) }
  }
}
