import MatchCore

/// The mergers that were proposed lately, so that none is proposed again each second while it is on
/// its way. Also how far the waiting matches have been looked through.
struct MergerSchedule {
  /// How long a proposed match is not proposed again.
  static let pauseNanoseconds: UInt64 = 10_000_000_000

  /// The last match that was looked at; nil: begin with the one that has waited longest.
  var last: Pairing.Waiting?
  private var proposed: [MatchID: UInt64] = [:]

  /// The mergers with no match that was proposed lately; they count as proposed.
  mutating func takeDue(of mergers: [Merger], uptime: UInt64) -> [Merger] {
    proposed = proposed.filter { uptime &- $0.value < MergerSchedule.pauseNanoseconds }
    return mergers.filter { merger in
      guard proposed[merger.kept] == nil, proposed[merger.merged] == nil else { return false }
      proposed[merger.kept] = uptime
      proposed[merger.merged] = uptime
      return true
    }
  }
}
