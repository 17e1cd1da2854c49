import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import Testing

@testable import cubist

@Suite("Output that cannot be written")
struct OutputTests {
  private static let full = OutputFailure(reason: "No space left on device")
  private static let match = Made.match(0x1234)

  /// A lab whose service begins a match for each request.
  private static func lab() -> CommandLab {
    let lab = CommandLab()
    lab.service.onEvent = { _ in .reply(.accepted(.matchStarted(Made.ticket(match)))) }
    return lab
  }

  // Failure: OutputFailure: The result of a command cannot be written. Status 74. What the command has
  //   done stays done; repeated it tells the answer.
  @Test(
    "A result that cannot be written fails, and the same wish repeated tells it and counts once")
  func result() {
    let lab = Self.lab()
    lab.outputFailure = Self.full
    let first = lab.run("start")
    #expect(first.status == 74)
    #expect(
      first.errors == """
        cubist: The standard output cannot be written: No space left on device. Whatever the command \
        has done stays done. Repeat it to see the answer.

        """)
    #expect(lab.memory.pending.count == 1)
    lab.outputFailure = nil
    let second = lab.run("start")
    #expect(second.status == 0)
    #expect(second.output.hasPrefix("Match 1234 begins.\n"))
    #expect(Set(lab.service.events.map(\.id)).count == 1)
    #expect(lab.memory.pending.isEmpty)
  }

  @Test("Programs get the failure by name")
  func json() {
    let lab = Self.lab()
    lab.outputFailure = Self.full
    let run = lab.run("start --json")
    #expect(run.status == 74)
    #expect(run.errors.contains(#""name":"outputFailed""#))
  }

  @Test(
    "Every form of a result is checked",
    arguments: [
      "rules", "rules --json", "whoami", "verify record", "verify vectors --json", "--help",
      "--version",
    ])
  func forms(line: String) throws {
    let lab = try VerifyTests.lab()
    lab.outputFailure = Self.full
    let run = lab.run(line)
    #expect(run.status == 74, "\(run)")
    #expect(run.errors.contains("No space left on device"))
  }

  @Test(
    "A pipe that its reader has closed ends the command without a word",
    arguments: ["rules", "--help", "--version"])
  func closedPipe(line: String) {
    let lab = Self.lab()
    lab.outputFailure = OutputFailure(reason: "Broken pipe", isClosedPipe: true)
    let run = lab.run(line)
    #expect(run.status == 74)
    #expect(run.errors == "")
  }

  @Test("Recovery words that nobody has seen are never registered")
  func words() {
    let lab = CommandLab()
    lab.service.onEvent = { _ in .reply(.refused(.unavailable)) }
    lab.outputFailure = Self.full
    let run = lab.run("key words --yes")
    #expect(run.status == 74, "\(run)")
    #expect(lab.service.events.isEmpty)
  }

  @Test("Recovery words that have not come to the disk are never registered")
  func wordsOnDisk() {
    let lab = CommandLab()
    lab.service.onEvent = { _ in .reply(.refused(.unavailable)) }
    lab.synchronizeFailure = Self.full
    let run = lab.run("key words --yes")
    #expect(run.status == 74, "\(run)")
    #expect(run.output.contains("Write these words down"), "\(run)")
    #expect(lab.service.events.isEmpty)
  }

  @Test(
    "A question that cannot be shown is not answered, and nothing is done",
    arguments: ["key remove ed4928c6", "key words", "account delete"])
  func questions(line: String) {
    let lab = CommandLab()
    lab.isTerminal = true
    lab.service.onQuery = { if case .keys = $0 { .answer(Made.keys) } else { nil } }
    lab.lines = ["y", "ada"]
    lab.errorFailure = Self.full
    #expect(lab.run(line).status == 74)
    #expect(lab.service.events.isEmpty && lab.lines == ["y", "ada"])
  }

  @Test("What cannot be said beside a result fails the command, and a closed pipe does not")
  func beside() {
    let lab = Self.lab()
    lab.errorFailure = Self.full
    let run = lab.run("start")
    #expect(run.status == 74 && run.output.hasPrefix("Match 1234 begins.\n"), "\(run)")
    #expect(lab.memory.pending.isEmpty)
    lab.errorFailure = OutputFailure(reason: "Broken pipe", isClosedPipe: true)
    #expect(lab.run("start").status == 0)
  }

  @Test("A notice or a refusal that cannot be written is told by the next command")
  func notices() {
    let lab = CommandLab()
    lab.service.onEvent = { _ in .bus(.confirmed) }
    #expect(lab.run("start").status == 75)
    lab.service.onEvent = { _ in .reply(.refused(.unknownMatch)) }
    lab.errorFailure = Self.full
    #expect(lab.run("start").status == 3)
    #expect(lab.memory.pending.count == 1)
    lab.errorFailure = nil
    #expect(lab.run("start").errors.contains("no such match"))
    #expect(lab.memory.pending.isEmpty)
  }
}
