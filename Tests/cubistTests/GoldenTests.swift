import CustomDump
import Foundation
import Testing

@testable import GameScreens
@testable import cubist

/// Each output to the letter; docs/cli.md describes every key. `CUBIST_GOLDEN=1` writes the file
/// anew; review the changes.
@Suite("The JSON of every command")
struct GoldenTests {
  @Test("A command prints exactly this JSON")
  func golden() throws {
    let texts = try GoldenCommand.allCases.map { "# \($0)\n" + (try $0.text()) }
    if ProcessInfo.processInfo.environment["CUBIST_GOLDEN"] != nil {
      try texts.joined().write(to: GoldenCommand.file, atomically: true, encoding: .utf8)
    }
    let reviewed = try String(contentsOf: GoldenCommand.file, encoding: .utf8)
    expectNoDifference(texts.joined(), reviewed)
  }

  @Test("Every schema is held by a golden document")
  func schemas() throws {
    let goldens = try GoldenCommand.allCases.map { try $0.golden }.joined()
    let missing = DocumentSchema.allCases.filter {
      !goldens.contains("\"schema\":\"\($0.rawValue)\"")
    }
    #expect(missing == [])
  }

  @Test("JSON has no colors, on any terminal", arguments: GoldenCommand.allCases)
  func noColors(command: GoldenCommand) throws {
    #expect(try !command.golden.contains("\u{1b}"))
  }
}

extension GoldenCommand {
  fileprivate static let file = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Golden/commands.txt")

  /// Its output, as a person has reviewed it.
  var golden: String {
    get throws {
      let text = "\n" + (try String(contentsOf: Self.file, encoding: .utf8))
      let parts = text.components(separatedBy: "\n# \(self)\n")
      let own = try Position.unwrap(parts.count == 2 ? parts[1] : nil)
      return own.components(separatedBy: "\n# ")[0]
    }
  }
}
