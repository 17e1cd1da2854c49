package import MatchCore
package import MatchInterfaces

/// Decides what a player gets at a time of the player's own clock: a digest, a review of the week,
/// and the reminders that must come before quiet hours begin.
package enum LocalPlan {
  /// The minute of a review for a player without a daily digest.
  static let reviewMinute = 540
  /// So long after its time a digest or a review is still owed. What came later, because no
  /// scheduler ran, would tell of another day.
  static let latenessSeconds: Int64 = 6 * 3_600
  /// So long before quiet hours begin, reminders that would come in them are owed.
  static let quietLeadSeconds: Int64 = 900

  /// The jobs that are owed at a look, and the time of the next one. A look is at an hour of a wish
  /// only if it was noted for that: a change of wishes is looked at once, and owes nothing.
  package static func round(
    _ wish: SchedulerStore.LocalWish, now: Instant, zones: TimeZones
  ) -> SchedulerStore.LocalRound {
    let clock = LocalClock(wish.preferences.timeZone, zones)
    let hours = Hours(wish.preferences)
    let day = clock.day(at: wish.dueAt)
    var round = SchedulerStore.LocalRound(next: hours.next(clock, after: now))
    guard now >= wish.dueAt, now < wish.dueAt.adding(seconds: latenessSeconds) else { return round }
    if hours.isDigest(wish.dueAt, clock), wish.hasWaiting {
      round.jobs.append(PushJob(digest: day, to: wish.player))
    }
    if hours.isReview(wish.dueAt, clock) {
      round.jobs.append(PushJob(weekInReview: day, to: wish.player))
    }
    if let quiet = wish.preferences.quietHours, hours.isBeforeQuiet(wish.dueAt, clock) {
      let begin = wish.dueAt.adding(seconds: quietLeadSeconds)
      let end = clock.next(quiet.until, after: begin)
      if now < begin, begin < end { round.quiet = begin..<end }
    }
    return round
  }

  /// The hours of a player's wishes.
  private struct Hours {
    let digest: MinuteOfDay?
    let review: (day: Weekday, minute: MinuteOfDay)?
    let quietFrom: MinuteOfDay?

    init(_ preferences: PushPreferences) {
      digest = preferences.digest
      quietFrom = preferences.quietHours?.from
      let minute = preferences.digest ?? MinuteOfDay(LocalPlan.reviewMinute)
      if let day = preferences.review, let minute {
        review = (day, minute)
      } else {
        review = nil
      }
    }

    func isDigest(_ time: Instant, _ clock: LocalClock) -> Bool {
      digest.map { isBeginning(of: $0, time, clock) } ?? false
    }

    func isReview(_ time: Instant, _ clock: LocalClock) -> Bool {
      guard let review, clock.weekday(at: time) == review.day else { return false }
      return isBeginning(of: review.minute, time, clock)
    }

    func isBeforeQuiet(_ time: Instant, _ clock: LocalClock) -> Bool {
      guard let quietFrom else { return false }
      return isBeginning(of: quietFrom, time.adding(seconds: LocalPlan.quietLeadSeconds), clock)
    }

    private func isBeginning(
      of minute: MinuteOfDay, _ time: Instant, _ clock: LocalClock
    ) -> Bool {
      clock.next(minute, after: time.adding(microseconds: -1)) == time
    }

    /// The next time of any of the wishes.
    func next(_ clock: LocalClock, after now: Instant) -> Instant? {
      let digest = digest.map { clock.next($0, after: now) }
      let quiet = quietFrom.map { minute in
        clock.next(minute, after: now.adding(seconds: LocalPlan.quietLeadSeconds))
          .adding(seconds: -LocalPlan.quietLeadSeconds)
      }
      return [digest, nextReview(clock, after: now), quiet].compactMap(\.self).min()
    }

    private func nextReview(_ clock: LocalClock, after now: Instant) -> Instant? {
      guard let review else { return nil }
      var time = now
      // The same day comes again after a week, or after two if a change of the clock leaves it out.
      for _ in 0..<15 {
        time = clock.next(review.minute, after: time)
        if clock.weekday(at: time) == review.day { return time }
      }
      return time
    }
  }
}
