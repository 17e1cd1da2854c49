import CustomDump
import Foundation
import Testing

@Suite("Tables that are made from the code: deploy/make-pages")
struct MadePageTests {
  @Test("Each error and failing call has its meaning and its test, and the pages are as made")
  func pages() throws {
    let run = try Tree.run("deploy/make-pages", "--check")
    expectNoDifference(run.output, "")
    #expect(run.status == 0, "run deploy/make-pages")
  }

  private static let source = """
    public enum A: Error, Hashable {
      case one(Int, (String, Int)), two  // case none
      case three
      enum Kind { case four }
      var text: String {
        switch self {
        case .one: "}\\(f("{"))"
        default: ""
        }
      }
      struct Inner: Error {}
    }
    enum B: String { case five }
    public struct Store {
      public var read: (_ id: Int) throws(A) -> Int
      public var write:
        (_ id: Int, _ text: String) throws(A) -> Int
      public var close: () -> Void
      static var failing: Store { Store() }
    }
    public struct Bus: Interface {
      public var send: Ask<(Int, String), Void, BusError>
      public var take:
        Ask<Void, [Int: String], BusError>
      public var close: Ask<Void, Void, Never>
    }
    struct Asked<Failure: Error>: Equatable {}

    """

  // A tilde keeps the script from reading them here.
  private static let tests = """
    ~ A.one, A.two: Nothing
    //   happens.
    ~ Store.read: It waits.
    ~ A.gone: There is none.
    @Test("First")
    ~ A.three
    ~ Store.read
    /// With "quotes".
    @Test(
      "Second",
    ~ Bus.*: It ends.
    @Test("Third")

    """.replacing("~", with: "// Failure:")

  @Test("Cases of errors, failing calls and the tests above which they stand are found, others not")
  func finding() throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "pages-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: root) }
    let page = "<!-- errors: A -->\n<!-- end -->\n<!-- calls: Store Bus -->\n<!-- end -->\n"
    for (path, text) in [
      ("Sources/M/A.swift", Self.source), ("Tests/T/T.swift", Self.tests),
      ("docs/failures.md", page),
    ] {
      let file = root.appending(path: path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    let run = try Tree.run("deploy/make-pages", "--root", root.path)
    #expect(run.status == 1)
    expectNoDifference(
      run.output,
      """
      A.Inner has no test: write “// Failure: A.Inner: …” above it
      A.gone is no error and no failing call of Sources
      A.three has no test: write “// Failure: A.three: …” above it
      Store.write has no test: write “// Failure: Store.write: …” above it
      Tests/T/T.swift: no test says what A.three means
      docs/failures.md has no table for A.Inner

      """)
    expectNoDifference(
      try String(contentsOf: root.appending(path: "docs/failures.md"), encoding: .utf8),
      """
      <!-- errors: A -->
      | error | meaning and consequence | test |
      |---|---|---|
      | `A.one`, `A.two` | Nothing happens. | [“First”](../Tests/T/T.swift) |
      <!-- end -->
      <!-- calls: Store Bus -->
      | call | consequence of a failure | test |
      |---|---|---|
      | `Store.read` | It waits. | [“First”](../Tests/T/T.swift), [“Second”](../Tests/T/T.swift) |
      | `Bus.*` | It ends. | [“Third”](../Tests/T/T.swift) |
      <!-- end -->

      """)
  }
}
