import MatchCore
import MatchInterfaces
import MatchService

/// Checks every notification at the moment at which a push service takes it.
///
/// A device takes a job once. It may take it once more for each time that nobody can know whether
/// it has it:
/// - A push service took it, and its answer was lost or said something else.
/// - A push worker had sent it, and ended while the broker still had the job, whether the answer
///   had come or not.
///
/// The second one has the same job, and the same topic, so that it takes the first one's place. Two
/// are exceptions. After a notification of several matches one of its jobs may come alone, or among
/// others. And after a job alone a notification of several may tell of it, if the worker could not
/// see the doubt:
/// - The push service had it and said something else.
/// - The job came in another message of the relay, or in a copy from before the doubt.
///
/// Jobs about matches that come within some minutes are one notification: nothing about a match comes
/// with a sound that could wait for the end of these minutes, if the player wishes so.
///
/// In a player's quiet hours nothing comes that may wait and is of use for ten minutes after their
/// end. Anything else comes without a sound, or not at all if the player wants that.
struct PushCheck {
  /// The answer that the push worker gets about a notification that a push service has.
  enum Told {
    case taken
    case otherwise
    /// The answer is lost.
    case nothing
  }

  private struct Address: Hashable {
    var job: PushJobID
    /// Nil: the player has no device.
    var device: DeviceName?
  }

  private(set) var violations: [String] = []
  /// Jobs that a device took once more.
  private(set) var repeatCount = 0
  /// Notifications that were taken in quiet hours, without a sound.
  private(set) var silentCount = 0
  private let zones: TimeZones
  /// Whether several messages of the relay had a job.
  private let isRepeated: (PushJobID) -> Bool
  private var takings: [Address: (count: Int, topic: String)] = [:]
  /// How often nobody could know whether a device has a job.
  private var doubts: [PushJobID: Int] = [:]
  /// The jobs whose doubt a push worker could not see.
  private var hidden: Set<PushJobID> = []
  /// The jobs that the present push worker has sent.
  private var sent: Set<PushJobID> = []
  /// The jobs that were in the broker when a push worker began: it may deliver them again.
  private var redelivered: Set<PushJobID> = []
  /// How many requests had each job.
  private var requestCounts: [PushJobID: Int] = [:]

  /// The least time that a notification has to be of use after quiet hours, to wait for their end.
  private static let leastUseSeconds: Int64 = 600

  init(zones: TimeZones, isRepeated: @escaping (PushJobID) -> Bool = { _ in false }) {
    (self.zones, self.isRepeated) = (zones, isRepeated)
  }

  /// A push worker begins. The one before it has ended.
  /// - Parameter jobs: The jobs in the broker, and how many messages have each.
  mutating func beginLife(whileQueued jobs: [PushJobID: Int]) {
    for job in sent.intersection(jobs.keys) { doubts[job, default: 0] += 1 }
    hidden.formUnion(jobs.filter { $0.value > 1 }.keys)
    redelivered.formUnion(jobs.keys)
    sent = []
  }

  /// A request has arrived, whatever becomes of it.
  mutating func note(_ notification: PushNotification) {
    sent.formUnion(notification.jobs.map(\.id))
    for job in notification.jobs { requestCounts[job.id, default: 0] += 1 }
  }

  /// A push service has a notification.
  /// - Parameters:
  ///   - lastSentAt: When the player was last told, with a sound, of a match that a job would wait
  ///     after.
  ///   - expiry: The end of the time in which a job is of use.
  mutating func take(
    _ made: SimulatedProvider.Made, told: Told, _ store: SimulatedStore,
    lastSentAt: (PushJob) -> Instant? = { _ in nil }, _ expiry: (PushJob) -> Instant?
  ) {
    let notification = made.notification
    // A job that had to wait for a place was judged before, by other facts.
    if made.at == store.clock.now {
      judge(notification, store, expiry)
      judge(notification, after: lastSentAt, store, expiry)
    }
    for job in notification.jobs {
      let devices: [DeviceName?] = notification.devices.map(\.name)
      for device in devices.isEmpty ? [nil] : devices {
        count(job, Address(job: job.id, device: device), notification.collapseKey)
      }
      if told != .taken { doubts[job.id, default: 0] += 1 }
      if told == .otherwise { hidden.insert(job.id) }
    }
  }

  private mutating func count(_ job: PushJob, _ address: Address, _ topic: String) {
    guard let before = takings[address] else {
      takings[address] = (1, topic)
      return
    }
    let count = before.count + 1
    takings[address] = (count, topic)
    repeatCount += 1
    let text = "push job \(job.kind.rawValue) \(job.id)"
    if count - 1 > doubts[job.id, default: 0] {
      violations.append(
        "\(text) was taken \(count) times, and \(doubts[job.id, default: 0]) times in doubt")
    }
    let isExcused =
      PushBundle.isOfMany(before.topic)
      || PushBundle.isOfMany(topic) && (hidden.contains(job.id) || isRepeated(job.id))
    if before.topic != topic, !isExcused {
      violations.append("\(text) came again, as \(topic) and not as \(before.topic)")
    }
  }

