import MatchCore

/// Counts each player's queries, so that no player keeps a reader busy alone. Only players are
/// remembered, and only those who have asked within a minute.
struct QueryBudgets {
  /// Players that are remembered at most before those with a full bucket are forgotten.
  static let memoryLimit = 50_000

  private var buckets: TokenBuckets<PlayerID>?

  /// Buckets of so many queries; nil: nothing is counted.
  init(queriesPerMinute: Int?) { buckets = queriesPerMinute.map(TokenBuckets.init) }

  /// Charges a player the cost of a query. If that is too much, gives the seconds until it can be
  /// asked.
  mutating func charge(
    _ cost: Int, to player: PlayerID, at uptime: UInt64,
    memory: Int = QueryBudgets.memoryLimit
  ) -> Int64? {
    // Strangers may send queries without a cost; they are not remembered.
    guard cost > 0 else { return nil }
    buckets?.forgetFull(beyond: memory, at: uptime)
    return buckets?.take(Double(cost), from: player, at: uptime)
  }

  /// How many players are remembered.
  var count: Int { buckets?.count ?? 0 }
}
