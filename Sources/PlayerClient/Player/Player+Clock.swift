public import MatchCore
import MatchInterfaces
import MatchWire

// The service's time. This machine's clock may be wrong, be set right while the program runs, or
// between two runs. So its distance to the service's clock is measured at the first contact, when a
// clock of this machine was set, and when the service refuses something for its time.
extension Player {
  /// The service's time, as far as it is known.
  public var now: Instant { clock.now().adding(microseconds: profile.clockOffset ?? 0) }

  /// Measures again if a clock of this machine was set since it was looked at last. A failure to
  /// measure hinders nothing: the service's refusal would tell.
  func noticeSetClock() {
    let mark = ClockMark(wall: clock.now(), uptime: clock.uptimeNanoseconds())
    guard let last = clockMark else {
      clockMark = mark
      return
    }
    guard mark.isOff(from: last) else { return }
    clockMark = mark
    _ = try? measureClock()
  }

  /// Asks the service for its time once more.
  /// - Returns: Whether that changed the time by which this program goes.
  func measureClock() throws(ClientError) -> Bool {
    let before = profile.clockOffset ?? 0
    let patience = patience
    defer { self.patience = patience }
    self.patience.attempts = 1
    try serviceInfo()
    return (profile.clockOffset ?? 0) != before
  }

  /// Whether the service has told this program its time. Asks for it if not: what is done by the
  /// time alone cannot be undone.
  func isSureOfTime() -> Bool {
    if !hasMeasuredClock { _ = try? measureClock() }
    return hasMeasuredClock
  }

  /// The service's description and the offset of its clock, by the quickest of a few answers.
  func measuredInfo(
    _ ask: () throws(ClientError) -> ServiceInfo
  ) throws(ClientError) -> (ServiceInfo, ClockSample) {
    let first = try sample(ask)
    var best = first.sample
    for _ in 1..<ClockSample.limit where !best.isGood {
      guard let next = try? sample(ask) else { break }
      if next.sample.roundTrip < best.roundTrip { best = next.sample }
    }
    hasMeasuredClock = true
    clockMark = ClockMark(wall: clock.now(), uptime: clock.uptimeNanoseconds())
    return (first.info, best)
  }

  private func sample(
    _ ask: () throws(ClientError) -> ServiceInfo
  ) throws(ClientError) -> (info: ServiceInfo, sample: ClockSample) {
    let start = clock.uptimeNanoseconds()
    let info = try ask()
    let sample = ClockSample(
      serviceTime: info.now, receivedAt: clock.now(),
      roundTrip: Int64(clamping: (clock.uptimeNanoseconds() &- start) / 1_000))
    return (info, sample)
  }
}

extension ReceivedReply {
  /// Whether the event was refused for its time alone. A new event did not happen then.
  var isAboutClock: Bool {
    switch self {
    case .refused(_, _, .clockAhead?), .refused(_, _, .eventTooOld?): true
    default: false
    }
  }
}

/// What the two clocks of a machine show at one moment.
struct ClockMark: Hashable, Sendable {
  /// The time of day, which may be set.
  var wall: Instant
  /// Nanoseconds of the clock that only goes forward.
  var uptime: UInt64

  /// Whether the clocks went apart since then: one was set, or the machine slept.
  func isOff(from earlier: ClockMark) -> Bool {
    let wall = wall.microseconds(since: earlier.wall)
    let uptime = Int64(clamping: (uptime &- earlier.uptime) / 1_000)
    let (difference, overflow) = wall.subtractingReportingOverflow(uptime)
    return overflow || difference.magnitude > ClockSample.tolerance.magnitude
  }
}