  // MARK: News within some minutes

  private mutating func judge(
    _ notification: PushNotification, after lastSentAt: (PushJob) -> Instant?,
    _ store: SimulatedStore, _ expiry: (PushJob) -> Instant?
  ) {
    let preferences = store.settings[notification.job.player]?.push ?? PushPreferences()
    guard preferences.isBundled, !notification.isSilent,
      // A device may have it already.
      notification.jobs.allSatisfy({
        $0.kind.topic != nil && requestCounts[$0.id] == 1 && !redelivered.contains($0.id)
      }),
      !notification.jobs.contains(where: \.hasWaitedForOthers)
    else { return }
    for job in notification.jobs {
      guard let last = lastSentAt(job) else { continue }
      // The next minute of the player's own.
      let end = last.adding(seconds: PushStore.Details.bundleSeconds + 60)
      let isQuietThen = (0...11).contains { minute in
        preferences.quietHours.map {
          isQuiet($0, preferences.timeZone, at: end.adding(seconds: 60 * (minute - 1)))
        } ?? false
      }
      if !isQuietThen, isOfUse(until: expiry(job), after: end) {
        violations.append(
          "push job \(job.kind.rawValue) \(job.id) could have waited for others until \(end)")
      }
    }
  }

  // MARK: Quiet hours

  private mutating func judge(
    _ notification: PushNotification, _ store: SimulatedStore, _ expiry: (PushJob) -> Instant?
  ) {
    let (now, preferences) = (
      store.now, store.settings[notification.job.player]?.push ?? PushPreferences()
    )
    guard let hours = preferences.quietHours,
      let end = end(of: hours, preferences.timeZone, at: now)
    else { return }
    var isLate = false
    for job in notification.jobs where job.kind != .account && job.kind != .test {
      isLate = true
      let text = "push job \(job.kind.rawValue) \(job.id) came in quiet hours"
      if isOfUse(until: expiry(job), after: end) {
        violations.append("\(text) and could have waited until \(end)")
      } else if hours.late == .dropped {
        violations.append("\(text), and its player wants nothing then")
      } else if !notification.isSilent {
        violations.append("\(text) with a sound")
      }
    }
    if isLate { silentCount += 1 }
  }

  private func isOfUse(until expiry: Instant?, after end: Instant) -> Bool {
    expiry.map { $0.microseconds(since: end) >= PushCheck.leastUseSeconds * 1_000_000 } ?? true
  }

  /// A job was dropped after a look at these facts.
  mutating func drop(_ job: PushJob, _ reason: PushReason?, _ details: PushStore.Details) {
    let text = "push job \(job.kind.rawValue) \(job.id) was dropped"
    switch reason {
    case .expired:
      if let end = details.expiresAt, end > details.readAt {
        violations.append("\(text) as expired, and its time lasts until \(end)")
      }
    case .quietHours:
      guard let hours = details.preferences.quietHours,
        let end = end(of: hours, details.preferences.timeZone, at: details.readAt)
      else { return violations.append("\(text) for quiet hours, and none were on") }
      if isOfUse(until: details.expiresAt, after: end) {
        violations.append("\(text) in quiet hours and could have waited until \(end)")
      } else if hours.late != .dropped {
        violations.append("\(text) in quiet hours, and its player wants it without a sound")
      }
    default: break
    }
  }

  /// The first minute of the wall's clock that is not quiet. Nil: the present one is not.
  private func end(
    of hours: QuietHours, _ zone: TimeZoneName?, at now: Instant
  ) -> Instant? {
    guard isQuiet(hours, zone, at: now) else { return nil }
    var time = now
    // No quiet hours last for three days.
    for _ in 0..<4_320 {
      time = time.adding(microseconds: 60_000_000 - time.microseconds % 60_000_000)
      if !isQuiet(hours, zone, at: time) { return time }
    }
    return time
  }

  private func isQuiet(_ hours: QuietHours, _ zone: TimeZoneName?, at time: Instant) -> Bool {
    let offset = zone.map { Int64(zones.period($0, time).offset) } ?? 0
    let seconds = time.microseconds / 1_000_000 + offset
    let minute = Int((seconds % 86_400 + 86_400) % 86_400 / 60)
    let (from, until) = (hours.from.number, hours.until.number)
    return from < until
      ? minute >= from && minute < until : minute >= from || minute < until
  }
}
