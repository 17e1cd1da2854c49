import MatchCore
import MatchInterfaces
import Synchronization

/// A time that the store showed, and when this machine asked for it and heard it, by a clock that
/// nobody sets.
struct TimeLook: Hashable {
  var shown: Instant
  var asked: UInt64
  var heard: UInt64

  /// A clock that is set by no more than this between two looks is followed, as one that is slewed
  /// is. Beyond it, it has jumped.
  static let stepMicroseconds: Int64 = 1_000_000

  /// How much further the shown time has gone since a former look than time itself, µs; negative:
  /// less far. 0: no further than by a small step, or by the drift of two clocks. What a look takes
  /// is no jump, however long that is.
  func step(since former: TimeLook) -> Int64 {
    let went = shown.microseconds(since: former.shown)
    let least = TimeLook.microseconds(from: former.heard, to: asked)
    let most = TimeLook.microseconds(from: former.asked, to: heard)
    let bound = TimeLook.stepMicroseconds + most / 1_000
    if went > bound.adding(most) { return went.adding(-most) }
    if went < least - bound { return went.adding(-least) }
    return 0
  }

  /// The time between two moments of the machine, µs.
  static func microseconds(from: UInt64, to: UInt64) -> Int64 {
    to > from ? Int64(clamping: (to - from) / 1_000) : 0
  }
}

extension Int64 {
  /// The sum; saturates.
  fileprivate func adding(_ other: Int64) -> Int64 {
    Instant(microseconds: self).adding(microseconds: other).microseconds
  }
}

/// The judgement of the leading scheduler about the store's clock. Everybody's time is that clock and
/// what is added to it by this judgement. So the service's time goes on as time does, whatever the
/// clock shows.
///
/// A pure value: looks at the clock → the service's time, and what has to be added from now on.
struct ServiceClock: Hashable {
  /// A clock that is still ahead after so many seconds was put right, and is followed. That time is
  /// credited, as an outage is.
  static let followSeconds: Int64 = 86_400
  /// The time that the service's time takes to come a step nearer to a clock that it cannot jump to,
  /// and the step: a hundredth of that time. So a deadline comes later by a hundredth at most.
  static let slewNanoseconds: UInt64 = 10_000_000_000
  static let slewMicroseconds: Int64 = 100_000
  /// A scheduler without a former look believes the clocks of the queues if they are ahead, up to a
  /// day. Beyond it somebody has written nonsense.
  static let mostAheadMicroseconds: Int64 = 86_400_000_000

  /// The last look, by the service's time.
  private var last: TimeLook?
  /// When the service's time last came a step nearer to the clock.
  private var slewedAt: UInt64?

  /// The service's time, and what has to be added from now on.
  struct Verdict: Hashable {
    var now: Instant
    /// Nil: what was added before.
    var change: ServiceTime.Change?
  }

  /// - Parameter newest: The time of the queue that is ahead of the others.
  mutating func take(
    _ time: ServiceTime, newest: Instant?, asked: UInt64, heard: UInt64
  ) -> Verdict {
    let look = TimeLook(shown: time.now, asked: asked, heard: heard)
    let jump = jump(of: look, newest: newest)
    guard jump == 0 else {
      let now = time.now.adding(microseconds: -jump)
      slewedAt = heard
      return verdict(
        time, look, added: time.addedMicroseconds.adding(-jump),
        after: ServiceTime.Jump(microseconds: jump, at: now))
    }
    guard let added = nearer(time, at: heard) else {
      last = look
      return Verdict(now: time.now)
    }
    return verdict(time, look, added: added, after: nil)
  }

  private mutating func verdict(
    _ time: ServiceTime, _ look: TimeLook, added: Int64, after jump: ServiceTime.Jump?
  ) -> Verdict {
    let now = time.shown.adding(microseconds: added)
    last = TimeLook(shown: now, asked: look.asked, heard: look.heard)
    return Verdict(
      now: now, change: ServiceTime.Change(from: time.addedMicroseconds, to: added, after: jump))
  }

  /// How far the clock has jumped since the last look, µs; 0: it has not.
  private func jump(of look: TimeLook, newest: Instant?) -> Int64 {
    guard let last else {
      // After a restart only the queues tell that the clock has gone back.
      let behind = newest?.microseconds(since: look.shown) ?? 0
      let isBelievable =
        behind > TimeLook.stepMicroseconds && behind <= ServiceClock.mostAheadMicroseconds
      return isBelievable ? -behind : 0
    }
    let step = look.step(since: last)
    // Queues never go back. Where another scheduler has let them follow, that is their time now.
    let right = look.shown.adding(microseconds: -step)
    let isFollowed =
      step > 0 && newest.map { $0.microseconds(since: right) > TimeLook.stepMicroseconds } ?? false
    return isFollowed ? 0 : step
  }

  /// What is added once the service's time has come nearer to the clock; nil: as much as before.
  private mutating func nearer(_ time: ServiceTime, at uptime: UInt64) -> Int64? {
    let added = time.addedMicroseconds
    guard added != 0 else {
      slewedAt = nil
      return nil
    }
    // A gap of this size between two ticks is credited.
    if added < -QueueClock.longestGapMicroseconds {
      slewedAt = uptime
      guard let jump = time.lastJump else { return 0 }
      let since = time.now.microseconds(since: jump.at)
      return since >= ServiceClock.followSeconds * 1_000_000 ? 0 : nil
    }
    guard let slewedAt else {
      slewedAt = uptime
      return nil
    }
    guard uptime >= slewedAt, uptime - slewedAt >= ServiceClock.slewNanoseconds else { return nil }
    self.slewedAt = uptime
    let step = min(ServiceClock.slewMicroseconds, Int64(clamping: added.magnitude))
    return added > 0 ? added - step : added + step
  }
}

/// The looks at the store's clock that outlast a scheduler: kept while it is made anew with new
/// connections, such as to a standby whose clock shows another time.
package final class ClockMemory: Sendable {
  private let clock = Mutex(ServiceClock())

  /// No look so far.
  package init() {}

  func take(
    _ time: ServiceTime, newest: Instant?, asked: UInt64, heard: UInt64
  ) -> ServiceClock.Verdict {
    clock.withLock { $0.take(time, newest: newest, asked: asked, heard: heard) }
  }
}

/// The service's time as a role reads it. A jump of the store's clock is the leading scheduler's to
/// judge, within a second or so. Until then the role goes on by its own machine. If nobody judges, it
/// goes by the store again.
struct SteadyTime: Hashable {
  static let patienceNanoseconds: UInt64 = 10_000_000_000

  private var last: TimeLook?
  private var doubtedSince: UInt64?

  /// The time to go by, after the store has shown one.
  mutating func take(_ shown: Instant, asked: UInt64, heard: UInt64) -> Instant {
    let look = TimeLook(shown: shown, asked: asked, heard: heard)
    if let last, look.step(since: last) != 0 {
      let since = doubtedSince ?? heard
      doubtedSince = since
      if heard < since || heard - since < SteadyTime.patienceNanoseconds {
        return last.shown.adding(
          microseconds: TimeLook.microseconds(from: last.heard, to: heard))
      }
    }
    (last, doubtedSince) = (look, nil)
    return shown
  }
}
