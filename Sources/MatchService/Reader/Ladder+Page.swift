import MatchCore
import MatchInterfaces
import MatchWire

extension Ladder {
  /// Ranks the players of a part of the ladder: the first from the top, those around the asker from
  /// the asker's own rank.
  init(_ page: LadderPage, at now: Instant) {
    func rows(_ players: [ReaderStore.PlayerRow], from rank: Int) -> [Row] {
      var (rank, rows) = (rank, [Row]())
      for (index, player) in players.enumerated() {
        let points = player.rating.rating.points
        if index > 0, players[index - 1].rating.rating.points != points { rank += 1 }
        rows.append(
          Row(
            rank: rank, outOf: page.playerCount, player: player.id, name: player.name,
            rating: RatingView(player.rating, at: now)))
      }
      return rows
    }
    var around: [Row] = []
    if let own = page.own {
      // Going upwards, each new number of points is one rank less.
      let steps = Set(page.above.map(\.rating.rating.points))
        .subtracting([own.rating.rating.points]).count
      around = rows(page.above + [own] + page.below, from: page.higherCount + 1 - steps)
    }
    self.init(
      rows: rows(page.first, from: 1), you: around.first { $0.player == page.own?.id },
      around: around, outOf: page.playerCount)
  }
}
