import DemoGame
import GameScreens
import SystemCalls
import TerminalScreen

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

@main
struct Demo {
  static func main() {
    StandardStreams.keepPlaces()
    switch DemoArguments(Array(CommandLine.arguments.dropFirst())) {
    case .help: out(DemoArguments.usage)
    case .rules:
      let isUnicode = ScreenSetting.allowsUnicode(environment)
      out(DemoGame.rules(isUnicode: isUnicode))
    case .wrong(let text):
      fail("\(text)\n\n\(DemoArguments.usage)", status: 64)
    case .game(let strength, let rings, let usesColor):
      guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1,
        FullScreen.fits(TerminalSize(of: STDOUT_FILENO) ?? .standard),
        var setting = ScreenSetting(environment: environment)
      else {
        fail("\(DemoGame.needsScreen)\n", status: 64)
      }
      if !usesColor { setting.depth = .none }
      play(DemoGame(strength: strength, rings: rings), setting)
    }
  }

  private static func play(_ game: DemoGame, _ setting: ScreenSetting) {
    let service = DemoService(
      random: {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
      }, pause: { try? await Task.sleep(for: .milliseconds(1_200)) })
    do {
      _ = try game.screen(service, setting: setting).run()
    } catch {
      fail("\(error)\n", status: 1)
    }
  }

  /// The variables of the environment that say how the terminal is used.
  private static var environment: [String: String] {
    let names = ["TERM", "NO_COLOR", "COLORTERM", "LC_ALL", "LC_CTYPE", "LANG"]
    return names.reduce(into: [:]) { found, name in
      if let value = getenv(name) { found[name] = String(cString: value) }
    }
  }

  /// Prints the result. Whoever closed a pipe wants to read nothing more, and hears nothing of it.
  private static func out(_ text: String) {
    do throws(SystemError) { try SystemFile.write(Array(text.utf8), to: STDOUT_FILENO) } catch {
      // Source: sysexits(3), EX_IOERR.
      guard error.code != EPIPE else { exit(74) }
      fail("The standard output cannot be written: \(error).\n", status: 74)
    }
  }

  /// Ends the program. Its status tells the failure where the error output takes nothing.
  private static func fail(_ text: String, status: Int32) -> Never {
    try? SystemFile.write(Array("cubist-demo: \(text)".utf8), to: STDERR_FILENO)
    exit(status)
  }
}
