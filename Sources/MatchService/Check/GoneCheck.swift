import MatchCore
package import MatchInterfaces

/// Looks for rows of players who are gone, a page at a time.
package struct GoneCheck {
  package private(set) var isDone = false
  private var last: PlayerID?
  private let store: CheckStore

  package init(_ store: CheckStore) { self.store = store }

  /// Checks the next page.
  /// - Throws: `StoreError`; the same page can be tried again.
  package mutating func next(limit: Int = 500) throws(StoreError) -> [RecoveryViolation] {
    let page = try store.gone(last, limit)
    guard let end = page.last else {
      isDone = true
      return []
    }
    last = end.player
    return page.filter { !$0.remains.isEmpty }.map { row in
      RecoveryViolation(
        .goneRemains, of: row.player,
        "the player is gone, and something is left in " + row.remains.joined(separator: ", "))
    }
  }
}
