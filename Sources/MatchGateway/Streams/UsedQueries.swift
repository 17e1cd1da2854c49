import MatchCore

/// The queries that opened a stream, or are about to: each opens one. So nobody who has seen a query
/// opens streams with it.
///
/// A query is kept for as long as readers accept it. Only the player's own queries take the place of
/// the player's earlier ones.
struct UsedQueries: Sendable {
  /// The most players.
  static let playerLimit = 65_536
  /// The most queries of one player.
  static let queryLimit = 64
  /// A query this much older than an accepted one has expired: its time may be ahead of the service's
  /// by the first part, and behind it by the second.
  static let freshMicroseconds: Int64 = (300 + 60) * 1_000_000

  private var queries = BoundedTable<PlayerID, [EventID]>(capacity: UsedQueries.playerLimit)

  /// Notes that a player's query opens a stream.
  /// - Returns: Whether it opens none yet.
  mutating func use(_ query: EventID, of player: PlayerID) -> Bool {
    var used = queries[player] ?? []
    guard !used.contains(query) else { return false }
    if used.count >= UsedQueries.queryLimit { used.removeFirst() }
    queries[player] = used + [query]
    return true
  }

  /// A reader has accepted the query. So those that are much older have expired.
  mutating func accept(_ query: EventID, of player: PlayerID) {
    queries[player]?.removeAll {
      query.time.microseconds(since: $0.time) > UsedQueries.freshMicroseconds
    }
  }

  /// The query has opened nothing.
  mutating func forget(_ query: EventID, of player: PlayerID) {
    guard var used = queries[player] else { return }
    used.removeAll { $0 == query }
    queries[player] = used.isEmpty ? nil : used
  }
}
