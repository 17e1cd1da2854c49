import CustomDump
import Foundation
import Testing

@Suite("Links in the documentation")
struct LinkTests {
  /// Targets of Markdown links that are neither addresses nor in a code block.
  static func relativeLinks(in markdown: String) -> [String] {
    var isCode = false
    return markdown.split(separator: "\n").flatMap { line -> [String] in
      if line.drop(while: { $0 == " " }).hasPrefix("```") { isCode.toggle() }
      if isCode { return [] }
      return line.replacing(/`[^`]*`/, with: "").matches(of: /\]\(([^)\s]+)(?:\s+"[^"]*")?\)/)
        .map { String($0.1) }
        .filter { !$0.contains("://") && !$0.hasPrefix("mailto:") }
    }
  }

  /// Anchors of headings as code hosts make them.
  static func anchors(in markdown: String) -> Set<String> {
    var isCode = false
    var found: Set<String> = []
    for line in markdown.split(separator: "\n") {
      if line.hasPrefix("```") { isCode.toggle() }
      // A literal of a regex is compiled wherever it is evaluated.
      guard !isCode, line.hasPrefix("#"), let heading = line.wholeMatch(of: /#{1,6} +(.+)/)?.1
      else { continue }
      found.insert(
        String(
          heading.lowercased().compactMap { character in
            character == " "
              ? "-"
              : character.isLetter || character.isNumber || "-_".contains(character)
                ? character : nil
          }))
    }
    return found
  }

  static func broken(in path: String) throws -> [String] {
    let text = try Tree.text(path)
    return try relativeLinks(in: text).filter { link in
      let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      let folder = URL(filePath: "/" + path).deletingLastPathComponent()
      let target =
        parts[0].isEmpty
        ? path
        : String(folder.appending(path: String(parts[0])).standardized.path.dropFirst())
      guard Tree.exists(target) else { return true }
      guard parts.count == 2, target.hasSuffix(".md") else { return false }
      return try !anchors(in: Tree.text(target)).contains(String(parts[1]))
    }
  }

  @Test("Relative links lead to files and headings that exist")
  func tree() throws {
    var paths = ["docs", "deploy", "Sources", "Tests", "Benchmarks"].flatMap {
      Tree.files(in: $0, endingIn: [".md"])
    }
    paths += ["README.md", "CHANGELOG.md"].filter(Tree.exists)
    #expect(!paths.isEmpty)
    let wrong = try paths.flatMap { path in
      try Self.broken(in: path).map { "\(path): \($0)" }
    }
    expectNoDifference(wrong, [])
  }

  /// Tests that a page names by their sentence: “sentence” as the text of a link to their file.
  static func namedTests(in markdown: String) -> [(sentence: String, file: String)] {
    // A line may end within a sentence.
    markdown.replacing("\n", with: " ")
      .matches(of: /\[“([^”]+)”\]\(([^)\s]+\.swift)\)/).map { (String($0.1), String($0.2)) }
  }

  @Test("A test that a page names stands in the file that it links to")
  func tests() throws {
    var wrong: [String] = []
    var count = 0
    for path in Tree.files(in: "docs", endingIn: [".md"]) + ["README.md"] {
      let folder = URL(filePath: "/" + path).deletingLastPathComponent()
      for (sentence, file) in try Self.namedTests(in: Tree.text(path)) {
        count += 1
        let target = String(folder.appending(path: file).standardized.path.dropFirst())
        let text = Tree.exists(target) ? try Tree.text(target) : ""
        if !text.contains("\"\(sentence)\"") { wrong.append("\(path): \(sentence)") }
      }
    }
    expectNoDifference(wrong, [])
    #expect(count > 20)
  }

  /// Tests that a page names by their code: `Suite.function` as the text of a link to their file.
  static func namedFunctions(
    in markdown: String
  ) -> [(suite: String, function: String, file: String)] {
    markdown.replacing("\n", with: " ")
      .matches(of: /\[`(\w+Tests)\.(\w+)`\]\(([^)\s]+\.swift)\)/)
      .map { (String($0.1), String($0.2), String($0.3)) }
  }

  @Test("A test that a page names by its function stands in the file that it links to")
  func functions() throws {
    var wrong: [String] = []
    var count = 0
    for path in Tree.files(in: "docs", endingIn: [".md"]) + ["README.md"] {
      let folder = URL(filePath: "/" + path).deletingLastPathComponent()
      for (suite, function, file) in try Self.namedFunctions(in: Tree.text(path)) {
        count += 1
        let target = String(folder.appending(path: file).standardized.path.dropFirst())
        let text = Tree.exists(target) ? try Tree.text(target) : ""
        if !text.contains("struct \(suite) ") || !text.contains("func \(function)(") {
          wrong.append("\(path): \(suite).\(function)")
        }
      }
    }
    expectNoDifference(wrong, [])
    #expect(count > 20)
  }

  /// Tests in a browser that a page names: the function as the text of a link to its file.
  static func namedBrowserTests(in markdown: String) -> [(function: String, file: String)] {
    markdown.replacing("\n", with: " ")
      .matches(of: /\[`(test_\w+)`\]\(([^)\s]+\.py)\)/).map { (String($0.1), String($0.2)) }
  }

  @Test("A test in a browser that a page names stands in the file that it links to")
  func browserTests() throws {
    var wrong: [String] = []
    var count = 0
    for path in Tree.files(in: "docs", endingIn: [".md"]) {
      let folder = URL(filePath: "/" + path).deletingLastPathComponent()
      for (function, file) in try Self.namedBrowserTests(in: Tree.text(path)) {
        count += 1
        let target = String(folder.appending(path: file).standardized.path.dropFirst())
        let text = Tree.exists(target) ? try Tree.text(target) : ""
        if !text.contains("def \(function)(") { wrong.append("\(path): \(function)") }
      }
    }
    expectNoDifference(wrong, [])
    #expect(count > 10)
  }

  @Test("Every trouble of the page that docs/failures.md lists names a test")
  func troubles() throws {
    let parts = try Tree.text("docs/failures.md").split(separator: "## Troubles of the page")
    let rows = try #require(parts.last?.split(separator: "\n## ").first).split(separator: "\n")
      .filter { $0.hasPrefix("| ") && !$0.hasPrefix("| missing") }
    #expect(rows.count > 10)
    expectNoDifference(Self.untested(rows), [])
  }

  /// The rows that name no test.
  private static func untested(_ rows: [Substring]) -> [String] {
    rows.map { String($0) }.filter {
      namedTests(in: $0).isEmpty && namedBrowserTests(in: $0).isEmpty
    }
  }

  @Test("Every attempt that docs/security.md lists names a test")
  func attempts() throws {
    let rows = try Tree.text("docs/security.md").split(separator: "\n").filter {
      $0.hasPrefix("| ") && !$0.hasPrefix("| attempt") && !$0.hasPrefix("| what")
    }
    #expect(rows.count > 15)
    expectNoDifference(Self.untested(rows), [])
  }

  @Test("Links are told from addresses and code")
  func links() {
    let markdown = """
      [a](b.md) and ![c](d/e.svg "title"), not [f](https://example.com) nor `[g](h)`
      ```
      [i](j)
      ```
      [k](#l)
      """
    #expect(Self.relativeLinks(in: markdown) == ["b.md", "d/e.svg", "#l"])
  }

  @Test("Headings become anchors")
  func headings() {
    let markdown = "# One `two`, three\n## Ä-b c\n```\n# no\n```\n"
    #expect(Self.anchors(in: markdown) == ["one-two-three", "ä-b-c"])
  }
}
