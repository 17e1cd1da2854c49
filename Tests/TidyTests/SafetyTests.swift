import CustomDump
import Testing

@Suite("Escapes from the concurrency checker")
struct SafetyTests {
  /// Lines with an escape and no `// SAFETY:` on it or within the three lines above.
  static func unjustified(in source: SourceText) -> [Int] {
    // Made once: a regex is compiled wherever its literal is evaluated.
    let escape = /@unchecked\s+Sendable|nonisolated\(unsafe\)/
    return source.code.indices.filter { index in
      source.code[index].contains(escape)
        && !source.lines[max(0, index - 3)...index].contains { $0.contains("// SAFETY:") }
    }.map { $0 + 1 }
  }

  @Test("Every escape says why it is safe")
  func tree() throws {
    var wrong: [String] = []
    for (path, source) in try SourceText.all.get() {
      wrong += Self.unjustified(in: source).map { "\(path):\($0)" }
    }
    expectNoDifference(wrong.sorted(), [])
  }

  @Test("An escape without a reason is found, one with a reason is not")
  func finding() {
    let source = SourceText(
      """
      // SAFETY: immutable after init.
      struct A: @unchecked Sendable {}



      struct B: @unchecked Sendable {}
      // nonisolated(unsafe) in a comment
      nonisolated(unsafe) var c = 0
      """)
    #expect(Self.unjustified(in: source) == [6, 8])
  }
}
