package import MatchCore
package import MatchInterfaces

/// The rules of when a notification is sent. docs/architecture.md states them in a table.
package enum PushPolicy {
  /// The verdict on a job that still holds, at the time of its facts. It depends on nothing else,
  /// so a job that has waited is judged anew.
  /// - Parameter bundleSeconds: For how long after news of a match the next ones wait at least; 0:
  ///   not at all. At most `PushStore.Details.bundleSeconds`: the store looks back no further.
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
    if let end = bundleEnd(job, details, bundleSeconds), details.isOfUse(after: end) {
      // A job that can be heard now does not wait into quiet hours. The relay may be late.
      let minutes = 0...PushPlan.leastUseSeconds / 60
      let isHeard = minutes.allSatisfy { minute in
        hours.flatMap { clock.end(of: $0, at: end.adding(seconds: 60 * minute)) } == nil
      }
      if isHeard { return .later(until: end, .bundle) }
    }
    return .now(silently: false)
  }

  /// Until when a job waits for others, since its player was told of a match shortly before. A turn
  /// waits after turns alone.
  ///
  /// Jobs that wait until about the same time wait until the same: the next whole minute of a clock
  /// of the player's own. Of all players' jobs the relay would have too many at once otherwise.
  private static func bundleEnd(
    _ job: PushJob, _ details: PushStore.Details, _ seconds: Int64
  ) -> Instant? {
    let last = job.kind.topic == .turn ? details.lastTurnSentAt : details.lastSentAt
    guard job.isBundled(by: details.preferences), !job.hasWaitedForOthers, let last else {
      return nil
    }
    let end = min(last, details.readAt).adding(seconds: seconds)
    guard end > details.readAt else { return nil }
    let period = min(60, seconds) * 1_000_000
    let offset = Int64(job.player.rawValue % UInt128(period))
    let past = (end.microseconds % period - offset + period) % period
    return past == 0 ? end : end.adding(microseconds: period - past)
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
