import CustomDump
import Testing

@Suite("Sizes")
struct SizeTests {
  static let lineLimit = 500
  static let columnLimit = 110

  static func excesses(in text: String) -> [String] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    var found = lines.indices.filter { lines[$0].count > columnLimit }
      .map { "\($0 + 1): \(lines[$0].count) columns" }
    // The last line break ends a line and begins none.
    let count = lines.last == "" ? lines.count - 1 : lines.count
    if count > lineLimit { found.append("\(count) lines") }
    return found
  }

  @Test("Files are short enough to be read")
  func tree() throws {
    var wrong: [String] = []
    for folder in ["Sources", "Tests", "Benchmarks"] {
      for path in Tree.files(in: folder, endingIn: [".swift", ".c", ".h"]) {
        wrong += Self.excesses(in: try Tree.text(path)).map { "\(path):\($0)" }
      }
    }
    expectNoDifference(wrong, [])
  }

  @Test("Text beyond a limit is found, and text at the limit is not")
  func finding() {
    let line = String(repeating: "ä", count: Self.columnLimit)
    #expect(Self.excesses(in: line) == [])
    #expect(Self.excesses(in: "a\n\(line)b") == ["2: 111 columns"])
    let file = String(repeating: "a\n", count: Self.lineLimit)
    #expect(Self.excesses(in: file) == [])
    #expect(Self.excesses(in: file + "a\n") == ["501 lines"])
  }
}
