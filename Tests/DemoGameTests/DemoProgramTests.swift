import Foundation
import PseudoTerminal
import Testing

/// A command that prints something and needs no service.
private enum PrintingCommand {
  static let all = [
    ["cubist", "--help"], ["cubist", "rules"], ["cubistd", "--help"], ["cubist-demo", "--help"],
    ["cubist-demo", "--rules"], ["cubist-simulate", "--help"],
    ["cubist-simulate", "--events", "1", "--matches", "1"],
  ]
}

/// `cubist-demo` in a terminal.
@Suite("The demo as a program", .serialized)
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

  @Test(
    "A program whose output cannot be written says so, and fails", arguments: PrintingCommand.all)
  func fullOutput(command: [String]) throws {
    let (process, errors) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "\(Self.binaries)/\(command[0])")
    process.arguments = Array(command.dropFirst())
    process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: "/dev/full"))
    process.standardError = errors
    try process.run()
    try errors.fileHandleForWriting.close()
    let said = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 74)
    let reason = "The standard output cannot be written: No space left on device"
    #expect(String(decoding: said, as: UTF8.self).contains(reason))
  }

  @Test("A program whose reader has gone says nothing, and fails", arguments: PrintingCommand.all)
  func closedPipe(command: [String]) throws {
    var ends: [Int32] = [-1, -1]
    // Unlike a pipe's, its ends are never open in another process.
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
    close(ends[0])
    let (process, errors) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    // The signal of a closed pipe would end it before it can say anything.
    process.arguments =
      ["-c", #"trap "" PIPE; exec "$0" "$@""#, "\(Self.binaries)/\(command[0])"]
      + command.dropFirst()
    process.standardOutput = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
    process.standardError = errors
    try process.run()
    try errors.fileHandleForWriting.close()
    let said = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 74)
    #expect(said.isEmpty, "\(String(decoding: said, as: UTF8.self))")
  }

  @Test("A whole match against the weakest robot by keys, then the rematch, which the robot begins")
  func wholeMatch() throws {
    let terminal = try Self.terminal(["--strength", "easy"])
    defer { terminal.shut() }
    var player = DemoPlayer(terminal)
    // Each turn takes a cube at least.
    for _ in 0..<27 where try player.awaitTurn() { try player.removeCubes() }
    #expect(terminal.text.contains("no cube is left"))
    #expect(player.turnCount > 2)
    try terminal.wait(showing: "R asks for a rematch.")
    terminal.type("r")
    try terminal.wait(showing: "Turns: 1 ")
    try terminal.wait(showing: "Your turn: type a word.")
    // The robot's turn may still be shown, which any key ends.
    terminal.type("/")
    try terminal.wait(showing: "Esc: spell")
    terminal.type("\u{1b}")
    try terminal.wait(showing: "Enter play   Tab way")
    terminal.type("\u{1b}")
    try terminal.wait(showing: "Q quit")
    try terminal.wait(showing: "* your turn")
    terminal.type("q")
    #expect(try terminal.end() == .exit(0))
  }

  @Test(
    "The game begins with the first steps, and the list of robots takes them up again",
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
    try terminal.wait(showing: "[ ] your word")
    terminal.type("\u{1b}")
    try terminal.wait(showing: "Robot, hard")
    terminal.type("f")
    try terminal.wait(showing: "4 of 24")
    terminal.type("\u{3}")
    #expect(try terminal.end() == .exit(0))
  }

  @Test("Keys that only a service has are neither named nor do anything")
  func withoutService() throws {
    let terminal = try Self.terminal(["--strength", "easy"])
    defer { terminal.shut() }
    try terminal.wait(showing: "Your turn: type a word.")
    terminal.type("\u{7}/")
    // The next key is no answer: nothing was asked.
    try terminal.wait(showing: "Esc: spell")
    #expect(!terminal.text.contains("Give up"))
    terminal.type("\u{1b}")
    try terminal.wait(showing: "Your turn: type a word.")
    terminal.type("?")
    try terminal.wait(showing: "Any key goes back.")
    for word in ["share", "boards", "settings", "new match", "give up", "sent again"] {
      #expect(!terminal.text.contains(word), "\(word)")
    }
    #expect(terminal.text.contains("in the list: first steps"))
    terminal.type(" ")
    try terminal.wait(showing: "Your turn: type a word.")
    terminal.type("\u{1b}")
    try terminal.wait(showing: "Robot, medium")
    terminal.type("\u{1b}[B")
    try terminal.wait(showing: "Enter accept  F first steps")
    terminal.type("d")
    terminal.type("\u{1b}[B")
    try terminal.wait(showing: "> Robot, medium")
    #expect(!terminal.text.contains("Decline"))
    terminal.type("q")
    #expect(try terminal.end() == .exit(0))
  }

  @Test("The game names the screen it needs; help and rules are printed anywhere")
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
