import CubePlay
import GameScreens
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import ServiceNews

extension ServiceLink {
  /// The player's games that are over: the newest ones, or those after a place in the list.
  func pastGames(
    _ wanted: PastGamesWanted, after place: String?
  ) throws(ScreenTrouble) -> PastGamesNews {
    try call { player in
      let games = try player.pastGames(
        with: wanted.player.map { try Self.other($0, player) }, filter: PastGamesFilter(wanted),
        before: place.flatMap { PastGamesCursor($0) }, limit: PastGamesNews.pageLimit)
      return PastGamesNews(games, now: now)
    }
  }

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
        let wanted = Leaderboard(games, clock, span, measure)
        return BoardNews(try player.leaderboard(wanted), for: player.player)
      case .ladder: return BoardNews(try player.ladder(), for: player.player)
      case .history: return BoardNews(try player.dailyHistory())
      case .review: return BoardNews(try player.review())
      }
    }
  }
}
