import ArgumentParser
import FoundationEssentials
import MatchCore
import Testing

@testable import GameScreens
@testable import cubist

@Suite("docs/cli.md")
struct DocumentationTests {
  private static func page(_ path: String = "docs/cli.md") throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return String(decoding: try Data(contentsOf: root.appending(path: path)), as: UTF8.self)
  }

  /// The words that begin a command, such as `cubist daily start`.
  static func names(
    of command: any ParsableCommand.Type, after prefix: String = ""
  ) -> [String] {
    let name = command.configuration.commandName ?? "\(command)".lowercased()
    let full = prefix.isEmpty ? name : "\(prefix) \(name)"
    return [full] + command.configuration.subcommands.flatMap { names(of: $0, after: full) }
  }

  @Test("The page names every command")
  func commands() throws {
    let page = try Self.page()
    let names = Self.names(of: Cubist.self).filter { $0 != "cubist key" }
    #expect(names.count > 20)
    #expect(names.filter { !page.contains("`\($0)`") && !page.contains("`\($0) ") } == [])
  }

  @Test("The page names every key and every schema that is printed")
  func keys() throws {
    let page = try Self.page()
    var keys: Set<String> = []
    for command in GoldenCommand.allCases {
      for line in try command.golden.split(separator: "\n") {
        keys.formUnion(try JSONKeys.keys(of: String(line)))
      }
    }
    #expect(keys.count > 60)
    #expect(keys.sorted().filter { !page.contains("`\($0)`") } == [])
    #expect(DocumentSchema.allCases.filter { !page.contains("`\($0.rawValue)`") } == [])
  }

  @Test("The page and that of the architecture list the kinds of notification")
  func notifications() throws {
    let kinds = PushJob.Kind.optional.map(\.rawValue)
    let list = try #require(try Self.page().firstMatch(of: /`kinds` \(([^:]+): whether/))
    #expect(list.1.matches(of: /`(\w+)`/).map { String($0.1) } == kinds)
    let all = PushJob.Kind.allCases.map(\.rawValue)
    let owed = try Self.page("docs/architecture.md").split(separator: "## Owed push jobs")
    let table = try #require(owed.last?.split(separator: "\n#").first)
    let rows = table.matches(of: /\| `(\w+)` \|/)
    #expect(rows.map { String($0.1) }.sorted() == all.sorted())
  }

  @Test("The page names every exit status")
  func statuses() throws {
    let page = try Self.page()
    #expect(ExitStatus.allCases.filter { !page.contains("\n| \($0.rawValue) | ") } == [])
  }

  @Test("The page names every option that all commands take, and the environment")
  func options() throws {
    let page = try Self.page()
    for name in [
      "--profile", "--url", "--json", "--plain", "--no-color", "--timeout", "--quiet", "--verbose",
      "CUBIST_PROFILE", "CUBIST_URL", "XDG_STATE_HOME", "NO_COLOR",
    ] {
      #expect(page.contains(name))
    }
  }
}

/// Every key of a JSON document, however deep.
private enum JSONKeys: Decodable {
  case object([String: JSONKeys])
  case array([JSONKeys])
  case other

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let object = try? container.decode([String: JSONKeys].self) {
      self = .object(object)
    } else if let array = try? container.decode([JSONKeys].self) {
      self = .array(array)
    } else {
      self = .other
    }
  }

  static func keys(of text: String) throws -> Set<String> {
    try JSONDecoder().decode(JSONKeys.self, from: Data(text.utf8)).keys
  }

  private var keys: Set<String> {
    switch self {
    case .object(let object):
      object.values.reduce(into: Set(object.keys)) { $0.formUnion($1.keys) }
    case .array(let array): array.reduce(into: []) { $0.formUnion($1.keys) }
    case .other: []
    }
  }
}
