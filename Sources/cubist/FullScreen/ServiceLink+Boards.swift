import CubePlay
import GameScreens
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient

extension ServiceLink {
  /// A list of results.
  func board(_ board: Board) throws(ScreenTrouble) -> BoardNews {
    try call { player in
      switch board {
      case .today(let clock):
        let status = try player.home().daily(SoloMode(clock))
        // A challenge that was not dealt has no standings.
        let standings = status.isDealt ? try player.standings(status.daily) : nil
        return BoardNews(status, standings, for: player.player, now: now)
      case .games(let games, let clock, let span, let measure):
        let wanted = Leaderboard(
          games: SoloGames(kind: games == .solo ? .solo : .daily, mode: SoloMode(clock)),
          measure: measure == .points ? .points : .words, window: Leaderboard.Window(span))
        return BoardNews(try player.leaderboard(wanted), for: player.player)
      case .ladder: return BoardNews(try player.ladder(), for: player.player)
      case .history: return BoardNews(try player.dailyHistory())
      }
    }
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
  init(_ status: DailyStatus, _ standings: Standings?, for player: PlayerID, now: Instant) {
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
      status.match.map { .begun(MatchKey($0.description)) }
      ?? (status.isDealt ? .open : .missing)
  }

  /// The best of playing alone.
  init(_ view: LeaderboardView, for player: PlayerID) {
    let what = view.measure == .words ? "Best words" : "Best games"
    let clock = view.mode == .timed ? "timed " : ""
    let games = view.kind == .solo ? "solo games" : "daily challenges"
    let span =
      switch view.window {
      case .day: "the last day"
      case .week: "the last week"
      case .all: "all time"
      }
    let count = view.outOf == 1 ? "1 player" : "\(view.outOf) players"
    self.init(
      head: "\(what), \(clock)\(games), \(span): \(count)", ranked: view.rows, you: view.you,
      for: player)
  }

  private init(head: String, ranked: [RankedRow], you: RankedRow?, for player: PlayerID) {
    let rows = ranked + (ranked.contains { $0.player == player } ? [] : [you].compactMap { $0 })
    let hasWords = rows.contains { $0.word != nil }
    self.init(
      head: head, columns: ["Rank", "Player", "Points"] + (hasWords ? ["Word"] : []),
      rows: rows.map { row in
        BoardRow(
          ["\(row.rank)", row.name.text, "\(row.points)"] + (hasWords ? [row.word ?? ""] : []),
          isOwn: row.player == player)
      })
  }

  /// The ladder: the first players, and those next to the player.
  init(_ ladder: Ladder, for player: PlayerID) {
    let others = ladder.around.filter { row in
      !ladder.rows.contains { $0.player == row.player }
    }
    let count = ladder.outOf == 1 ? "1 player is rated." : "\(ladder.outOf) players are rated."
    self.init(
      head: ladder.you == nil ? "\(count) You have not ended a rated match yet." : count,
      columns: ["Rank", "Player", "Rating", "Off by", "Matches"],
      rows: (ladder.rows + others).map { row in
        BoardRow(
          [
            "\(row.rank)", row.name.text, "\(row.rating)\(row.isProvisional ? "?" : "")",
            "\(row.deviation)", "\(row.matches)",
          ], isOwn: row.player == player)
      })
  }

  /// The player's results in the challenges of the last days.
  init(_ history: DailyHistory) {
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
