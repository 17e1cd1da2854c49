import TerminalScreen

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A program with a screen of its own. It shows its events and ends in the way that its arguments
/// say: Tests/TerminalScreenTests runs it.
@main
struct Probe {
  struct Failure: Error {}

  static func main() async {
    guard let setting = ScreenSetting(environment: variables()) else {
      print("no screen")
      exit(3)
    }
    do {
      try await Screen.taken(usesMouse: CommandLine.arguments.contains("mouse")) { screen in
        try await show(on: screen, Frame(depth: setting.depth, isUnicode: setting.isUnicode))
      }
    } catch {
      print("thrown")
      exit(4)
    }
    print("returned")
  }

  private static func show(on screen: Screen, _ frame: Frame) async throws {
    var lines = ["ready ✓"]
    var size = screen.size
    func draw() throws {
      var canvas = Canvas(width: size.columns, height: size.rows)
      canvas.write(
        "\(size.columns)x\(size.rows)", column: 0, row: 0,
        look: .init(foreground: .black, background: RGB(200, 100, 50), isBold: true))
      for (row, line) in zip(1..., lines.suffix(size.rows - 1)) {
        canvas.write(line, column: 0, row: row)
      }
      canvas.write("corner", column: size.columns - 6, row: size.rows - 1)
      try screen.write(frame.bytes(canvas))
    }
    try draw()
    for await event in screen.events {
      switch event {
      case .key(.character("q")): return
      case .key(.character("t")): throw Failure()
      case .key(.character("x")): exit(5)
      case .key(.character("c")): crash([])
      case .key(.character("a")): abort()
      case .key(.control("z")): screen.stop()
      case .resized(let now): size = now
      case .continued: lines.append("continued")
      case .key(let key): lines.append("\(key)")
      }
      try draw()
    }
  }

  private static func crash(_ none: [Int]) { print(none[3]) }

  private static func variables() -> [String: String] {
    var found: [String: String] = [:]
    for name in ["TERM", "NO_COLOR", "COLORTERM", "LC_ALL", "LANG"] {
      if let value = getenv(name) { found[name] = String(cString: value) }
    }
    return found
  }
}
