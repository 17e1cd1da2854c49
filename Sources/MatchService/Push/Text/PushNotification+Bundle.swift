import MatchCore
package import MatchInterfaces

extension PushNotification {
  /// The notification of jobs that come as one, in the player's language.
  package init(_ bundle: PushBundle) {
    let lead = bundle.lead
    let details = lead.details
    let waiting = bundle.parts.compactMap(\.details.waiting?.count).max()
    let words =
      bundle.isOfMany
      ? PushWords(PushNews(bundle), in: details.preferences.language)
      : PushWords(lead.job, details)
    // As long as one of its jobs is of use, all of it is.
    let ends = bundle.parts.map { $0.job.end(given: $0.details, publishedAt: $0.publishedAt) }
    let urgencies = bundle.parts.map { $0.job.urgency(given: $0.details) }
    let urgency = PushNotification.Urgency.allCases.last { urgencies.contains($0) } ?? .normal
    self.init(
      job: lead.job, isOfMany: bundle.isOfMany, title: words.title, body: words.body,
      language: details.preferences.language, collapseKey: bundle.collapseKey,
      urgency: lead.isSilent && urgency == .high ? .normal : urgency, isSilent: lead.isSilent,
      expiresAt: ends.max(), waiting: waiting, devices: details.devices)
  }
}

extension PushJob {
  /// A turn with less time than this wakes a device that saves power, in microseconds: an hour.
  private static let shortTime: Int64 = 3_600 * 1_000_000

  /// How soon a device is to be woken for it.
  func urgency(given details: PushStore.Details) -> PushNotification.Urgency {
    switch kind {
    case .account, .turnRunningOut, .nudged, .test: .high
    case .yourTurn:
      details.expiresAt.map {
        $0.microseconds(since: details.readAt) < PushJob.shortTime ? .high : .normal
      } ?? .normal
    case .invited, .opponentJoined, .rematchRequested, .rematchStarted, .rematchWaits, .matchEnded,
      .dailyReady, .dailyEndsSoon, .digest, .reacted, .rematchDeclined:
      .normal
    case .weekInReview: .low
    }
  }

  /// When it is of no use any more: as the store says, or after the standard time of its kind. That
  /// begins when the service published it. But a turn that the store finds due is of use, however
  /// long ago it became due.
  /// - Parameter publishedAt: Nil: unknown, and the time begins now.
  func end(given details: PushStore.Details, publishedAt: Instant? = nil) -> Instant {
    if let end = details.expiresAt { return end }
    let isTurn = [.yourTurn, .turnRunningOut, .nudged].contains(kind)
    let start = isTurn ? details.readAt : min(publishedAt ?? details.readAt, details.readAt)
    let end = start.adding(seconds: kind.standardSeconds)
    return kind == .dailyReady || kind == .dailyEndsSoon ? min(day?.end ?? end, end) : end
  }
}

extension PushJob.Kind {
  /// For how long a job of this kind is of use if the store names no end, in seconds.
  var standardSeconds: Int64 {
    switch self {
    case .account: 28 * 86_400
    case .yourTurn, .turnRunningOut, .nudged, .reacted, .opponentJoined, .rematchStarted,
      .rematchDeclined, .matchEnded, .weekInReview:
      7 * 86_400
    case .invited, .rematchRequested, .rematchWaits: Match.invitationSeconds
    case .dailyReady, .dailyEndsSoon, .digest: 86_400
    case .test: 600
    }
  }
}
