import CustomDump
import Testing

@testable import GameScreens
@testable import cubist

@Suite("The JSON of every command")
struct GoldenTests {
  @Test("A command prints exactly this JSON", arguments: GoldenCommand.allCases)
  func golden(command: GoldenCommand) throws {
    expectNoDifference(try command.text(), command.golden)
  }

  @Test("Every schema is held by a golden document")
  func schemas() {
    let goldens = GoldenCommand.allCases.map(\.golden).joined()
    let missing = DocumentSchema.allCases.filter {
      !goldens.contains("\"schema\":\"\($0.rawValue)\"")
    }
    #expect(missing == [])
  }

  @Test("JSON has no colors, on any terminal", arguments: GoldenCommand.allCases)
  func noColors(command: GoldenCommand) {
    #expect(!command.golden.contains("\u{1b}"))
  }
}
