import MatchCore
package import MatchWire

/// Places among all players, in words.
package enum RankingWording {
  /// The line above a list of the best of playing alone.
  package static func head(_ view: LeaderboardView) -> String {
    let what = view.measure == .words ? "Best words" : "Best games"
    let span =
      switch view.window {
      case .day: "the last day"
      case .week: "the last week"
      case .all: "all time"
      }
    return "\(what), \(name(view.kind, view.mode)), \(span): "
      + Wording.count(view.outOf, "player")
  }

  /// Such as `rank 3 of 40 with CUBES, 48 points`.
  package static func place(_ row: RankedRow) -> String {
    let word = row.word.map { " with \($0)" } ?? ""
    return "rank \(row.rank) of \(row.outOf)\(word), \(Wording.count(row.points, "point"))"
  }

  /// The line above those of a week.
  package static let reviewHead = "The last seven days"
  /// The line of a week without games.
  package static let emptyReview = "No game of yours ended in the last week."

  /// The games of a week by their kind, then the places on the week's boards.
  package static func lines(_ review: WeekInReview) -> [(games: String, result: String)] {
    // A place is of a game.
    guard !review.games.isEmpty else { return [] }
    return review.games.map { (games: $0.kind.rawValue, result: result($0)) }
      + review.places.map { place in
        let what = place.measure == .words ? "best word" : "best game"
        return (games: "\(name(place.kind, place.mode)), \(what)", result: self.place(place.row))
      }
  }

  private static func result(_ tally: WeekInReview.Tally) -> String {
    let results = [tally.won, tally.lost, tally.tied]
    let others = results.reduce(tally.count, &-)
    let isBounded = (results + [others]).contains { $0 >= WeekInReview.countLimit }
    let played = "\(tally.count)\(isBounded ? " or more" : "") played"
    guard results.contains(where: { $0 > 0 }) else { return played }
    return "\(played), \(counted(tally.won)) won, \(counted(tally.lost)) lost, "
      + "\(counted(tally.tied)) tied"
  }

  private static func counted(_ count: Int) -> String {
    count < WeekInReview.countLimit ? "\(count)" : "\(count) or more"
  }

  private static func name(_ kind: SoloGames.Kind, _ mode: SoloMode) -> String {
    (mode == .timed ? "timed " : "") + (kind == .solo ? "solo games" : "daily challenges")
  }
}
