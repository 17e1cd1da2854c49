package import CubePlay
package import MatchCore

extension MatchRequest {
  /// The seconds of a turn limit as it is typed, such as `3d`; nil for a limit that no match can
  /// have.
  package static func turnLimit(_ text: String) -> Int64? {
    DurationText.seconds(text).flatMap { turnLimits.contains($0) ? $0 : nil }
  }

  /// A match of two on terms as they were typed; nil where its turn limit cannot be had.
  package init?(_ opponent: Opponent, _ terms: NewMatch.Terms) {
    guard let limit = MatchRequest.turnLimit(terms.turnLimit) else { return nil }
    self.init(opponent: opponent, turnLimitSeconds: limit, isCasual: terms.isCasual)
  }
}

extension SoloMode {
  package init(_ clock: GameClock) {
    switch clock {
    case .unlimited: self = .unlimited
    case .timed: self = .timed
    }
  }
}
