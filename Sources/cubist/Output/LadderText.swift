import ServiceNews
import MatchCore
import GameScreens
import MatchWire

/// Ratings and the ladder.
enum LadderText {
  /// `1512 ± 83 after 7 matches, rank 3, 120 players are ranked`, with a question mark where it is
  /// not to be relied on.
  static func rating(_ view: RatingView) -> String {
    let matches = Wording.count(view.matches, "match", "matches")
    let rating = rating(view.rating, view.deviation, view.isProvisional)
    guard let rank = view.rank, let outOf = view.outOf else { return "\(rating) after \(matches)" }
    return "\(rating) after \(matches), rank \(rank), \(ranked(outOf))"
  }

  static func text(_ ladder: Ladder, _ style: TerminalStyle) -> String {
    guard !ladder.rows.isEmpty else {
      return "Nobody has a rank yet. It takes some rated matches.\n"
    }
    var text = table(ladder.rows, ladder.you?.player, style)
    guard let you = ladder.you else {
      return text + "\nYou get a rank by playing more rated matches.\n"
    }
    if !ladder.rows.contains(where: { $0.player == you.player }) {
      text += "\n" + table(ladder.around, you.player, style)
    }
    return text + "\nYou: rank \(you.rank), \(ranked(ladder.outOf))\n"
  }

  private static func ranked(_ count: Int) -> String {
    "\(Wording.count(count, "player")) \(count == 1 ? "is" : "are") ranked"
  }

  private static func table(
    _ rows: [Ladder.Row], _ own: PlayerID?, _ style: TerminalStyle
  ) -> String {
    var table = TerminalTable([
      .init(heading: "Rank", alignment: .right), .init(heading: "Player"),
      .init(heading: "Rating"), .init(heading: "Matches", alignment: .right),
    ])
    for row in rows {
      table.append([
        String(row.rank), row.player == own ? "\(row.name.text) (you)" : row.name.text,
        rating(row.rating, row.deviation, row.isProvisional), String(row.matches),
      ])
    }
    return table.text(style)
  }

  private static func rating(_ points: Int, _ deviation: Int, _ isProvisional: Bool) -> String {
    "\(points)\(isProvisional ? "?" : "") ± \(deviation)"
  }
}
