import GameScreens
import MatchCore
import MatchWire
import ServiceNews

/// Ranked players, as a table.
enum RankingText {
  static func text(_ rows: [RankedRow], _ you: RankedRow?, _ style: TerminalStyle) -> String {
    let hasWords = (rows + [you].compactMap(\.self)).contains { $0.word != nil }
    var columns: [TerminalTable.Column] = [
      .init(heading: "Rank", alignment: .right), .init(heading: "Player"),
      .init(heading: "Points", alignment: .right),
    ]
    if hasWords { columns.append(.init(heading: "Word")) }
    var table = TerminalTable(columns)
    for row in rows {
      var cells = [String(row.rank), row.name.text, String(row.points)]
      if hasWords { cells.append(row.word ?? "") }
      table.append(cells)
    }
    return table.text(style) + (you.map { "You: \(RankingWording.place($0))\n" } ?? "")
  }

  static func text(_ view: LeaderboardView, _ style: TerminalStyle) -> String {
    let head = RankingWording.head(view) + "\n"
    return view.rows.isEmpty ? head : head + text(view.rows, view.you, style)
  }

  static func text(_ review: WeekInReview) -> String {
    let lines = RankingWording.lines(review)
    guard !lines.isEmpty else { return RankingWording.emptyReview + "\n" }
    return RankingWording.reviewHead + "\n"
      + lines.map { "  \($0.games): \($0.result)\n" }.joined()
  }
}
