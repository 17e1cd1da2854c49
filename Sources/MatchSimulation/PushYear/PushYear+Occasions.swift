import MatchCore
import MatchInterfaces

/// The course of a year: players' wishes, and the jobs that they are owed.
extension PushYear {
  private static let day: Int64 = 86_400
  /// Jobs of a player, about one a day.
  private static let jobCount = 320
  /// Devices are registered again after so many days, since push services call living ones gone.
  private static let registrationDays = 5

  /// Everybody has a digest, a review and something that waits.
  func begin(in names: [String]) {
    for (player, name) in zip(players, names) {
      var preferences = PushPreferences(
        timeZone: TimeZoneName(name), quietHours: quietHours(), isBundled: random.happens(0.7),
        digest: MinuteOfDay(random.below(1_440)))
      preferences.review = random.pick(Weekday.allCases)
      store.settings[player] = PlayerSettings(push: preferences)
      store.nextDigest[player] = clock.now
      var row = StoredListing()
      row.seats = [.init(seat: 1, player: player, isInvited: true, isOver: false)]
      store.rows[MatchID(rawValue: random.randomness.next128())] = row
      registrations(of: player).forEach { change in
        store.apply([BatchWrite.PlayerRow(player: player, change: change)], at: clock.now)
      }
    }
  }

  /// Mostly a night's.
  private func quietHours() -> QuietHours? {
    let isNight = random.happens(0.7)
    let from = isNight ? random.number(in: 1_200...1_439) : random.below(1_440)
    let until = isNight ? random.number(in: 240...600) : random.below(1_440)
    guard let from = MinuteOfDay(from), let until = MinuteOfDay(until) else { return nil }
    return QuietHours(from: from, until: until, late: random.happens(0.5) ? .silent : .dropped)
  }

  private func registrations(of player: PlayerID) -> [PlayerChange] {
    ["phone", "tablet"].compactMap { name in
      DeviceName(name).map {
        .device(Device(name: $0, token: "\(player)", permission: .authorized))
      }
    }
  }

  /// New wishes every month or so, and devices that come back.
  func changes(of player: PlayerID) -> [Occasion] {
    var found: [Occasion] = []
    for _ in 0..<12 {
      var change = PushChange(isBundled: random.happens(0.7))
      change.quietHours = quietHours().map { .set($0) } ?? .removed
      found.append(
        Occasion(at: anyTime, kind: .changed(player, .settings(SettingsChange(push: change)))))
    }
    for days in stride(from: 0, to: 366, by: PushYear.registrationDays) {
      let at = PushYear.start.adding(seconds: Int64(days) * PushYear.day)
      found += registrations(of: player).map { Occasion(at: at, kind: .changed(player, $0)) }
    }
    return found
  }

  private var anyTime: Instant {
    PushYear.start.adding(
      microseconds: Int64(random.next() % UInt64(366 * PushYear.day)) * 1_000_000)
  }

  /// Turns, now and then several within minutes, and jobs of every other kind but those that the
  /// clock on the wall owes.
  func jobs(of player: PlayerID) -> [Occasion] {
    let kinds = PushJob.Kind.allCases.filter { $0 != .digest && $0 != .weekInReview }
    var (found, at): ([Occasion], Instant) = ([], anyTime)
    for _ in 0..<PushYear.jobCount {
      at = random.happens(0.3) ? at.adding(seconds: Int64(random.below(400))) : anyTime
      guard at < PushYear.end else { continue }
      let kind = random.happens(0.5) ? .yourTurn : random.pick(kinds) ?? .yourTurn
      let number = random.randomness.next128()
      let job = PushJob(
        id: PushJobID(rawValue: number), kind: kind, player: player,
        match: MatchID(rawValue: number), turn: 1)
      found.append(Occasion(at: at, kind: .owed(job, facts(about: kind, at))))
    }
    return found
  }

  private func facts(about kind: PushJob.Kind, _ at: Instant) -> Facts {
    switch kind {
    case .yourTurn, .turnRunningOut, .nudged:
      let limit: Int64 = random.pick([600, 3_600, 8 * 3_600, 86_400, 3 * 86_400]) ?? 86_400
      let wait = Int64(random.below(2 * Int(limit)))
      return Facts(
        expiresAt: at.adding(seconds: limit),
        answeredAt: wait < limit ? at.adding(seconds: wait) : nil)
    case .dailyReady, .dailyEndsSoon: return Facts(expiresAt: Day(containing: at).end)
    case .reacted, .invited, .opponentJoined, .rematchRequested, .rematchDeclined,
      .rematchStarted, .rematchWaits, .matchEnded, .account, .digest, .weekInReview, .test:
      return Facts()
    }
  }
}
