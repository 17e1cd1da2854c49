/// An operator's decision about a match, and its reason.
public struct Ruling: Hashable, Sendable {
  /// The decision. The raw values travel and are stored.
  public enum Verdict: String, Hashable, Sendable, CaseIterable {
    /// The match ends as it stands. The player with most points has won.
    case ended
    /// The match counts for nobody, even if it is already over.
    case annulled
  }

  /// The reason, from a closed list: a record must never hold anything that has to be erased. The
  /// raw values travel and are stored.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// Words or turns were not found by the player.
    case cheating
    /// A player's behaviour was such that the other one need not go on.
    case misconduct
    /// The players agreed on it.
    case agreement
    /// The service was at fault.
    case fault
  }

  public var verdict: Verdict
  public var reason: Reason

  public init(_ verdict: Verdict, for reason: Reason) {
    self.verdict = verdict
    self.reason = reason
  }
}

extension Match {
  /// The outcome after a ruling. Nil if the match cannot be ruled: it waits for a player, has only
  /// one seat, or is over and can no longer be annulled.
  public func outcome(of ruling: Ruling) -> Outcome? {
    guard seats.count > 1 else { return nil }
    switch (stage, ruling.verdict) {
    case (.waiting, _): return nil
    case (.playing, .ended): return .decided(.stopped, by: nil, points: points)
    case (.playing, .annulled): return .decided(.annulled, by: nil, points: points)
    case (.ended, .ended): return nil
    case (.ended(let outcome, _), .annulled):
      guard outcome.wasPlayed, outcome.reason != .annulled else { return nil }
      return .decided(.annulled, by: nil, points: points)
    }
  }
}
