import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import cubistd

@Suite("Operators export and end accounts")
struct AccountEnderTests {
  private let ada = PlayerID(rawValue: 2)

  private func lookup(_ store: OperatorStore) throws -> PlayerLookup {
    var reader = ReaderStore.failing
    let name = try #require(PlayerName("ada"))
    let row = ReaderStore.PlayerRow(
      id: ada, name: name, registeredAt: Instant(microseconds: 0), rating: .initial)
    reader.player.answer { $0 == name ? row : nil }
    return PlayerLookup(reader: reader, store: store)
  }

  @Test("An account is ended as an act with operator and reason, once, and only by its name")
  func end() throws {
    var acts: [ActRow] = []
    var store = OperatorStore.failing
    store.removePlayer.answer { player, act in
      #expect(player == PlayerID(rawValue: 2))
      acts.append(act)
      return acts.count == 1
    }
    let office = AccountEnder(lookup: try lookup(store), operator: "olga")
    let failure = #expect(throws: OperatorFailure.self) {
      try office.end("ada", "eve", reason: "asked")
    }
    #expect(failure?.description.contains("the player is called ada") == true)
    #expect(acts.isEmpty)
    #expect(try office.end("ada", "Ada", reason: "asked") == ada)
    #expect(acts == [ActRow(act: "account ended", detail: "\(ada) by olga: asked")])
    #expect(throws: OperatorFailure.self) { try office.end("ada", "ada", reason: "again") }
  }

  @Test("An export has every section, all pages of each, and is kept among the acts")
  func export() throws {
    var acts: [ActRow] = []
    var store = OperatorStore.failing
    store.keepAct.answer { acts.append($0) }
    let size = AccountSection.pageSize
    store.export.answer { _, section, count in
      guard section == .pastGames else { return [] }
      return (count..<min(size + 1, count + size)).map { #"{"row":\#($0)}"# }
    }
    let office = AccountEnder(lookup: try lookup(store), operator: "olga")
    let text = try office.export("ada", reason: "asked")
    #expect(acts == [ActRow(act: "account exported", detail: "\(ada) by olga: asked")])
    for section in AccountSection.allCases { #expect(text.contains("\"\(section.rawValue)\": [")) }
    #expect(text.contains(#"{"row":0}"#) && text.contains(#"{"row":\#(size)}"#))
    #expect(text.hasPrefix(#"{"schema": "cubistd.account.export/1", "id": "\#(ada)""#))
  }
}
