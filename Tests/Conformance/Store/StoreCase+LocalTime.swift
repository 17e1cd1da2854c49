import CustomDump
import MatchCore
import MatchInterfaces
import Testing

// Jobs by the players' own clocks, and the reminders of offers.
extension StoreCase {
  static let localTime: [StoreCase] = [
    StoreCase("An offer that has waited for a day is reminded of once, unless it soon runs out") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let offer = try offered(lab, stores)
      let job = PushJob(rematchWaits: offer.match, to: TestPlayer.bob.id)
      let wait = SchedulerStore.WaitingOffer.reminderSeconds
      let due = offer.at.adding(seconds: wait)
      // The offer runs out within a day of this time.
      let late = offer.at.adding(seconds: Match.invitationSeconds - wait)
      for now in [due.adding(microseconds: -1), late, late.adding(seconds: 1)] {
        #expect(try stores.scheduler.remindOffers(now, nil, 10) == nil)
        var before = offer
        before.match = MatchID(rawValue: 0)
        #expect(try stores.scheduler.remindOffers(now, before, 10) == nil)
      }
      #expect(try owed(.rematchWaits, stores) == [])
      #expect(try stores.scheduler.remindOffers(due, nil, 10) == offer)
      #expect(try owed(.rematchWaits, stores) == [job])
      #expect(try stores.scheduler.remindOffers(due, offer, 10) == nil)
      // A scheduler that begins anew looks at it once more, until it would soon run out.
      let last = late.adding(microseconds: -1)
      #expect(try stores.otherScheduler.remindOffers(last, nil, 10) == offer)
      #expect(try owed(.rematchWaits, stores) == [job])
    },
    StoreCase("The reminder of an offer that waits for its hour, or was sent, is not owed again") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let offer = try offered(lab, stores)
      let job = PushJob(rematchWaits: offer.match, to: TestPlayer.bob.id)
      let due = offer.at.adding(seconds: SchedulerStore.WaitingOffer.reminderSeconds)
      _ = try stores.scheduler.remindOffers(due, nil, 10)
      try publishAll(stores)
      try stores.push.record(
        .init(held: [HeldJob(job, until: due.adding(seconds: 3_600), .quietHours)]))
      #expect(try stores.scheduler.remindOffers(due, nil, 10) == offer)
      #expect(try stores.relay.claim(.zero, 10) == [])
      for fate in [PushStore.Fate.failed, .delivered] {
        try stores.push.record(.init([.init(job, fate)]))
        #expect(try stores.scheduler.remindOffers(due, nil, 10) == offer)
        #expect(try stores.relay.claim(.zero, 10) == [])
      }
    },
    StoreCase("Offers come page by page, and none between players who have blocked one another") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd)
      var offers: [SchedulerStore.WaitingOffer] = []
      for asker in [TestPlayer.ann, .cyd, .ann, .cyd] {
        offers.append(try offered(lab, stores, by: asker))
      }
      try lab.act(.playerBlocked(TestPlayer.bob.id), by: .ann)
      let newest = try #require(offers.map(\.at).max())
      let due = newest.adding(seconds: SchedulerStore.WaitingOffer.reminderSeconds)
      func all(_ limit: Int) throws -> [SchedulerStore.WaitingOffer] {
        var pages: [SchedulerStore.WaitingOffer] = []
        while let last = try stores.scheduler.remindOffers(due, pages.last, limit) {
          pages.append(last)
        }
        return pages
      }
      expectNoDifference(try all(1), offers)
      expectNoDifference(try all(3), [offers[2], offers[3]])
      let (first, third) = (offers[0].match, offers[2].match)
      let jobs = offers.map { PushJob(rematchWaits: $0.match, to: TestPlayer.bob.id) }
      #expect(
        try owed(.rematchWaits, stores) == Set(jobs.filter { ![first, third].contains($0.match) }))
      try lab.act(.playerUnblocked(TestPlayer.bob.id), by: .ann)
      _ = try all(10)
      #expect(try owed(.rematchWaits, stores) == Set(jobs))
    },
    StoreCase("The reminder of an offer holds while the offer stands") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let offer = try offered(lab, stores)
      let job = PushJob(rematchWaits: offer.match, to: TestPlayer.bob.id)
      #expect(try stores.push.details(job)?.opponent?.id == TestPlayer.ann.id)
      // It is for the other player.
      #expect(
        try !stores.push.holds(PushJob(rematchWaits: offer.match, to: TestPlayer.ann.id)))
      try stores.age(Match.invitationSeconds - 60)
      #expect(try stores.push.holds(job))
      try stores.age(120)
      #expect(try stores.push.brief([job]) == [job.id: .stale(.answered)])
      try stores.push.record(.init([.init(job, .delivered)]))
      #expect(try stores.push.brief([job]) == [job.id: .handled])
    },
    StoreCase("A digest holds while something waits, and one that was delivered is done with") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let id = try lab.begin()
      let day = Day(containing: lab.now)
      let (ann, bob) = (
        PushJob(digest: day, to: TestPlayer.ann.id), PushJob(digest: day, to: TestPlayer.bob.id)
      )
      #expect(try stores.push.details(ann)?.waiting?.count == 1)
      #expect(try stores.push.brief([bob]) == [bob.id: .stale(.answered)])
      try stores.push.record(.init([.init(ann, .delivered), .init(bob, .delivered)]))
      guard case .delivered? = try stores.push.brief([ann])[ann.id] else {
        Issue.record("it may go on to other devices")
        return
      }
      #expect(try stores.push.brief([bob]) == [bob.id: .handled])
      try lab.act(.matchForfeited(id), by: .bob)
      #expect(try stores.push.brief([ann]) == [ann.id: .handled])
    },
    StoreCase("A wish comes with whether a turn, an invitation or an offer waits") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let digest = try #require(MinuteOfDay("08:00"))
      for player in [TestPlayer.ann, .bob] {
        try lab.act(
          .settingsChanged(SettingsChange(push: PushChange(digest: .set(digest)))), by: player)
      }
      var clock = LookClock(try stores.scheduler.now())
      func waiting() throws -> Set<PlayerID> {
        let wishes = try clock.look(stores) { _ in nil }
        #expect(wishes.count == 2)
        for wish in wishes {
          let job = PushJob(digest: Day(containing: lab.now), to: wish.player)
          #expect(try stores.push.holds(job) == wish.hasWaiting)
        }
        return Set(wishes.filter(\.hasWaiting).map(\.player))
      }
      let (ann, bob) = (TestPlayer.ann.id, TestPlayer.bob.id)
      #expect(try waiting() == [])
      // A player who asks for a match may play its first turn at once.
      let asked = try lab.event(
        .matchRequested(MatchRequest(opponent: .player(bob), turnLimitSeconds: 3_600)), by: .ann)
      try lab.send([asked])
      #expect(try waiting() == [ann, bob])
      try lab.act(lab.turn(in: #require(try lab.match(asked.newMatch))), by: .ann)
      #expect(try waiting() == [bob])
      try lab.act(.invitationAccepted(asked.newMatch, code: nil), by: .bob)
      #expect(try waiting() == [bob])
      try lab.act(lab.turn(in: #require(try lab.match(asked.newMatch))), by: .bob)
      #expect(try waiting() == [ann])
      try lab.act(.matchForfeited(asked.newMatch), by: .bob)
      #expect(try waiting() == [])
      try lab.act(.rematchRequested(asked.newMatch), by: .bob)
      #expect(try waiting() == [ann])
      // Nobody waits for anyone yet.
      try lab.act(.rematchDeclined(asked.newMatch), by: .ann)
      try lab.act(
        .matchRequested(MatchRequest(opponent: .open, turnLimitSeconds: 3_600)), by: .ann)
      #expect(try waiting() == [])
    },
    StoreCase("A turn that runs out in quiet hours is reminded of before them, and once") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let match = try #require(try lab.match(lab.begin()))
      let at = try #require(match.reminderAt)
      let end = try #require(match.deadline).at
      let mover: TestPlayer = match.players[match.seatToPlay] == TestPlayer.ann.id ? .ann : .bob
      let other: TestPlayer = mover == .ann ? .bob : .ann
      let quiet = try quietHours()
      for player in [mover, other] {
        try lab.act(
          .settingsChanged(SettingsChange(push: PushChange(quietHours: .set(quiet)))), by: player)
      }
      var clock = LookClock(try stores.scheduler.now())
      func look(_ hours: Range<Instant>, of player: TestPlayer) throws -> Set<PushJob> {
        let wishes = try clock.look(stores) { $0.player == player.id ? hours : nil }
        #expect(Set(wishes.map(\.player)) == [mover.id, other.id])
        #expect(wishes.allSatisfy { $0.preferences.quietHours == quiet && !$0.hasWaiting })
        return try owed(.turnRunningOut, stores)
      }
      // Its time is before them or after them.
      let begin = at.adding(seconds: -60)
      let tooEarly = begin..<at
      let tooLate = at.adding(microseconds: 1)..<at.adding(seconds: 60)
      #expect(try look(tooEarly, of: mover) == [])
      #expect(try look(tooLate, of: mover) == [])
      // The other player is not due.
      let hours = at..<end.adding(seconds: -PushPlan.leastUseSeconds).adding(microseconds: 1)
      #expect(try look(hours, of: other) == [])
      let reminder = try #require(match.turnReminder)
      #expect(try look(hours, of: mover) == [reminder])
      try publishAll(stores)
      #expect(try look(begin..<end, of: mover) == [])
      #expect(try remind(at.adding(seconds: 1), stores.scheduler) == 0)
      #expect(try owed(.turnRunningOut, stores) == [])
      // The next turn has its own reminder, at its time.
      try lab.act(lab.turn(in: match), by: mover)
      let next = try #require(try lab.match(match.id))
      let then = try #require(next.reminderAt)
      #expect(try remind(then.adding(seconds: 1), stores.scheduler) == 1)
      #expect(try owed(.turnRunningOut, stores) == [try #require(next.turnReminder)])
    },
    StoreCase("A turn with ten minutes left after quiet hours is reminded of at its time") {
      stores in
      let match = try dailyTurnWithQuietHours(stores)
      let at = try #require(match.reminderAt)
      let end = try #require(match.deadline).at
      let least = PushPlan.leastUseSeconds
      var clock = LookClock(try stores.scheduler.now())
      let enough = at.adding(seconds: -60)..<end.adding(seconds: -least)
      #expect(try clock.look(stores) { _ in enough }.count == 1)
      #expect(try owed(.turnRunningOut, stores) == [])
      let short = enough.lowerBound..<enough.upperBound.adding(microseconds: 1)
      #expect(try clock.look(stores) { _ in short }.count == 1)
      #expect(try owed(.turnRunningOut, stores) == [try #require(match.turnReminder)])
    },
    StoreCase("Time that was given back moves a turn out of quiet hours, or into them") { stores in
      let match = try dailyTurnWithQuietHours(stores)
      let at = try #require(match.reminderAt)
      let deadline = try #require(match.deadline)
      let least = PushPlan.leastUseSeconds
      // Twice as long as a turn must have after quiet hours.
      let credited = QueueClock(
        time: at, creditMicroseconds: deadline.creditMicroseconds + 2 * least * 1_000_000)
      var clock = LookClock(try stores.scheduler.now())
      let night = at.adding(seconds: -60)..<deadline.at
      #expect(try clock.look(stores, by: credited) { _ in night }.count == 1)
      #expect(try owed(.turnRunningOut, stores) == [])
      // Only with the credit does its reminder come in these.
      let later = at.adding(seconds: 1)..<deadline.at.adding(seconds: least + 1)
      #expect(try clock.look(stores) { _ in later }.count == 1)
      #expect(try owed(.turnRunningOut, stores) == [])
      #expect(try clock.look(stores, by: credited) { _ in later }.count == 1)
      #expect(try owed(.turnRunningOut, stores) == [try #require(match.turnReminder)])
    },
    StoreCase("Wishes are looked at in the order of their times, so many at once") { stores in
      let lab = StoreLab(stores.worker)
      let crowd = (0..<5).map(TestPlayer.member)
      try lab.register(crowd)
      let digest = try #require(MinuteOfDay("08:00"))
      for player in crowd {
        try lab.act(
          .settingsChanged(SettingsChange(push: PushChange(digest: .set(digest)))), by: player)
      }
      let now = try stores.scheduler.now().adding(seconds: 60)
      var seen: [PlayerID] = []
      func look(_ limit: Int, next: Instant?) throws -> Int {
        try stores.scheduler.remindByLocalTime(now, limit, { _ in QueueClock() }) { wish in
          seen.append(wish.player)
          return SchedulerStore.LocalRound(next: next)
        }
      }
      #expect(try look(2, next: nil) == 2)
      #expect(try look(9, next: now.adding(seconds: 1)) == 3)
      #expect(seen == crowd.map(\.id))
      #expect(try look(9, next: nil) == 0)
      // A player who takes the wish back is looked at no more.
      try lab.act(
        .settingsChanged(SettingsChange(push: PushChange(digest: .removed))), by: crowd[4])
      var late: [PlayerID] = []
      _ = try stores.scheduler.remindByLocalTime(
        now.adding(seconds: 2), 9, { _ in QueueClock() }
      ) { wish in
        late.append(wish.player)
        return SchedulerStore.LocalRound(next: nil)
      }
      #expect(Set(late) == [crowd[2].id, crowd[3].id])
    },
  ]

  /// Looks at wishes again and again: each look notes the next one.
  private struct LookClock {
    private var now: Instant

    /// After every change that was written so far.
    init(_ now: Instant) { self.now = now }

    /// The wishes that are looked at, with the quiet hours that begin for each.
    mutating func look(
      _ stores: StoreSet, by clock: QueueClock = QueueClock(),
      _ quiet: @escaping (SchedulerStore.LocalWish) -> Range<Instant>?
    ) throws -> [SchedulerStore.LocalWish] {
      var wishes: [SchedulerStore.LocalWish] = []
      now = now.adding(seconds: 60)
      let next = now.adding(seconds: 30)
      _ = try stores.scheduler.remindByLocalTime(now, 10, { _ in clock }) { wish in
        wishes.append(wish)
        return SchedulerStore.LocalRound(quiet: quiet(wish), next: next)
      }
      return wishes
    }
  }

  private static func quietHours() throws -> QuietHours {
    let (from, until) = (
      try #require(MinuteOfDay("22:00")), try #require(MinuteOfDay("07:00"))
    )
    return try #require(QuietHours(from: from, until: until))
  }

  /// A match whose turns last a day. The player whose turn it is has quiet hours.
  private static func dailyTurnWithQuietHours(_ stores: StoreSet) throws -> Match {
    let lab = StoreLab(stores.worker)
    try lab.register(.ann, .bob)
    let asked = try lab.event(
      .matchRequested(
        MatchRequest(opponent: .player(TestPlayer.bob.id), turnLimitSeconds: 86_400)), by: .ann)
    try lab.send([asked])
    try lab.act(.invitationAccepted(asked.newMatch, code: nil), by: .bob)
    let match = try #require(try lab.match(asked.newMatch))
    let mover: TestPlayer = match.players[match.seatToPlay] == TestPlayer.ann.id ? .ann : .bob
    let quiet = try quietHours()
    try lab.act(
      .settingsChanged(SettingsChange(push: PushChange(quietHours: .set(quiet)))), by: mover)
    return match
  }

  /// A match that is over, with an offer of a rematch to Bob.
  private static func offered(
    _ lab: StoreLab, _ stores: StoreSet, by asker: TestPlayer = .ann
  ) throws -> SchedulerStore.WaitingOffer {
    let id = try lab.begin(asker, .bob)
    try lab.act(.matchForfeited(id), by: .bob)
    try lab.act(.rematchRequested(id), by: asker)
    let offer = try #require(try stores.check.stored([id])[id]?.listing.rematchOffer)
    return SchedulerStore.WaitingOffer(match: id, at: offer.at)
  }

  /// The jobs of a kind that the broker has yet to confirm.
  private static func owed(_ kind: PushJob.Kind, _ stores: StoreSet) throws -> Set<PushJob> {
    Set(
      try stores.check.jobs(nil, 1_000).filter { $0.isOwed && $0.job.kind == kind }.map(\.job))
  }

  /// The broker has all the jobs that are owed.
  private static func publishAll(_ stores: StoreSet) throws {
    let jobs = try stores.relay.claim(.zero, 1_000)
    try stores.relay.finish(jobs.map(\.id))
  }
}
