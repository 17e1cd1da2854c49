import Foundation
import PseudoTerminal
import Testing

/// `cubist-demo` in a terminal.
@Suite("The demo as a program", .serialized, .timeLimit(.minutes(5)))
struct DemoProgramTests {
  private static let binaries = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().path

  private static func terminal(
    _ arguments: [String] = [], program: String = "cubist-demo", term: String = "xterm-256color"
  ) throws -> PseudoTerminal {
    try PseudoTerminal(
      "\(binaries)/\(program)", arguments,
      environment: ["TERM": term, "LC_ALL": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no"])
  }

  @Test("A match against the weakest robot: two cubes go by keys, and the robot answers")
  func turn() throws {
    let terminal = try Self.terminal(["--strength", "easy"])
    defer { terminal.shut() }
    try terminal.wait(showing: "Your turn: type a word.")
    try Self.removeCubes(in: terminal)
    try terminal.wait(showing: "Robot, easy played")
    terminal.type("\u{3}")
    #expect(try terminal.end() == .exit(0))
  }

  /// Removes two cubes by the cursor.
  private static func removeCubes(in terminal: PseudoTerminal) throws {
    let arrows = ["\u{1b}[C", "\u{1b}[A", "\u{1b}[D", "\u{1b}[B"]
    for step in 0..<40 where marks(terminal) < 2 {
      let before = marks(terminal)
      terminal.type(arrows[(step / 3 + step) % 4])
      // Either that cube is marked, or its mark is gone, or it cannot be.
      terminal.type(" ")
      for _ in 0..<20 where marks(terminal) == before { usleep(10_000) }
    }
    terminal.type("\r")
    for _ in 0..<50 where marks(terminal) > 0 { usleep(10_000) }
    #expect(marks(terminal) == 0)
  }

  private static func marks(_ terminal: PseudoTerminal) -> Int {
    let text = terminal.text
    return text.contains("2 cubes are removed") ? 2 : text.contains("1 cube is removed") ? 1 : 0
  }

  @Test(
    "It begins with the first steps; left, they are taken up again from the list of robots",
    arguments: [("cubist-demo", []), ("cubist", ["demo"])])
  func firstSteps(program: String, arguments: [String]) throws {
    let terminal = try Self.terminal(arguments, program: program)
    defer { terminal.shut() }
    try terminal.wait(showing: "First steps: 1 of 24")
    terminal.type("\r")
    try terminal.wait(showing: "2 of 24")
    terminal.type("x")
    try terminal.wait(showing: "Here the next letter is G.")
    terminal.type("ga")
    try terminal.wait(showing: "4 of 24")
    // The first takes the letters back.
    terminal.type("\u{1b}")
    usleep(200_000)
    terminal.type("\u{1b}")
    try terminal.wait(showing: "Robot, hard")
    terminal.type("f")
    try terminal.wait(showing: "4 of 24")
    terminal.type("\u{3}")
    #expect(try terminal.end() == .exit(0))
  }

  @Test("Where nothing can be drawn it says what it needs, and help and rules are printed anywhere")
  func printing() throws {
    let dumb = try Self.terminal(term: "dumb")
    defer { dumb.shut() }
    try dumb.wait(showing: "The game needs a terminal of 64 columns and 24 rows")
    #expect(try dumb.end() == .exit(64))
    for (arguments, status, text) in [
      (["--help"], Int32(0), "Usage: cubist-demo"), (["--rules"], 0, "Spell a word over faces"),
      ([], 64, "The game needs a terminal"), (["--what"], 64, "'--what' is no option"),
    ] {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "\(Self.binaries)/cubist-demo")
      process.arguments = arguments
      process.environment = ["TERM": "xterm"]
      let pipe = Pipe()
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = pipe
      process.standardError = pipe
      try process.run()
      let said = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(process.terminationStatus == status)
      #expect(said.contains(text))
    }
  }
}
