/// How many rows of each kind a service has after years.
package struct StoreSize: Sendable {
  /// Registered players who play.
  package var players: Int
  /// Games that are over, those of one player included.
  package var pastGames: Int
  /// Past games of player 1, the busiest player.
  package var ownPastGames: Int
  /// Scores of games of one player; as many players stand on a board and on the ladder.
  package var scores: Int
  /// Players of today's daily.
  package var dailyPlayers: Int
  /// Matches that wait for anyone.
  package var openSeats: Int

  /// So many hundredths of the whole size.
  package init(percent: Int) {
    players = 3_000 * percent
    pastGames = 100_000 * percent
    ownPastGames = 1_000 * percent
    scores = 10_000 * percent
    dailyPlayers = 3_000 * percent
    openSeats = 1_000 * percent
  }
}
