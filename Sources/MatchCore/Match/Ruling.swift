/// What an operator decided about a match, and why.
public struct Ruling: Hashable, Sendable {
  /// What was decided. The raw values travel and are stored.
  public enum Verdict: String, Hashable, Sendable, CaseIterable {
    /// The match ends as it stands: whoever has most points has won.
    case ended
    /// The match counts for nobody, also where it is over already.
    case annulled
  }

  /// Why: one of a closed list, since nothing in a record may ever have to be forgotten. The raw
  /// values travel and are stored.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// Words or turns were not found by the player.
    case cheating
    /// A player behaved so that the other one need not go on.
    case misconduct
    /// The players agreed on it.
    case agreement
    /// The service was at fault.
    case fault
  }

  /// What was decided.
  public var verdict: Verdict
  /// Why.
  public var reason: Reason

  public init(_ verdict: Verdict, for reason: Reason) {
    self.verdict = verdict
    self.reason = reason
  }
}

extension Match {
  /// How the match stands after a ruling; nil where it cannot be ruled: it waits for a player, has
  /// one seat only, or is over and not to be annulled any more.
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
