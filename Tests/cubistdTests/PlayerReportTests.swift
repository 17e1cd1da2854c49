import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import cubistd

@Suite("Reports about players, for operators")
struct PlayerReportTests {
  private static let at = Instant(microseconds: 1_790_000_000_000_000)

  private static func row(_ text: String?) -> ReportRow {
    ReportRow(
      report: Report(
        PlayerID(rawValue: 1), in: MatchID(rawValue: 9), about: PlayerID(rawValue: 2),
        reason: .words, text: text.flatMap { Report.Text($0) }, at: at),
      player: "ann", other: "bob", reporterCount: 4)
  }

  @Test("A report is a line with time, players, match, reason and the player's words")
  func text() {
    #expect([ReportRow]().text == "Nobody is reported.")
    let lines = [Self.row("turn 3 is no joke"), Self.row(nil)].text.split(separator: "\n")
    #expect(lines.count == 3)
    let line =
      "\(Self.at)  bob             4  ann  \(MatchID(rawValue: 9))  words   \"turn 3 is no joke\""
    #expect(lines[1] == line)
    #expect(lines[2].hasSuffix("words   -"))
  }

  @Test("A player's words imitate no other column or row: they are quoted, with single spaces")
  func quoting() {
    let spaces = String(repeating: " ", count: 90)
    for (text, shown) in [
      ("a  b", "\"a b\""), ("ok\(spaces)2026-01-01  bob  9", "\"ok 2026-01-01 bob 9\""),
      ("a\"  \"b", "\"a' 'b\""), ("\"", "\"'\""), ("-", "\"-\""),
      ("a\"\u{301} b", "\"a'\u{301} b\""),
    ] {
      let line = [Self.row(text)].text.split(separator: "\n").last
      #expect(line?.hasSuffix("  words   \(shown)") == true, "\(text.debugDescription)")
    }
  }

  @Test("Programs get the ids, too")
  func json() throws {
    let (by, player) = (PlayerID(rawValue: 1), PlayerID(rawValue: 2))
    let expected = #"""
      {"reports":[{"at":"\#(Self.at)","by":"\#(by)","byName":"ann","match":\#
      "\#(MatchID(rawValue: 9))","player":"\#(player)","playerName":"bob","reason":"words",\#
      "reporters":4,"text":"turn 3"}],"schema":"cubistd.reports/1"}
      """#
    let json = try [Self.row("turn 3")].json()
    #expect(json == expected + "\n")
  }

  @Test("A player is shown with the number of reports and the newest of them")
  func player() throws {
    var reader = ReaderStore.failing
    reader.player.answer { name in
      ReaderStore.PlayerRow(id: PlayerID(rawValue: 2), name: name, registeredAt: Self.at)
    }
    reader.players.answer { _ in [:] }
    reader.currentMatches.answer { _, _, _ in .init() }
    var store = OperatorStore.failing
    store.account.answer { _ in
      var account = AccountRow()
      (account.reportCount, account.lateReportCount) = (7, 3)
      (account.reporterCount, account.lateReporterCount) = (2, 1)
      return account
    }
    store.reports.answer { player, limit in
      #expect(player == PlayerID(rawValue: 2) && limit == 5)
      return [KeptReport(Self.row("turn 3").report, reporterCount: 2)]
    }
    let found = try PlayerLookup(reader: reader, store: store).find("bob", reports: 5)
    #expect(found.text.contains("by 1 player in 30 days, by 2 players in all, 7 kept"))
    #expect(found.text.contains("turn 3"))
    #expect(try found.json().contains(#""reports":{"in30Days":3,"kept":7,"newest":[{"at":"#))
    #expect(try found.json().contains(#"],"players":2,"playersIn30Days":1}"#))
    #expect(!found.text.contains("\nend"))
  }

  @Test("A player whose account ends or has ended is shown with the time")
  func departure() throws {
    let row = ReaderStore.PlayerRow(
      id: PlayerID(rawValue: 2), name: try #require(PlayerName("bob")),
      registeredAt: Self.at)
    var account = AccountRow()
    account.leavesAt = Self.at
    var found = PlayerLookup.Found(row: row, account: account, matchCount: 0)
    #expect(found.text.contains("at \(Self.at) or later: the player has asked for that"))
    #expect(try found.json().contains(#""leavesAt":"\#(Self.at)""#))
    (found.account.leavesAt, found.account.goneAt) = (nil, Self.at)
    #expect(found.text.split(separator: "\n").contains { $0.hasPrefix("ended") })
    #expect(try found.json().contains(#""goneAt":"\#(Self.at)""#))
  }
}
