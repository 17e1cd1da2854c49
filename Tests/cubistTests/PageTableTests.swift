import FoundationEssentials
import Testing

@testable import cubist

/// The table of docs/web.md that compares the commands with the page.
@Suite("The commands on the page")
struct PageTableTests {
  private static func table() throws -> [Substring] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let data = try Data(contentsOf: root.appending(path: "docs/web.md"))
    let part = String(decoding: data, as: UTF8.self).split(separator: "\n## ").first {
      $0.hasPrefix("The commands on the page")
    }
    return try #require(part).split(separator: "\n").filter { $0.hasPrefix("| `") }
  }

  @Test("Each command has one row, and each row is about commands that there are")
  func commands() throws {
    let rows = try Self.table().map { $0.split(separator: "|") }
    let listed = rows.flatMap { row in
      (row.first ?? "").matches(of: /`(cubist[^`]*)`/).map { String($0.1) }
    }
    let names = DocumentationTests.names(of: Cubist.self)
    #expect(names.count > 20 && listed.sorted() == names.sorted())
  }

  @Test("Each row says the place, or why there is none")
  func places() throws {
    for row in try Self.table() {
      let cells = row.split(separator: "|").map { $0.trimmingPrefix(" ") }
      #expect(cells.count == 2)
      let place = try #require(cells.last)
      #expect(!place.isEmpty && (!place.hasPrefix("none") || place.hasPrefix("none: ")), "\(row)")
    }
  }
}
