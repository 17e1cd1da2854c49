package import MatchCore
package import MatchInterfaces

/// The rules of when a notification is sent. docs/architecture.md states them in a table.
package enum PushPolicy {
  /// The verdict on a job that still holds, at the time of its facts. It depends on nothing else,
  /// so a job that has waited is judged anew.
  /// - Parameter bundleSeconds: For how long after news of a match the next ones wait; 0: not at all.
  ///   At most `PushStore.Details.bundleSeconds`, since the store looks back no further.
  package static func plan(
    _ job: PushJob, _ details: PushStore.Details, zones: TimeZones,
    bundleSeconds: Int64 = PushStore.Details.bundleSeconds
  ) -> PushPlan {
    guard job.kind.mayWait else { return .now(silently: false) }
    let now = details.readAt
    if let end = details.expiresAt, end <= now { return .never(.expired) }
    let clock = LocalClock(details.preferences.timeZone, zones)
    let hours = details.preferences.quietHours
    if let hours, let end = clock.end(of: hours, at: now) {
      if details.isOfUse(after: end) { return .later(until: end, .quietHours) }
      switch hours.late {
      case .silent: return .now(silently: true)
      case .dropped: return .never(.quietHours)
      }
    }
    // What can be heard now does not wait into quiet hours.
    if let end = bundleEnd(job, details, bundleSeconds), details.isOfUse(after: end),
      hours.flatMap({ clock.end(of: $0, at: end) }) == nil
    {
      return .later(until: end, .bundle)
    }
    return .now(silently: false)
  }

  /// Until when a job waits for others, since its player was told of a match shortly
  /// before.
  private static func bundleEnd(
    _ job: PushJob, _ details: PushStore.Details, _ seconds: Int64
  ) -> Instant? {
    guard job.isBundled(by: details.preferences), !job.hasWaitedForOthers,
      let last = details.lastSentAt
    else { return nil }
    let end = min(last, details.readAt).adding(seconds: seconds)
    return end > details.readAt ? end : nil
  }
}

extension PushJob {
  /// Whether one notification may tell of this job and others.
  func isBundled(by preferences: PushPreferences) -> Bool {
    kind.topic != nil && preferences.isBundled
  }
}

extension PushJob.Kind {
  /// Whether it may wait. A thief who sets quiet hours must not gain time by them, and a player
  /// who tries notifications waits for one.
  var mayWait: Bool { self != .account && self != .test }
}

extension PushStore.Details {
  fileprivate func isOfUse(after end: Instant) -> Bool {
    expiresAt.map { end.adding(seconds: PushPlan.leastUseSeconds) <= $0 } ?? true
  }
}
