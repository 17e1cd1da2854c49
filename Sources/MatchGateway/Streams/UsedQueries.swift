import MatchCore

/// The queries that opened a stream, or are about to: each opens one. So nobody who has seen a query
/// opens streams with it.
///
/// A query is kept for as long as readers accept it. Only queries that readers have accepted, which are
/// the player's own, take the place of an accepted one.
struct UsedQueries: Sendable {
  /// The most players.
  static let playerLimit = 65_536
  /// The most queries of one player.
  static let queryLimit = 64
  /// A query this much older than an accepted one has expired: its time may be ahead of the service's
  /// by the first part, and behind it by the second.
  static let freshMicroseconds: Int64 = (300 + 60) * 1_000_000

  private struct Use {
    var query: EventID
    /// Until then anybody may have made it up.
    var isAccepted = false
  }

  private var queries = BoundedTable<PlayerID, [Use]>(capacity: UsedQueries.playerLimit)

  /// Notes that a player's query opens a stream.
  /// - Returns: Whether it opens none yet.
  mutating func use(_ query: EventID, of player: PlayerID) -> Bool {
    let used = queries[player] ?? []
    guard !used.contains(where: { $0.query == query }) else { return false }
    queries[player] = UsedQueries.adding(Use(query: query), to: used)
    return true
  }

  private static func adding(_ use: Use, to used: [Use]) -> [Use] {
    var used = used
    if used.count >= queryLimit { used.remove(at: used.firstIndex { !$0.isAccepted } ?? 0) }
    return used + [use]
  }

  /// A reader has accepted the query. So those that are much older have expired.
  mutating func accept(_ query: EventID, of player: PlayerID) {
    var used = queries[player] ?? []
    used.removeAll {
      $0.query == query
        || query.time.microseconds(since: $0.query.time) > UsedQueries.freshMicroseconds
    }
    queries[player] = UsedQueries.adding(Use(query: query, isAccepted: true), to: used)
  }

  /// The query has opened nothing.
  mutating func forget(_ query: EventID, of player: PlayerID) {
    guard var used = queries[player] else { return }
    used.removeAll { $0.query == query && !$0.isAccepted }
    queries[player] = used.isEmpty ? nil : used
  }
}
