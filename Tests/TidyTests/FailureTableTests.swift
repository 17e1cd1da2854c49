import CustomDump
import Testing

/// The failures that the sources declare: every case of an error, and every call of a dependency
/// that throws.
struct FailureCensus {
  /// `Type.case`, or `Type` for an error that is no enum.
  private(set) var errors: Set<String> = []
  /// `Interface.question`.
  private(set) var calls: Set<String> = []

  private struct Scope {
    var name: String
    var keyword: Substring
    var isError: Bool
    var depth: Int
  }

  init(_ sources: some Sequence<SourceText>) {
    for source in sources { read(source) }
  }

  private mutating func read(_ source: SourceText) {
    // Made once: a regex is compiled wherever its literal is evaluated.
    let interface = /static var failing\b|: Interface \{/
    let property = /\s*(public|package) var \w+:\s*/
    let declaration = /\b(enum|struct|class|extension|actor)\s+([\w.]+)([^{]*)\{/
    let cases = /^\s*case (.*)/
    let closure = /^\s*(?:public|package) var (\w+):\s+\(.*throws\(/
    let question = /^\s*(?:public|package) var (\w+):\s+Ask<.*, \w+Error>/

    let isDependency = source.code.contains { $0.contains(interface) }
    var scopes: [Scope] = []
    var depth = 0
    var begun = ""
    for piece in source.code {
      // A closure's type that does not fit beside its name is on the next line.
      let line = begun + piece
      begun = ""
      if piece.wholeMatch(of: property) != nil {
        begun = piece
        continue
      }
      if let match = line.firstMatch(of: declaration) {
        let conformances = match.3.replacing(/<[^>]*>/, with: "").split { !$0.isLetter }
        scopes.append(
          Scope(
            name: String(match.2), keyword: match.1,
            isError: match.1 != "extension" && conformances.contains("Error"), depth: depth))
        if let scope = scopes.last, scope.isError, scope.keyword != "enum" {
          errors.insert(FailureCensus.path(scopes))
        }
      } else if let scope = scopes.last, depth == scope.depth + 1 {
        if scope.isError, scope.keyword == "enum",
          let list = line.firstMatch(of: cases)?.1
        {
          for name in FailureCensus.names(in: list) {
            errors.insert("\(FailureCensus.path(scopes)).\(name)")
          }
        }
        if isDependency, scope.keyword == "struct",
          let name = line.firstMatch(of: closure)?.1 ?? line.firstMatch(of: question)?.1
        {
          calls.insert("\(FailureCensus.path(scopes)).\(name)")
        }
      }
      for character in line {
        if character == "{" { depth += 1 } else if character == "}" { depth -= 1 }
      }
      while let last = scopes.last, depth <= last.depth { scopes.removeLast() }
    }
  }

  private static func path(_ scopes: [Scope]) -> String {
    scopes.map(\.name).joined(separator: ".")
  }

  /// The names of `a, b(Int, c: (Int, Int)), d = "e"`.
  private static func names(in list: Substring) -> [String] {
    var depth = 0
    var bare = ""
    for character in list {
      if character == "(" { depth += 1 }
      if depth == 0 { bare.append(character) }
      if character == ")" { depth -= 1 }
    }
    return bare.split(separator: ",").compactMap { part in
      part.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.first.map(String.init)
    }
  }
}

@Suite("Possible failures, and the test of each")
struct FailureTableTests {
  private static let page = "docs/failures.md"

  /// The first cells of the page's tables that are code, one name or several.
  private static func rows() throws -> [String] {
    try Tree.text(page).split(separator: "\n").filter { $0.hasPrefix("| `") }.flatMap { line in
      line.split(separator: "|", maxSplits: 1)[0].matches(of: /`([^`]+)`/).map { String($0.1) }
    }
  }

  private static func census() throws -> FailureCensus {
    // Errors within the simulation reach nobody.
    let sources = try SourceText.all.get().filter {
      $0.key.hasPrefix("Sources/") && !$0.key.hasPrefix("Sources/MatchSimulation/")
    }
    return FailureCensus(sources.values)
  }

  @Test("docs/failures.md has each error and each failing call once, and no other")
  func complete() throws {
    let census = try Self.census()
    #expect(census.errors.count > 100)
    #expect(census.calls.count > 40)
    let rows = try Self.rows()
    let (named, interfaces) = (
      rows.filter { !$0.hasSuffix(".*") }, rows.filter { $0.hasSuffix(".*") }
    )
    let others = interfaces.flatMap { row in
      let calls = census.calls.subtracting(named).filter { $0.hasPrefix(row.dropLast()) }
      return calls.isEmpty ? [row] : Array(calls)
    }
    expectNoDifference(
      (named + others).sorted(), census.errors.union(census.calls).sorted())
  }

  @Test("Every row of docs/failures.md names a test")
  func everyRowHasATest() throws {
    let bare = try Tree.text(Self.page).split(separator: "\n").filter {
      $0.hasPrefix("| `") && LinkTests.namedTests(in: String($0)).isEmpty
    }
    expectNoDifference(bare, [])
  }

  @Test("Cases of errors and calls that throw are found, others are not")
  func finding() {
    let source = SourceText(
      """
      public enum A: Error, Hashable {
        case one(Int, (String, Int)), two
        case three
        enum Kind { case four }
        var text: String {
          switch self {
          case .one: "}"
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
      """)
    let census = FailureCensus([source])
    expectNoDifference(census.errors.sorted(), ["A.Inner", "A.one", "A.three", "A.two"])
    expectNoDifference(
      census.calls.sorted(), ["Bus.send", "Bus.take", "Store.read", "Store.write"])
  }
}
