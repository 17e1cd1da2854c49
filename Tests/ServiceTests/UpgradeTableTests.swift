import CustomDump
import Foundation
import MatchService
import MatchStoreLive
import Testing

@testable import Chaos

@Suite("The table of builds side by side")
struct UpgradeTableTests {
  /// The cells of the lines of a table in docs/operating.md, without its head.
  private static func rows(under head: String) throws -> [[String]] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = try String(
      contentsOf: root.appending(path: "docs/operating.md"), encoding: .utf8)
    let lines = page.components(separatedBy: "\n")
    let start = try #require(lines.firstIndex(of: head), "no such table: \(head)")
    return lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  @Test("The table of builds side by side names every role in order, and the schemas of this build")
  func complete() throws {
    let parts = try Self.rows(
      under: "| replaced | part | former and new ones beside each other | the way back |")
    expectNoDifference(parts.map { $0.first }, (1...10).map { "\($0)" })
    let names = parts.map { $0[1].matches(of: /`(\w+)`/).map { String($0.1) } }
    expectNoDifference(
      names.filter { $0 != ["setup"] && $0 != ["cubist"] && !$0.isEmpty }.compactMap(\.first),
      Upgrade.order)
    expectNoDifference(
      Set(names.joined()).subtracting(["setup", "cubist"]),
      Set(RoleName.allCases.map(\.rawValue)))
    #expect(names.first == ["setup"] && names.last == ["cubist"])
    #expect(parts.allSatisfy { $0.count == 4 && $0.allSatisfy { !$0.isEmpty } })

    let schemas = try Self.rows(under: "| build of schema | works on a database of schema |")
    let current = Schema.requiredVersion
    expectNoDifference(schemas.first?.first, "\(current), this one")
    expectNoDifference(
      schemas.first?.last, Schema.usableVersions.map(String.init).joined(separator: ", "))
    for (back, row) in schemas.enumerated().dropFirst() {
      expectNoDifference(row, ["\(current - back)", "\(current - back), \(current - back + 1)"])
    }
    #expect(schemas.count > 1)
  }
}
