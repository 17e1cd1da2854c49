package import CubePlay
package import MatchCore
package import MatchWire

extension PastGamesNews {
  /// The rows that are asked for at a time.
  package static let pageLimit = 20

  /// The service's page of past games.
  package init(_ games: PastGames, now: Instant) {
    self.init(
      rows: games.games.map { PastGameRow($0, now: now) }, next: games.next?.description)
  }
}

extension PastGamesFilter {
  /// The games that are wanted, besides the opponent.
  package init(_ wanted: PastGamesWanted) {
    self.init(
      kind: wanted.kind.map { MatchKind($0) }, result: wanted.result.map { Outcome.Result($0) })
  }
}

extension MatchKind {
  fileprivate init(_ kind: PastGamesWanted.Kind) {
    self =
      switch kind {
      case .random: .random
      case .invitation: .invitation
      case .open: .open
      case .rematch: .rematch
      case .solo: .solo
      case .daily: .daily
      }
  }
}

extension Outcome.Result {
  fileprivate init(_ result: PastGamesWanted.Ending) {
    self =
      switch result {
      case .won: .won
      case .lost: .lost
      case .tied: .tied
      case .completed: .completed
      case .uncounted: .none
      }
  }
}

extension PastGameRow {
  fileprivate init(_ game: PastGame, now: Instant) {
    self.init(
      MatchKey(game.id), opponent: Wording.opponent(game), kind: Wording.kind(game),
      result: "\(Wording.result(game.result)), \(Wording.reason(game))",
      points: [game.points] + (game.opponentPoints.map { [$0] } ?? []),
      ended: Wording.when(game.endedAt, now: now), player: game.opponentName?.text)
  }
}

extension Wording {
  /// How a match came about.
  fileprivate static func kind(_ game: PastGame) -> String {
    let kind =
      switch game.kind {
      case .random: "by chance"
      case .invitation: "by invitation"
      case .open: "by a code"
      case .rematch: "a rematch"
      case .solo, .daily: "alone"
      }
    return game.casual == true ? "\(kind), casual" : kind
  }
}
