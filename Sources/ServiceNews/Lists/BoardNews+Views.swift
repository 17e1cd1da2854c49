package import CubePlay
package import MatchCore
package import MatchWire

extension Leaderboard {
  /// The service's list behind a board of games alone.
  package init(
    _ games: Board.Games, _ clock: GameClock, _ span: Board.Span, _ measure: Board.Measure
  ) {
    self.init(
      games: SoloGames(kind: games == .solo ? .solo : .daily, mode: SoloMode(clock)),
      measure: measure == .points ? .points : .words, window: Window(span))
  }
}

extension Leaderboard.Window {
  fileprivate init(_ span: Board.Span) {
    switch span {
    case .day: self = .day
    case .week: self = .week
    case .all: self = .all
    }
  }
}

extension BoardNews {
  /// Today's challenge, and the players' points.
  package init(_ status: DailyStatus, _ standings: Standings?, for player: PlayerID, now: Instant) {
    let name = status.daily.mode == .timed ? "Timed challenge" : "Challenge"
    let ends = "it ends \(Wording.when(status.endsAt, now: now))."
    let head: String
    switch (status.isDealt, status.points) {
    case (false, _): head = "not dealt yet."
    case (true, nil): head = "you have not begun it; \(ends)"
    case (true, let points?):
      head = status.isOver ? "over, \(points) points." : "\(points) points so far; \(ends)"
    }
    self.init(
      head: "\(name) of \(status.daily.day): \(head)", ranked: standings?.rows ?? [],
      you: standings?.you, for: player)
    today =
      status.match.map { .begun(MatchKey($0)) }
      ?? (status.isDealt ? .open : .missing)
  }

  /// The best of playing alone.
  package init(_ view: LeaderboardView, for player: PlayerID) {
    self.init(
      head: RankingWording.head(view), ranked: view.rows, you: view.you, for: player)
  }

  private init(head: String, ranked: [RankedRow], you: RankedRow?, for player: PlayerID) {
    let rows = ranked + (ranked.contains { $0.player == player } ? [] : [you].compactMap { $0 })
    let hasWords = rows.contains { $0.word != nil }
    self.init(
      head: head, columns: ["Rank", "Player", "Points"] + (hasWords ? ["Word"] : []),
      rows: rows.map { row in
        BoardRow(
          ["\(row.rank)", row.name.text, "\(row.points)"] + (hasWords ? [row.word ?? ""] : []),
          isOwn: row.player == player, player: row.name.text)
      })
  }

  /// The ladder: the first players, and those next to the player.
  package init(_ ladder: Ladder, for player: PlayerID) {
    let others = ladder.around.filter { row in
      !ladder.rows.contains { $0.player == row.player }
    }
    let count = ladder.outOf == 1 ? "1 player is ranked." : "\(ladder.outOf) players are ranked."
    self.init(
      head: ladder.you == nil ? "\(count) You get a rank by playing more rated matches." : count,
      columns: ["Rank", "Player", "Rating", "Off by", "Matches"],
      rows: (ladder.rows + others).map { row in
        BoardRow(
          [
            "\(row.rank)", row.name.text, "\(row.rating)\(row.isProvisional ? "?" : "")",
            "\(row.deviation)", "\(row.matches)",
          ], isOwn: row.player == player, player: row.name.text)
      })
  }

  /// The player's last seven days.
  package init(_ review: WeekInReview) {
    let lines = RankingWording.lines(review)
    self.init(
      head: lines.isEmpty ? RankingWording.emptyReview : RankingWording.reviewHead,
      columns: ["Games", "Yours"], rows: lines.map { BoardRow([$0.games, $0.result]) })
  }

  /// The player's results in the challenges of the last days.
  package init(_ history: DailyHistory) {
    self.init(
      head: "Your challenges of the last \(DailyHistory.dayCount) days.",
      columns: ["Day", "Clock", "Points", "Rank", "Of"],
      rows: history.results.map { result in
        BoardRow([
          result.daily.day.description, result.daily.mode == .timed ? "180 s" : "none",
          "\(result.points)", "\(result.rank)", "\(result.outOf)",
        ])
      })
  }
}
