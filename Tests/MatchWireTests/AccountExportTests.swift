import CustomDump
import MatchCore
import Testing

@testable import MatchWire

@Suite("The file with everything about a player")
struct AccountExportTests {
  private static let game = PastGamesCursor(
    endedAt: Instant(microseconds: 5), match: MatchID(rawValue: 7))

  private static func page(_ games: [Int], next: PastGamesCursor? = nil) -> JSONObject {
    JSONObject([
      ("games", .array(games.map { .number($0) })), ("next", next.map { .text($0) }),
    ])
  }

  /// An export whose past games are due.
  private static func begun() throws -> AccountExport {
    var export = AccountExport()
    while let part = export.part, part != .pastGames {
      try export.take(JSONObject([("a", .string(part.rawValue))]))
    }
    return export
  }

  @Test("Each part is asked for once, in its order")
  func order() throws {
    var export = AccountExport()
    var asked: [Query.Kind] = []
    while let question = export.question {
      asked.append(question)
      try export.take(export.part == .pastGames ? Self.page([]) : JSONObject())
    }
    expectNoDifference(
      asked,
      [
        .whoAmI, .settings, .keys, .blocks, .inbox, .matches,
        .pastGames(Query.PastGames(limit: 100)), .dailyHistory,
      ])
    // Nothing is due any more.
    let before = export
    try export.take(JSONObject([("a", .null)]))
    #expect(export == before && export.part == nil)
  }

  @Test("Past games come page by page, until there is none, or an empty one")
  func pages() throws {
    var export = try Self.begun()
    try export.take(Self.page([1, 2], next: Self.game))
    #expect(
      export.question == .pastGames(Query.PastGames(before: Self.game, limit: 100)))
    var other = export
    try export.take(Self.page([3]))
    #expect(export.part == .dailies)
    try other.take(Self.page([], next: Self.game))
    #expect(other.part == .dailies)
  }

  @Test("A page of past games that is none is a fault, and is asked for again")
  func fault() throws {
    var export = try Self.begun()
    let before = export
    for page in [JSONObject(), JSONObject([("games", .array([])), ("next", "x")])] {
      #expect(throws: WireFault.self) { try export.take(page) }
      #expect(export == before)
    }
  }

  @Test("The file has a line for each value, and can be read again")
  func document() throws {
    var export = try Self.begun()
    try export.take(Self.page([1, 2]))
    try export.take(JSONObject([("results", .array([])), ("text", "a\"\n"), ("none", .null)]))
    let text = String(decoding: export.document(at: Instant(microseconds: 9)), as: UTF8.self)
    expectNoDifference(
      text,
      #"""
      {
        "schema": "cubist.account.1",
        "exportedAt": 9,
        "player": {
          "a": "player"
        },
        "settings": {
          "a": "settings"
        },
        "keys": {
          "a": "keys"
        },
        "blocks": {
          "a": "blocks"
        },
        "inbox": {
          "a": "inbox"
        },
        "matches": {
          "a": "matches"
        },
        "pastGames": [
          1,
          2
        ],
        "dailies": {
          "results": [],
          "text": "a\"\u000a",
          "none": null
        }
      }

      """#)
    let read = try JSONReader.object(of: Array(text.utf8), limits: .answer)
    #expect(read.members.count == AccountExport.Part.allCases.count + 2)
  }
}
