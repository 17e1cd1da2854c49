import MatchCore

/// Matches that a worker has seen lately, so that a turn needs no read. A cached match may be stale:
/// the store's version guard decides. After a conflict everything that the batch read is forgotten.
///
/// Two generations bound it: when the young one is full the old one is forgotten.
struct MatchCache {
  private var young: [MatchID: Match] = [:]
  private var old: [MatchID: Match] = [:]
  private let generationLimit: Int

  /// Keeps at most twice `generationLimit` matches.
  init(generationLimit: Int) { self.generationLimit = generationLimit }

  /// A match as it was last seen.
  mutating func match(_ id: MatchID) -> Match? {
    if let match = young[id] { return match }
    guard let match = old.removeValue(forKey: id) else { return nil }
    keep(match)
    return match
  }

  /// Remembers a match.
  mutating func keep(_ match: Match) {
    if young.count >= generationLimit, young[match.id] == nil {
      old = young
      young = [:]
    }
    young[match.id] = match
  }

  mutating func forget(_ id: MatchID) {
    young[id] = nil
    old[id] = nil
  }

  /// Forgets all but some.
  mutating func keepOnly(_ isKept: (MatchID) -> Bool) {
    young = young.filter { isKept($0.key) }
    old = old.filter { isKept($0.key) }
  }

  var count: Int { young.count + old.count }
}
