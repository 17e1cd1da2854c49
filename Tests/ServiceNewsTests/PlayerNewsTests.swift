import CubePlay
import MatchCore
import MatchWire
import Testing

@testable import ServiceNews

@Suite("Another player in sentences")
struct PlayerNewsTests {
  private static func summary(_ score: HeadToHead.Score) throws -> HeadToHead {
    HeadToHead(
      opponent: PlayerID(rawValue: 2), opponentName: try #require(PlayerName("ben")), score: score)
  }

  @Test("The matches between the two are told, and a rematch that is running can be reported")
  func lines() throws {
    var summary = try Self.summary(.init(won: 7, lost: 4, tied: 1))
    summary.run = .init(result: .lost, count: 3)
    let match = MatchID(rawValue: 9)
    summary.bestWord = .init(word: "CUBES", points: 48, match: match, turn: 2)
    summary.opponentBestWord = .init(word: "CUBE", points: 1, match: match, turn: 2)
    summary.series = .init(
      score: .init(won: 1), startedAt: Instant(microseconds: 0), running: MatchID(rawValue: 8))
    summary.hasOlder = true
    let news = PlayerNews(summary, isBlocked: true)
    #expect(
      news.lines == [
        "You two had 12 matches: 7 won, 4 lost, 1 tied.", "You lost the last 3 matches.",
        "Your best word: CUBES, 48 points.", "Best word of ben: CUBE, 1 point.",
        "Your series of rematches: 1 won, 0 lost, 0 tied.", "Older matches are not counted.",
      ])
    #expect(news.match == MatchKey(MatchID(rawValue: 8)) && news.isBlocked)
    let none = PlayerNews(try Self.summary(.init()), isBlocked: false)
    #expect(none.lines == ["You two have no past match that counts."] && none.match == nil)
  }

  @Test("The reasons are those of the service, and spaces around a text do not count")
  func report() {
    #expect(ReportReason.allCases.map(\.rawValue) == Report.Reason.allCases.map(\.rawValue))
    #expect(
      ReportReason.allCases.map { Report.Reason($0).rawValue }
        == ReportReason.allCases.map(\.rawValue))
    #expect(Report.Text(typed: "  a b ")?.text == "a b")
    #expect(Report.Text(typed: "  ") == nil)
    #expect(FieldChecks.live.reportText("a ") == nil)
    #expect(FieldChecks.live.reportText("a\u{202e}") != nil)
  }
}
