import ArgumentParser
import FoundationEssentials
import Testing

@testable import cubistd

@Suite("Commands in the documents")
struct DocumentedCommandTests {
  /// The values of placeholders, where not every text will do.
  private static let values = [
    "ROLE": "worker", "N": "3", "R": "fault", "KEY": String(repeating: "0a", count: 32),
  ]

  private static func spans() throws -> Set<String> {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let pages = try FileManager.default.contentsOfDirectory(
      atPath: root.appending(path: "docs").path
    )
    .filter { $0.hasSuffix(".md") }.map { "docs/\($0)" }
    var spans: Set<String> = []
    for page in pages + ["README.md"] {
      let text = String(decoding: try Data(contentsOf: root.appending(path: page)), as: UTF8.self)
      for match in text.matches(of: /`cubistd ([^`]+)`/) { spans.insert(String(match.1)) }
    }
    return spans
  }

  /// Why the words are no command; nil where they are, if need be with more words after them.
  private static func fault(_ span: String) -> String? {
    let words = span.split(separator: " ").map { word -> String in
      let word = String(word.filter { $0 != "…" })
      return values[word] ?? word
    }
    do {
      _ = try Cubistd.parseAsRoot(words)
      return nil
    } catch {
      let message = Cubistd.message(for: error)
      let isMention = words.allSatisfy { $0.allSatisfy { $0.isLowercase || $0 == "-" } }
      let isStrange = message.contains("nknown option") || message.contains("nexpected argument")
      if message.hasPrefix("Missing") || isMention && !isStrange { return nil }
      return "cubistd \(span): \(message)"
    }
  }

  @Test("Each command that a page names exists, with these options")
  func exist() throws {
    let spans = try Self.spans()
    #expect(spans.count > 30)
    #expect(spans.sorted().compactMap(Self.fault) == [])
  }

  @Test("Each command that a finding of status names exists")
  func advised() {
    let commands = Set(Finding.advice.values.map(\.command)).filter { $0.hasPrefix("cubistd ") }
    #expect(commands.count > 10)
    #expect(commands.sorted().compactMap { Self.fault(String($0.dropFirst(8))) } == [])
  }

  @Test(
    "A command that does not exist is found",
    arguments: ["rebuild ID", "check --frobnicate", "dead-letter list"])
  func found(span: String) {
    #expect(Self.fault(span) != nil)
  }
}
