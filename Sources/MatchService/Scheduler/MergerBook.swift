import MatchCore

/// Which mergers were proposed lately, so that the same one is not proposed each second while it is
/// on its way, and how far those who wait have been looked through.
struct MergerBook {
  /// How long a match that was proposed is left in peace.
  static let pauseNanoseconds: UInt64 = 10_000_000_000

  /// The last one that was looked at; nil: begin with who has waited longest.
  var last: Pairing.Waiting?
  private var proposed: [MatchID: UInt64] = [:]

  /// Those of whose matches none was proposed lately; they count as proposed.
  mutating func takeDue(of mergers: [Merger], uptime: UInt64) -> [Merger] {
    proposed = proposed.filter { uptime &- $0.value < MergerBook.pauseNanoseconds }
    return mergers.filter { merger in
      guard proposed[merger.kept] == nil, proposed[merger.merged] == nil else { return false }
      proposed[merger.kept] = uptime
      proposed[merger.merged] = uptime
      return true
    }
  }
}
