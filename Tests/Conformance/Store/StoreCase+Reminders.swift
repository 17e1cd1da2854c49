import CubeLexicon
import CustomDump
import MatchCore
import MatchInterfaces
import Testing

extension StoreCase {
  /// Reminders, and the notifications that were sent.
  static let reminders: [StoreCase] = [
    StoreCase("The player in turn is reminded once a turn, by any scheduler") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let id = try lab.begin()
      let first = try #require(try lab.match(id)?.turnReminder)
      let at = try #require(try lab.match(id)?.reminderAt)
      #expect(try remind(at.adding(seconds: -1), stores.scheduler) == 0)
      #expect(try remind(at.adding(seconds: 1), stores.scheduler) == 1)
      #expect(try remind(at.adding(seconds: 60), stores.otherScheduler) == 0)
      #expect(try stores.check.jobs(nil, 100).filter { $0.job == first }.count == 1)
      #expect(try stores.push.holds(first))
      try lab.act(lab.turn(in: #require(try lab.match(id))), by: .ann)
      #expect(try !stores.push.holds(first))
      let second = try #require(try lab.match(id)?.turnReminder)
      let then = try #require(try lab.match(id)?.reminderAt)
      #expect(second.id != first.id)
      #expect(try remind(then.adding(seconds: 1), stores.otherScheduler) == 1)
      let jobs = try stores.check.jobs(nil, 100).map(\.job).filter(\.kind.isReminder)
      #expect(Set(jobs) == [first, second] && jobs.count == 2)
      // A player who wants no reminders gets none.
      var write = BatchWrite(now: lab.now)
      write.playerChanges = [
        .init(player: second.player, change: .settings(SettingsChange(reminders: false)))
      ]
      try stores.worker.commit(write)
      #expect(try !stores.push.holds(second))
    },
    StoreCase(
      "The player in turn is reminded later by as long as the service was down, if at all"
    ) {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let match = try #require(try lab.match(lab.begin()))
      let at = try #require(match.reminderAt)
      let deadline = try #require(match.deadline)
      func count() throws -> Int {
        let jobs = try stores.check.jobs(nil, 100)
        return jobs.count { $0.job.kind == .turnRunningOut }
      }
      func look(_ now: Instant, _ time: Instant?, credit: Int64 = 0) throws {
        _ = try stores.scheduler.remindTurns(now, 10) { _ in
          QueueClock(
            time: time,
            creditMicroseconds: deadline.creditMicroseconds + credit * 1_000_000)
        }
      }
      // The queue has not caught up, or an hour of it has been given back.
      try look(at.adding(seconds: 5), nil)
      try look(at.adding(seconds: 60), at.adding(seconds: -1))
      try look(at.adding(seconds: 120), at.adding(seconds: 120), credit: 3_600)
      try look(at.adding(seconds: 3_590), at.adding(seconds: 3_590), credit: 3_600)
      #expect(try count() == 0)
      try look(at.adding(seconds: 3_601), at.adding(seconds: 3_601), credit: 3_600)
      #expect(try count() == 1)
      // No reminder of the next turn was sent in time.
      try lab.act(lab.turn(in: #require(try lab.match(match.id))), by: .ann)
      let end = try #require(try lab.match(match.id)?.deadline).at
      _ = try remind(end.adding(seconds: 1), stores.scheduler)
      #expect(try count() == 1)
      #expect(try remind(end.adding(seconds: 2), stores.scheduler) == 0)
    },
    StoreCase("A player with a begun and unfinished daily is reminded once") { stores in
      let lab = StoreLab(stores.worker)
      let crowd = (0..<5).map(TestPlayer.member)
      try lab.register(crowd)
      let key = DailyKey(day: Day(containing: lab.now))
      _ = try stores.scheduler.keepDaily(Dealer.daily(key, lexicon: .everyWord, secret: .test))
      try lab.send(crowd.prefix(4).map { try lab.event(.dailyStarted(key), by: $0) })
      try lab.act(.matchForfeited(MatchID(daily: key, player: crowd[1].id)), by: crowd[1])
      #expect(try stores.scheduler.remindDaily(key, 2) == true)
      while try stores.otherScheduler.remindDaily(key, 2) {}
      #expect(try stores.scheduler.remindDaily(key, 2) == false)
      let expected = [0, 2, 3].map { number in
        PushJob(
          dailyEndsSoon: key, match: MatchID(daily: key, player: crowd[number].id),
          to: crowd[number].id)
      }
      let jobs = try stores.check.jobs(nil, 100).map(\.job).filter { $0.kind == .dailyEndsSoon }
      #expect(jobs.count == 3)
      expectNoDifference(Set(jobs), Set(expected))
      #expect(try stores.push.holds(expected[0]))
      try lab.act(.matchForfeited(MatchID(daily: key, player: crowd[0].id)), by: crowd[0])
      #expect(try !stores.push.holds(expected[0]))
      let earlier = DailyKey(day: Day(number: key.day.number - 1))
      #expect(try !stores.push.holds(PushJob(dailyReady: earlier, to: crowd[0].id)))
      #expect(try stores.push.holds(PushJob(dailyReady: key, to: crowd[0].id)))
    },
    StoreCase("A day's ranks are dense, and tell how many there were") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let key = DailyKey(day: Day(containing: lab.now))
      #expect(try standing(of: TestPlayer.ann.id, key, stores) == nil)
      _ = try stores.scheduler.keepDaily(Dealer.daily(key, lexicon: .everyWord, secret: .test))
      try lab.act(.dailyStarted(key), by: .ann)
      #expect(try standing(of: TestPlayer.ann.id, key, stores) == .init(rank: 1, outOf: 1))
      #expect(try standing(of: TestPlayer.bob.id, key, stores) == nil)
    },
    StoreCase("Sent notifications wait to be seen, each player's own") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let (ann, bob) = (TestPlayer.ann.id, TestPlayer.bob.id)
      let jobs = (1...4).map {
        PushJob(
          id: PushJobID(rawValue: $0), kind: .matchEnded, player: $0 == 4 ? bob : ann,
          match: MatchID(rawValue: 7))
      }
      try stores.push.record(
        .init(jobs.map { .init($0, $0.id.rawValue == 2 ? .dropped : .delivered) }))
      #expect(Set(try stores.reader.inbox(ann, 10).map(\.job)) == [jobs[0], jobs[2]])
      #expect(try stores.reader.inbox(ann, 1).count == 1)
      func see(_ job: PushJobID?, _ player: PlayerID) throws {
        var write = BatchWrite(now: try stores.worker.lookUp(Lookup()).now)
        let change = job.map { PlayerChange.seen($0) } ?? .allSeen(until: write.now)
        write.playerChanges = [.init(player: player, change: change)]
        try stores.worker.commit(write)
      }
      try see(jobs[0].id, bob)
      #expect(try stores.reader.inbox(ann, 10).count == 2)
      try see(jobs[0].id, ann)
      #expect(try stores.reader.inbox(ann, 10).map(\.job) == [jobs[2]])
      try see(nil, ann)
      #expect(try stores.reader.inbox(ann, 10).isEmpty)
      #expect(try stores.reader.inbox(bob, 10).map(\.job) == [jobs[3]])
      #expect(try stores.reader.settings(ann).settings == PlayerSettings())
    },
    StoreCase("The newest notice about the account stays for seven days, whatever happens to it") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      let ann = TestPlayer.ann.id
      func record(
        _ number: UInt128, _ kind: PushJob.Kind, _ fate: PushStore.Fate
      ) throws -> PushJob {
        let job = PushJob(id: PushJobID(rawValue: number), kind: kind, player: ann)
        try stores.push.record(.init([.init(job, fate)]))
        return job
      }
      func commit(_ change: PlayerChange) throws {
        var write = BatchWrite(now: try stores.worker.lookUp(Lookup()).now)
        write.playerChanges = [.init(player: ann, change: change)]
        try stores.worker.commit(write)
      }
      let first = try record(1, .account, .delivered)
      #expect(try stores.reader.inbox(ann, 10).map(\.job) == [first])
      try commit(.seen(first.id))
      try commit(.allSeen(until: stores.worker.lookUp(Lookup()).now))
      #expect(try stores.reader.inbox(ann, 10).map(\.job) == [first])
      // No number of others takes its place. A newer one does, also one that no device got.
      try stores.age(1)
      let others = try (10..<20).map { try record($0, .matchEnded, .delivered) }
      let shown = try stores.reader.inbox(ann, 5).map(\.job)
      #expect(shown.count == 5 && shown.last == first)
      #expect(shown.dropLast().allSatisfy(others.contains))
      try stores.age(1)
      let second = try record(2, .account, .failed)
      #expect(try stores.reader.inbox(ann, 1).map(\.job) == [second])
      try commit(.allSeen(until: stores.worker.lookUp(Lookup()).now))
      try stores.age(7 * 86_400 - 60)
      #expect(try stores.reader.inbox(ann, 10).map(\.job) == [second])
      try stores.age(120)
      #expect(try stores.reader.inbox(ann, 10).isEmpty)
      // One that was not seen is shown for longer.
      let third = try record(3, .account, .delivered)
      try stores.age(8 * 86_400)
      #expect(try stores.reader.inbox(ann, 10).map(\.job) == [third])
    },
    StoreCase("Invitations and offers that do not wait any more hide no other notifications") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd)
      let (ann, bob) = (TestPlayer.ann.id, TestPlayer.bob.id)
      func invite(_ player: TestPlayer, _ limit: Int64) throws -> MatchID {
        let asked = try lab.event(
          .matchRequested(MatchRequest(opponent: .player(ann), turnLimitSeconds: limit)),
          by: player)
        try lab.send([asked])
        return asked.newMatch
      }
      func deliver(_ match: MatchID, _ kind: PushJob.Kind = .invited) throws -> PushJobID {
        let jobs = try stores.check.stored([match])[match]?.jobs.map(\.job) ?? []
        let job = try #require(jobs.last { $0.kind == kind })
        try stores.push.record(.init([.init(job, .delivered)]))
        return job.id
      }
      func inbox(_ player: PlayerID, _ limit: Int = 9) throws -> [PushJobID] {
        try stores.reader.inbox(player, limit).map(\.job.id)
      }
      let friend = try invite(.bob, 60)
      let waiting = try deliver(friend)
      for number in 0..<6 {
        let match = try invite(.cyd, 100 + Int64(number))
        _ = try deliver(match)
        let isWithdrawn = number % 2 == 0
        try lab.act(
          isWithdrawn ? .requestWithdrawn(match) : .invitationDeclined(match),
          by: isWithdrawn ? .cyd : .ann)
      }
      #expect(try inbox(ann, 2) == [waiting])
      let other = try deliver(invite(.cyd, 200))
      #expect(try inbox(ann) == [other, waiting])
      #expect(try inbox(ann, 1) == [other])
      #expect(try inbox(bob) == [])
      try lab.act(.invitationAccepted(friend, code: nil), by: .ann)
      let joined = try deliver(friend, .opponentJoined)
      #expect(try inbox(ann) == [other])
      #expect(try inbox(bob) == [joined])
      for _ in 0..<2 {
        let match = try #require(try lab.match(friend))
        let player: TestPlayer = match.players[match.seatToPlay] == ann ? .ann : .bob
        try lab.act(lab.turn(in: match), by: player)
      }
      try lab.act(.matchForfeited(friend), by: .bob)
      try lab.act(.rematchRequested(friend), by: .bob)
      let offered = try deliver(friend, .rematchRequested)
      #expect(try inbox(ann) == [offered, other])
      try lab.act(.rematchDeclined(friend), by: .ann)
      #expect(try inbox(ann) == [other])
    },
    StoreCase("All of a great many is seen at once, and later notifications are not") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let (ann, bob) = (TestPlayer.ann.id, TestPlayer.bob.id)
      func send(_ numbers: Range<UInt128>, to player: PlayerID) throws -> [PushJob] {
        let jobs = numbers.map {
          PushJob(id: PushJobID(rawValue: $0), kind: .matchEnded, player: player)
        }
        try stores.push.record(.init(jobs.map { .init($0, .delivered) }))
        return jobs
      }
      func commit(_ changes: (PlayerID, PlayerChange)...) throws {
        var write = BatchWrite(now: try stores.worker.lookUp(Lookup()).now)
        write.playerChanges = changes.map { .init(player: $0, change: $1) }
        try stores.worker.commit(write)
      }
      func all() throws -> PlayerChange { .allSeen(until: try stores.worker.lookUp(Lookup()).now) }
      let muted = SettingsChange(kinds: [.invited: false])
      _ = try send(0..<3_000, to: ann)
      let others = try send(3_000..<3_002, to: bob)
      #expect(try stores.reader.inbox(ann, 5_000).count == 3_000)
      try commit((ann, .settings(muted)), (ann, all()), (bob, .settings(muted)))
      #expect(try stores.reader.inbox(ann, 5_000).isEmpty)
      #expect(Set(try stores.reader.inbox(bob, 10).map(\.job)) == Set(others))
      // These are older than the notifications that are sent next.
      try stores.age(1)
      let later = try send(4_000..<4_002, to: ann)
      #expect(Set(try stores.reader.inbox(ann, 10).map(\.job)) == Set(later))
      // Earlier settings stand, and a change of settings leaves read notifications read.
      try commit((ann, .settings(SettingsChange(kinds: [.matchEnded: false]))))
      #expect(try stores.reader.settings(ann).settings.muted == [.invited, .matchEnded])
      #expect(Set(try stores.reader.inbox(ann, 10).map(\.job)) == Set(later))
      try commit((ann, .seen(later[0].id)))
      #expect(try stores.reader.inbox(ann, 10).map(\.job) == [later[1]])
      // A look that arrives late changes nothing that a later one has said, and takes nothing away
      // that was sent after it.
      let look = try all()
      try commit((ann, look))
      #expect(try stores.reader.inbox(ann, 10).isEmpty)
      try stores.age(1)
      let last = try send(5_000..<5_001, to: ann)
      try commit((ann, look))
      #expect(try stores.reader.inbox(ann, 10).map(\.job) == last)
      try commit((ann, all()), (ann, look))
      #expect(try stores.reader.inbox(ann, 10).isEmpty)
      try commit((ann, look))
      #expect(try stores.reader.inbox(ann, 10).isEmpty)
    },
  ]

  static func remind(_ now: Instant, _ store: SchedulerStore) throws -> Int {
    try store.remindTurns(now, 10) { _ in QueueClock(time: now) }
  }

  private static func standing(
    of player: PlayerID, _ key: DailyKey, _ stores: StoreSet
  ) throws -> PushStore.Standing? {
    let next = DailyKey(day: Day(number: key.day.number + 1))
    return try stores.push.details(PushJob(dailyReady: next, to: player))?.yesterday
  }
}

extension PushStore {
  /// Whether a job is to be sent.
  func holds(_ job: PushJob) throws -> Bool { try details(job) != nil }

  /// The text and destination of a job; nil where it is not to be sent.
  func details(_ job: PushJob) throws -> Details? {
    guard case .due(let details)? = try brief([job])[job.id] else { return nil }
    return details
  }

  /// The jobs that need no further work.
  func handled(_ jobs: [PushJob]) throws -> Set<PushJobID> {
    let done = try brief(jobs).filter { _, briefing in
      switch briefing {
      case .handled, .delivered: true
      case .due, .stale: false
      }
    }
    return Set(done.keys)
  }
}
