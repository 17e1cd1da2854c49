import Foundation
import PseudoTerminal
import Testing

/// A real program in a real pseudo-terminal, before a real emulator.
@Suite("A terminal that is taken over", .serialized)
struct TakingTests {
  private static let binaries = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().path
  /// Only the shell reports a crash, not a tool that asks questions.
  private static let environment = [
    "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "PS1": "$ ", "SWIFT_BACKTRACE": "enable=no",
  ]

  /// A shell, so that there is something before and after the program.
  private static func shell(
    _ more: [String: String] = [:],
    _ body: (PseudoTerminal, PseudoTerminal.Condition) throws -> Void
  ) throws {
    let terminal = try PseudoTerminal(
      "/bin/sh", ["-i"], environment: environment.merging(more) { $1 })
    defer { terminal.shut() }
    terminal.type("stty -a >/dev/null; echo he''re\r")
    try terminal.wait(showing: "here\n$")
    try body(terminal, terminal.condition)
  }

  private static func start(_ terminal: PseudoTerminal, _ arguments: String = "") throws {
    terminal.type("\(binaries)/screen-probe \(arguments)\r")
    // The end of the first frame.
    try terminal.wait(showing: "corner")
  }

  /// Expects the terminal as it was, with the shell's former output.
  private static func expectBack(
    _ terminal: PseudoTerminal, _ before: PseudoTerminal.Condition, status: Int32,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try terminal.wait(for: "the shell", until: isAtPrompt)
    terminal.type("echo st''atus $?\r")
    try terminal.wait(showing: "status \(status)\n$")
    #expect(terminal.condition == before, sourceLocation: sourceLocation)
    #expect(terminal.text.contains("here\n"), sourceLocation: sourceLocation)
    #expect(!terminal.text.contains("corner"), sourceLocation: sourceLocation)
  }

  private static func isAtPrompt(_ terminal: PseudoTerminal) -> Bool {
    terminal.lines.last { !$0.isEmpty } == "$"
  }

  @Test("The terminal has a screen of its own, raw and without a cursor")
  func taken() throws {
    try Self.shell { terminal, before in
      try Self.start(terminal)
      let now = terminal.condition
      #expect(now.isAlternateScreen && !now.isCursorVisible && now.mouse == 0)
      #expect(now.modes != before.modes)
      let lines = terminal.lines
      #expect(lines[0] == "80x24")
      #expect(lines[1] == "ready ✓")
      #expect(lines[23] == String(repeating: " ", count: 74) + "corner")
      #expect(terminal.filledCount == 5)
      terminal.type("k\u{1b}[A")
      try terminal.wait(showing: "arrow")
      terminal.type("\u{1b}")
      try terminal.wait(showing: "escape")
      terminal.type("q")
      try Self.expectBack(terminal, before, status: 0)
      #expect(terminal.text.contains("returned\n"))
    }
  }

  @Test(
    "The terminal is as before when the body returns or throws, or the program exits in it",
    arguments: [("q", 0), ("t", 4), ("x", 5)] as [(String, Int32)])
  func leaving(key: String, status: Int32) throws {
    try Self.shell { terminal, before in
      try Self.start(terminal, "mouse")
      #expect(terminal.condition.mouse != 0)
      terminal.type(key)
      try Self.expectBack(terminal, before, status: status)
    }
  }

  @Test(
    "The terminal is as before when a signal ends the program",
    arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGSEGV])
  func signals(number: Int32) throws {
    try Self.shell { terminal, before in
      try Self.start(terminal, "mouse")
      kill(try Self.probe(of: terminal), number)
      try Self.expectBack(terminal, before, status: 128 + number)
    }
  }

  @Test(
    "The terminal is as before when the program crashes",
    arguments: [("c", SIGTRAP), ("a", SIGABRT)] as [(String, Int32)])
  func crashes(key: String, number: Int32) throws {
    try Self.shell { terminal, before in
      try Self.start(terminal, "mouse")
      terminal.type(key)
      #if arch(x86_64)
        let status = 128 + (number == SIGTRAP ? SIGILL : number)
      #else
        let status = 128 + number
      #endif
      try Self.expectBack(terminal, before, status: status)
    }
  }

  @Test(
    "A stop gives the terminal back, and going on takes it again", arguments: ["key", "signal"])
  func stopping(by way: String) throws {
    try Self.shell { terminal, before in
      terminal.type("\(Self.binaries)/screen-probe\r")
      try terminal.wait(showing: "ready")
      let taken = terminal.condition
      if way == "key" {
        terminal.type("\u{1a}")
      } else {
        kill(try Self.probe(of: terminal), SIGTSTP)
      }
      try terminal.wait(showing: "Stopped")
      #expect(terminal.condition == before)
      #expect(!terminal.text.contains("corner"))
      terminal.type("fg\r")
      try terminal.wait(showing: "continued")
      #expect(terminal.condition == taken)
      terminal.type("q")
      try terminal.wait(showing: "returned")
      try terminal.wait(for: "the terminal as before") { $0.condition == before }
    }
  }

  @Test("A new size is told and drawn")
  func resizing() throws {
    try Self.shell { terminal, _ in
      try Self.start(terminal)
      terminal.resize(columns: 120, rows: 40)
      try terminal.wait(showing: "120x40")
      try terminal.wait(for: "the corner") { $0.lines[39].hasSuffix("corner") }
      terminal.resize(columns: 60, rows: 20)
      try terminal.wait(showing: "60x20")
      terminal.type("q")
      try terminal.wait(showing: "returned")
    }
  }

  @Test("A dumb terminal is refused")
  func dumb() throws {
    try Self.shell(["TERM": "dumb"]) { terminal, before in
      terminal.type("\(Self.binaries)/screen-probe\r")
      try Self.expectBack(terminal, before, status: 3)
      #expect(terminal.text.contains("no screen\n"))
      #expect(!terminal.bytes.contains(0x1b))
    }
  }

  // Failure: TerminalFailure: There is no terminal, or it has gone away.
  @Test("Nothing is taken if the input is no terminal, and that is said")
  func noTerminal() throws {
    try Self.shell { terminal, before in
      terminal.type("\(Self.binaries)/screen-probe </dev/null\r")
      try Self.expectBack(terminal, before, status: 4)
      #expect(!terminal.bytes.contains(0x1b))
    }
  }

  @Test("Afterwards the shell reads the typed text")
  func typedAfterwards() throws {
    try Self.shell { terminal, before in
      try Self.start(terminal)
      terminal.type("q")
      try Self.expectBack(terminal, before, status: 0)
      terminal.type("echo af''ter\r")
      try terminal.wait(showing: "after\n")
    }
  }

  /// The program that runs in front.
  private static func probe(of terminal: PseudoTerminal) throws -> pid_t {
    let children = "/proc/\(terminal.process)/task/\(terminal.process)/children"
    let text = try String(contentsOfFile: children, encoding: .utf8)
    return try #require(text.split(separator: " ").compactMap { pid_t($0) }.last)
  }
}
