package import MatchCore

extension PushJob.Kind {
  /// Whether the record of its match shows for ever that a job of this kind is owed. Any other job is
  /// noted when it is owed, for checks.
  package var isInRecord: Bool {
    switch self {
    case .yourTurn, .reacted, .invited, .opponentJoined, .rematchStarted, .matchEnded: true
    case .rematchRequested, .rematchDeclined, .dailyReady, .turnRunningOut, .dailyEndsSoon,
      .account, .nudged, .rematchWaits, .digest, .weekInReview, .test:
      false
    }
  }
}

extension PushJob {
  /// Whether it takes the whole state of its match to tell whether it still holds.
  package var holdsByState: Bool {
    switch kind {
    case .invited, .opponentJoined, .rematchRequested, .rematchStarted, .rematchDeclined,
      .rematchWaits:
      true
    case .yourTurn, .reacted, .matchEnded, .dailyReady, .turnRunningOut, .dailyEndsSoon, .account,
      .nudged, .digest, .weekInReview, .test:
      false
    }
  }

  /// The reason for which it tells its player nothing any more, as its match stands now. Nil for the
  /// match: there is none any more.
  package func reasonAgainst(_ match: Match?, at now: Instant) -> PushReason? {
    if let match, isOfUse(in: match, at: now) { return nil }
    switch kind {
    case .rematchRequested, .rematchDeclined, .rematchWaits: return .answered
    case .yourTurn, .reacted, .invited, .opponentJoined, .rematchStarted, .matchEnded, .dailyReady,
      .turnRunningOut, .dailyEndsSoon, .account, .nudged, .digest, .weekInReview, .test:
      return match.map { $0.outcome == nil } ?? false ? .answered : .matchOver
    }
  }
}
