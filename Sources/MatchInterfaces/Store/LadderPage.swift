package import MatchCore

/// Which part of the ladder is wanted.
package struct LadderQuestion: Hashable, Sendable {
  /// The player who asks.
  package var player: PlayerID
  /// How many of the first at most.
  package var limit: Int
  /// How many on each side of the asker at most.
  package var neighborLimit: Int

  package init(player: PlayerID, limit: Int, neighborLimit: Int) {
    self.player = player
    self.limit = limit
    self.neighborLimit = neighborLimit
  }
}

/// A part of the ladder as of one instant. Players are in the order of their points and, where
/// those are equal, of their ids, the highest first.
package struct LadderPage: Hashable, Sendable {
  package var first: [ReaderStore.PlayerRow]
  /// The players right above the asker.
  package var above: [ReaderStore.PlayerRow]
  /// The asker; nil: not ranked.
  package var own: ReaderStore.PlayerRow?
  /// Those right below.
  package var below: [ReaderStore.PlayerRow]
  /// How many different numbers of points are higher than the asker's.
  package var higherCount: Int
  /// How many players are ranked.
  package var playerCount: Int

  package init(
    first: [ReaderStore.PlayerRow] = [], above: [ReaderStore.PlayerRow] = [],
    own: ReaderStore.PlayerRow? = nil, below: [ReaderStore.PlayerRow] = [], higherCount: Int = 0,
    playerCount: Int = 0
  ) {
    self.first = first
    self.above = above
    self.own = own
    self.below = below
    self.higherCount = higherCount
    self.playerCount = playerCount
  }
}
