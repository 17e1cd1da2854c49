import CustomDump
import Foundation
import Testing

@testable import GameScreens
@testable import cubist

/// Each output to the letter; docs/cli.md describes every key. `CUBIST_GOLDEN=1` writes the files
/// anew; review the changes.
@Suite("The JSON of every command")
struct GoldenTests {
  @Test("A command prints exactly this JSON", arguments: GoldenCommand.allCases)
  func golden(command: GoldenCommand) throws {
    let text = try command.text()
    if ProcessInfo.processInfo.environment["CUBIST_GOLDEN"] != nil {
      try text.write(to: command.file, atomically: true, encoding: .utf8)
    }
    expectNoDifference(text, try command.golden)
  }

  @Test("Every schema is held by a golden document")
  func schemas() throws {
    let goldens = try GoldenCommand.allCases.map { try $0.golden }.joined()
    let missing = DocumentSchema.allCases.filter {
      !goldens.contains("\"schema\":\"\($0.rawValue)\"")
    }
    #expect(missing == [])
  }

  @Test("Every golden document is a command's")
  func files() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: GoldenCommand.folder.path)
    #expect(files.sorted() == GoldenCommand.allCases.map { "\($0).json" }.sorted())
  }

  @Test("JSON has no colors, on any terminal", arguments: GoldenCommand.allCases)
  func noColors(command: GoldenCommand) throws {
    #expect(try !command.golden.contains("\u{1b}"))
  }
}

extension GoldenCommand {
  fileprivate static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Golden")

  fileprivate var file: URL { Self.folder.appending(path: "\(self).json") }

  /// Its output, as a person has reviewed it.
  var golden: String {
    get throws { try String(contentsOf: file, encoding: .utf8) }
  }
}
