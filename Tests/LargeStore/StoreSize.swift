/// How many rows of each kind a service has after years.
public struct StoreSize: Sendable {
  /// Registered players who play.
  public var players: Int
  /// Games that are over, those of one player included.
  public var pastGames: Int
  /// Past games of player 1, the busiest player.
  public var ownPastGames: Int
  /// Scores of games of one player; as many players stand on a board and on the ladder.
  public var scores: Int
  /// Players of today's daily.
  public var dailyPlayers: Int
  /// Matches that wait for anyone.
  public var openSeats: Int

  /// So many hundredths of the whole size.
  public init(percent: Int) {
    players = 3_000 * percent
    pastGames = 100_000 * percent
    ownPastGames = 1_000 * percent
    scores = 10_000 * percent
    dailyPlayers = 3_000 * percent
    openSeats = 1_000 * percent
  }
}
