import MatchCore

/// How matches end, in words.
enum OutcomeText {
  /// Why a match ended.
  ///
  /// - Parameter who: The player that caused the end, where that is known.
  static func reason(_ reason: Outcome.Reason, who: String? = nil) -> String {
    let player = who ?? "a player"
    return switch reason {
    case .cleared: "no cube is left"
    case .forfeited: "\(player) gave up"
    case .timedOut: "the time of \(player) ran out"
    case .finished: "its player ended it"
    case .timeUp: "time ran out"
    case .aborted: "\(player) made no first move"
    case .withdrawn: "it was withdrawn"
    case .declined: "\(player) declined"
    case .expired: "nobody came"
    case .stopped: "an operator ended it"
    case .annulled: "an operator annulled it"
    case .mergedInto: "an opponent was found in another match"
    }
  }

  /// A player's result in a match.
  static func result(_ result: Outcome.Result) -> String {
    switch result {
    case .won: "won"
    case .lost: "lost"
    case .tied: "tied"
    case .completed: "played to the end"
    case .none: "not counted"
    }
  }

  /// An operator's decision, with its reason.
  static func ruling(_ ruling: Ruling) -> String {
    let verdict =
      switch ruling.verdict {
      case .ended: "ended as it stood"
      case .annulled: "annulled"
      }
    let reason =
      switch ruling.reason {
      case .cheating: "somebody cheated"
      case .misconduct: "somebody behaved badly"
      case .agreement: "both players wanted it"
      case .fault: "the service was at fault"
      }
    return "\(verdict): \(reason)"
  }
}
