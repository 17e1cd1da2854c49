import DemoGame
import GameScreens
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
    switch DemoArguments(Array(CommandLine.arguments.dropFirst())) {
    case .help: write(DemoArguments.usage, to: STDOUT_FILENO)
    case .rules:
      let isUnicode = ScreenSetting.allowsUnicode(environment)
      write(DemoGame.rules(isUnicode: isUnicode), to: STDOUT_FILENO)
    case .wrong(let text):
      write("cubist-demo: \(text)\n\n\(DemoArguments.usage)", to: STDERR_FILENO)
      exit(64)
    case .game(let strength, let rings, let usesColor):
      guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1,
        var setting = ScreenSetting(environment: environment)
      else {
        write("cubist-demo: \(DemoGame.needsScreen)\n", to: STDERR_FILENO)
        exit(64)
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
      write("cubist-demo: \(error)\n", to: STDERR_FILENO)
      exit(1)
    }
  }

  /// The variables of the environment that say how the terminal is used.
  private static var environment: [String: String] {
    let names = ["TERM", "NO_COLOR", "COLORTERM", "LC_ALL", "LC_CTYPE", "LANG"]
    return names.reduce(into: [:]) { found, name in
      if let value = getenv(name) { found[name] = String(cString: value) }
    }
  }

  private static func write(_ text: String, to file: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Self.writeBytes(file, $0) }
      if count < 0 {
        guard errno == EINTR else { return }
        continue
      }
      rest = rest.dropFirst(count)
    }
  }

  // Under a name of its own, since a method above is called like the function.
  private static func writeBytes(_ file: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
      Glibc.write(file, buffer.baseAddress, buffer.count)
    #elseif canImport(Musl)
      Musl.write(file, buffer.baseAddress, buffer.count)
    #else
      Darwin.write(file, buffer.baseAddress, buffer.count)
    #endif
  }
}
