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

  private static func rows(_ rows: [String], next: Int64? = nil) -> JSONObject {
    JSONObject([
      ("rows", .array(rows.map { .string($0) })), ("next", next.map { .integer($0) }),
    ])
  }

  /// An export whose rows are due.
  private static func withAnswers() throws -> AccountExport {
    var export = try begun()
    try export.take(page([]))
    try export.take(JSONObject())
    return export
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
      switch export.part {
      case .pastGames: try export.take(Self.page([]))
      case .kept: try export.take(Self.rows([]))
      default: try export.take(JSONObject())
      }
    }
    expectNoDifference(
      asked,
      [
        .whoAmI, .settings, .keys, .blocks, .inbox, .matches,
        .pastGames(Query.PastGames(limit: 100)), .dailyHistory,
      ] + AccountSection.allCases.map { .account(Query.Account($0)) })
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

  @Test("Rows come section by section and page by page, until there is no place further on")
  func rows() throws {
    var export = try Self.withAnswers()
    #expect(export.rowsDue == Query.Account(.player))
    try export.take(Self.rows([#"{"a":1}"#], next: 1))
    #expect(export.rowsDue == Query.Account(.player, after: 1))
    var other = export
    try export.take(Self.rows([#"{"a":2.50}"#]))
    #expect(export.rowsDue == Query.Account(.keys))
    for next: Int64 in [0, 1, 1_000_001] {
      var same = other
      try same.take(Self.rows([], next: next))
      #expect(same.rowsDue == Query.Account(.keys), "\(next)")
    }
    try other.take(Self.rows([], next: 2))
    #expect(other.rowsDue == Query.Account(.player, after: 2))
  }

  @Test("Rows that are none are a fault, and are asked for again")
  func rowFaults() throws {
    var export = try Self.withAnswers()
    let before = export
    for page in [
      JSONObject(), JSONObject([("rows", .array([.number(1)]))]), Self.rows(["[]"]),
      Self.rows(["{"]), Self.rows(["{}", "1"]), Self.rows([], next: -1),
      Self.rows([], next: .max),
    ] {
      #expect(throws: WireFault.self) { try export.take(page) }
      #expect(export == before)
    }
  }

  @Test("An older service does not know a section: the file goes on and names it")
  func refusedRows() throws {
    /// Whether an export goes on without an answer.
    func goesOn(_ export: inout AccountExport, _ refusal: QueryRefusal?) -> Bool {
      export.takeRefusal(refusal)
    }
    let unknown = QueryRefusal.malformed("type")
    var export = try Self.begun()
    #expect(!goesOn(&export, unknown))
    export = try Self.withAnswers()
    #expect(!goesOn(&export, nil))
    #expect(!goesOn(&export, .unavailable))
    while let asked = export.rowsDue {
      if asked.section == .keys || asked.section == .notifications {
        #expect(goesOn(&export, unknown))
      } else {
        try export.take(Self.rows([]))
      }
    }
    #expect(export.part == nil && export.lacking == [.keys, .notifications])
    let file = try JSONReader.object(of: export.document(at: Instant(microseconds: 9)))
    #expect(file["lacking"] == .array(["keys", "notifications"]))
    #expect(try file.object("kept").members.count == AccountSection.allCases.count - 2)
    #expect(!goesOn(&export, unknown))
  }

  @Test("The file has a line for each value, and can be read again")
  func document() throws {
    var export = try Self.begun()
    try export.take(Self.page([1, 2]))
    try export.take(JSONObject([("results", .array([])), ("text", "a\"\n"), ("none", .null)]))
    try export.take(Self.rows([#"{"id": "a", "rating": 1.50}"#]))
    while export.rowsDue != nil, export.takeRefusal(.malformed("type")) {}
    let text = String(decoding: export.document(at: Instant(microseconds: 9)), as: UTF8.self)
    let lacking = AccountSection.allCases.dropFirst().map { "\"\($0.rawValue)\"" }
      .joined(separator: ",\n    ")
    expectNoDifference(
      text,
      #"""
      {
        "schema": "cubist.account.2",
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
        },
        "kept": {
          "player": [
            {
              "id": "a",
              "rating": 1.50
            }
          ]
        },
        "lacking": [
          \#(lacking)
        ]
      }

      """#)
    let read = try JSONReader.object(of: Array(text.utf8), limits: .answer)
    #expect(read.members.count == AccountExport.Part.allCases.count + 3)
  }
}
