public import MatchCore

/// Which part of the ladder is wanted.
public struct LadderQuestion: Hashable, Sendable {
  /// The player who asks.
  public var player: PlayerID
  /// How many of the first at most.
  public var limit: Int
  /// How many on each side of the asker at most.
  public var neighborLimit: Int

  public init(player: PlayerID, limit: Int, neighborLimit: Int) {
    self.player = player
    self.limit = limit
    self.neighborLimit = neighborLimit
  }
}

/// A part of the ladder as of one instant. Players are in the order of their points and, where
/// those are equal, of their ids, the highest first.
public struct LadderPage: Hashable, Sendable {
  public var first: [ReaderStore.PlayerRow]
  /// The players right above the asker.
  public var above: [ReaderStore.PlayerRow]
  /// The asker; nil: no rated match yet.
  public var own: ReaderStore.PlayerRow?
  /// Those right below.
  public var below: [ReaderStore.PlayerRow]
  /// How many different numbers of points are higher than the asker's.
  public var higherCount: Int
  /// How many players are ranked.
  public var playerCount: Int

  public init(
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
