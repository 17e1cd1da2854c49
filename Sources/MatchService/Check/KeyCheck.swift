import MatchCore
package import MatchInterfaces
import MatchWire

/// Compares every key of a player with the signed messages that brought it in, a page at a time: a
/// key that somebody has written into the database is found before it signs anything.
///
/// Keys come in the order of players. So a page needs the origins of few players' keys beside its
/// own, and each origin is verified once, or once more at the end of a page.
package struct KeyCheck {
  package private(set) var isDone = false
  private var last: OwnedKey?
  private let store: CheckStore
  private let identity: ServiceIdentity
  private let verifier: SignatureVerifier

  package init(
    _ store: CheckStore, identity: ServiceIdentity, verifier: SignatureVerifier = .live
  ) {
    self.store = store
    self.identity = identity
    self.verifier = verifier
  }

  /// Checks the next page. A key without an origin has to be the one that the player's id is derived
  /// from: a registration brings no other one in.
  /// - Throws: `StoreError`; the same page can be tried again.
  package mutating func next(limit: Int = 500) throws(StoreError) -> [RecoveryViolation] {
    let page = try store.keys(last, limit)
    guard let end = page.last else {
      isDone = true
      return []
    }
    let owners = Dictionary(
      page.map { ($0.key, $0.player) }, uniquingKeysWith: { first, _ in first })
    let origins = try OriginCheck(
      of: owners, in: store, identity: identity, verifier: verifier)
    last = end
    return page.filter { !origins.speaks($0.key, for: $0.player) }.map { row in
      RecoveryViolation(
        .keyForged, of: row.player, "no signed messages that hold brought the key \(row.key) in")
    }
  }
}
