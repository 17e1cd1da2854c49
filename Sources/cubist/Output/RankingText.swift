import MatchCore
import GameScreens
import MatchWire

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
    return table.text(style) + (you.map { "You: \(place($0))\n" } ?? "")
  }

  static func text(_ view: LeaderboardView, _ style: TerminalStyle) -> String {
    let span =
      switch view.window {
      case .day: "the last day"
      case .week: "the last week"
      case .all: "all time"
      }
    let what = view.measure == .words ? "Best words" : "Best games"
    let head =
      "\(what), \(name(view.kind, view.mode)), \(span): \(Wording.count(view.outOf, "player"))\n"
    guard !view.rows.isEmpty else { return head }
    return head + text(view.rows, view.you, style)
  }

  static func text(_ review: WeekInReview, _ style: TerminalStyle) -> String {
    var lines: [String] = []
    for tally in review.games {
      let results = [tally.won, tally.lost, tally.tied]
      let others = results.reduce(tally.count, &-)
      let isBounded = (results + [others]).contains { $0 >= WeekInReview.countLimit }
      var line = "\(tally.kind.rawValue): \(tally.count)\(isBounded ? " or more" : "") played"
      if results.contains(where: { $0 > 0 }) {
        line += ", \(counted(tally.won)) won, \(counted(tally.lost)) lost"
        line += ", \(counted(tally.tied)) tied"
      }
      lines.append(line)
    }
    guard !lines.isEmpty else { return "No game of yours ended in the last week.\n" }
    for place in review.places {
      let what = place.measure == .words ? "best word" : "best game"
      lines.append("\(name(place.kind, place.mode)), \(what): \(RankingText.place(place.row))")
    }
    return "The last seven days\n" + lines.map { "  \($0)\n" }.joined()
  }

  private static func counted(_ count: Int) -> String {
    count < WeekInReview.countLimit ? "\(count)" : "\(count) or more"
  }

  private static func place(_ row: RankedRow) -> String {
    let word = row.word.map { " with \($0)" } ?? ""
    return "rank \(row.rank) of \(row.outOf)\(word), \(Wording.count(row.points, "point"))"
  }

  private static func name(_ kind: SoloGames.Kind, _ mode: SoloMode) -> String {
    (mode == .timed ? "timed " : "") + (kind == .solo ? "solo games" : "daily challenges")
  }
}
