import CubeLexicon
import CubeRules
import CustomDump
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

extension StoreCase {
  static let roles: [StoreCase] = [
    StoreCase("Workers see one another until they leave") { stores in
      let (one, two) = (WorkerID(rawValue: 1), WorkerID(rawValue: 2))
      #expect(try stores.worker.heartbeat(two) == [two])
      #expect(try stores.otherWorker.heartbeat(one) == [one, two])
      #expect(try stores.worker.heartbeat(two) == [one, two])
      try stores.otherWorker.leave(one)
      #expect(try stores.worker.heartbeat(two) == [two])
    },
    StoreCase("A worker that has given no sign of life for ten seconds does not count") { stores in
      let (one, two) = (WorkerID(rawValue: 1), WorkerID(rawValue: 2))
      #expect(try stores.worker.heartbeat(one) == [one])
      try stores.age(5)
      #expect(try stores.otherWorker.heartbeat(two) == [one, two])
      try stores.age(6)
      #expect(try stores.otherWorker.heartbeat(two) == [two])
      // It counts again after its next heartbeat.
      #expect(try stores.worker.heartbeat(one) == [one, two])
      try stores.worker.leave(one)
      try stores.worker.leave(one)
      #expect(try stores.otherWorker.heartbeat(two) == [two])
    },
    StoreCase("A worker without a share hears whether others serve, and whether it counts still") {
      stores in
      let (one, two) = (WorkerID(rawValue: 1), WorkerID(rawValue: 2))
      #expect(try stores.worker.standing(one) == WorkerStanding())
      #expect(try stores.otherWorker.heartbeat(two) == [two], "asking takes no share")
      #expect(try stores.worker.standing(one).isServed)
      #expect(try !stores.worker.standing(one).isMember)
      let own = try stores.worker.standing(two)
      #expect(own.isMember && !own.isServed)
      try stores.age(6)
      #expect(try !stores.worker.standing(one).isServed)
      #expect(try stores.worker.standing(two).isMember)
      try stores.age(5)
      #expect(try stores.worker.standing(two) == WorkerStanding())
    },
    StoreCase("One scheduler of many leads") { stores in
      let leads = [
        try stores.scheduler.lead(), try stores.scheduler.lead(),
        try stores.otherScheduler.lead(),
      ]
      #expect(leads == [true, true, false])
    },
    StoreCase("Everybody's time is the store's clock and what is added to it, by one judgement") {
      stores in
      func ahead(_ instant: Instant) throws -> Int64 {
        instant.microseconds(since: try stores.scheduler.time().shown) / 60_000_000
      }
      #expect(try stores.scheduler.time().addedMicroseconds == 0)
      #expect(try stores.scheduler.time().lastJump == nil)
      let (hour, at) = (Int64(3_600_000_000), try stores.scheduler.now())
      let jump = ServiceTime.Jump(microseconds: hour, at: at)
      try stores.scheduler.correctTime(.init(from: 0, to: -hour, after: jump))
      // Another scheduler that goes by the value of before changes nothing.
      try stores.otherScheduler.correctTime(.init(from: 0, to: hour))
      let time = try stores.otherScheduler.time()
      #expect(time.addedMicroseconds == -hour && time.lastJump == jump)
      #expect(time.now == time.shown.adding(microseconds: -hour))
      for now in [
        try stores.scheduler.now(), try stores.worker.lookUp(Lookup()).now,
        try stores.reader.ownersAndMatches([], []).now, try stores.check.now(),
      ] {
        #expect((-60 ... -59).contains(try ahead(now)))
      }
      stores.worker.abandon()
      let workload = try stores.scheduler.workload()
      #expect(workload.addedMicroseconds == -hour && workload.clockJump == jump)
      #expect(try ahead(workload.now) == 0)
      try stores.scheduler.correctTime(.init(from: -hour, to: 0))
      #expect(try stores.scheduler.time().lastJump == jump)
      #expect(try ahead(stores.scheduler.now()) == 0)
    },
    StoreCase("Overdue matches come oldest deadline first, those that are over not at all") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      var expected: [SchedulerStore.Overdue] = []
      var last: MatchID?
      for limit: Int64 in [3_600, 10, 1_000, 60] {
        let asked = try lab.event(
          .matchRequested(MatchRequest(opponent: .open, turnLimitSeconds: limit)), by: .ann)
        try lab.send([asked])
        let deadline = try #require(try lab.match(asked.newMatch)?.deadline)
        expected.append(.init(match: asked.newMatch, turn: 1, deadline: deadline.at))
        last = asked.newMatch
      }
      let end = try #require(expected.map(\.deadline).max()).adding(microseconds: 1)
      expectNoDifference(try stores.scheduler.overdue(end, nil, 10), expected)
      #expect(try stores.scheduler.overdue(end, nil, 2) == Array(expected.prefix(2)))
      // A page begins after the last one of the page before, or with an instant.
      for (place, row) in expected.enumerated() {
        let rest = Array(expected.dropFirst(place + 1))
        expectNoDifference(try stores.scheduler.overdue(end, row, 10), rest)
        let instant = SchedulerStore.Overdue(
          match: MatchID(rawValue: 0), turn: 0, deadline: row.deadline)
        expectNoDifference(try stores.scheduler.overdue(end, instant, 10), [row] + rest)
      }
      // A deadline is overdue only after its instant.
      #expect(try stores.scheduler.overdue(expected[1].deadline, nil, 10) == [expected[0]])
      try lab.act(.requestWithdrawn(#require(last)), by: .ann)
      #expect(try stores.scheduler.overdue(end, nil, 10) == Array(expected.prefix(3)))
    },
    StoreCase("An open invitation that is withdrawn in the batch that makes it leaves its code") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      let terms = MatchRequest(opponent: .open, turnLimitSeconds: 3_600)
      let (asked, kept) = (
        try lab.event(.matchRequested(terms), by: .ann),
        try lab.event(.matchRequested(terms), by: .ann)
      )
      let withdrawn = try lab.event(.requestWithdrawn(asked.newMatch), by: .ann)
      try lab.send([asked, kept, withdrawn])
      func found(_ match: MatchID) throws -> MatchID? {
        try stores.reader.matchByCode(ShareCode(invitationTo: match, secret: .test))
      }
      #expect(try found(asked.newMatch) == asked.newMatch)
      #expect(try found(kept.newMatch) == kept.newMatch)
      try lab.act(.requestWithdrawn(kept.newMatch), by: .ann)
      #expect(try found(kept.newMatch) == kept.newMatch)
      try checkAgreement(stores)
    },
    StoreCase("A clock that is set back keeps no worker living that is dead") { stores in
      let (one, two) = (WorkerID(rawValue: 1), WorkerID(rawValue: 2))
      #expect(try stores.worker.heartbeat(one) == [one])
      // As if an hour had not passed yet.
      try stores.age(-3_600)
      #expect(try stores.otherWorker.heartbeat(two) == [one, two])
      try stores.age(11)
      #expect(try stores.otherWorker.heartbeat(two) == [two])
    },
    StoreCase("A message's trials are counted until somebody has survived it") { stores in
      let (one, other) = (Hash(sha256Of: [1]), Hash(sha256Of: [2]))
      #expect(try stores.worker.trial(.begins, one) == 1)
      #expect(try stores.otherWorker.trial(.begins, one) == 2)
      #expect(try stores.worker.trial(.begins, other) == 1)
      _ = try stores.worker.trial(.survived, one)
      #expect(try stores.otherWorker.trial(.begins, one) == 1)
      // Push jobs are noted beside events.
      let job = Hash(sha256Of: [3])
      #expect(try stores.push.trial(.begins, job) == 1)
      #expect(try stores.push.trial(.begins, job) == 2)
      _ = try stores.push.trial(.survived, job)
      #expect(try stores.push.trial(.begins, job) == 1)
    },
    StoreCase("A push worker with a lost connection goes on over a new one") { stores in
      let lab = StoreLab(stores.worker)
      let jobs = try oweJobs(2, lab)
      try stores.push.record(.init([.init(jobs[0], .delivered)]))
      try stores.end(.push)
      #expect(try storeError { _ = try stores.push.brief(jobs) }.isUnavailable)
      #expect(
        try storeError { try stores.push.record(.init([.init(jobs[1], .delivered)])) }.isUnavailable
      )
      try stores.push.reconnect()
      #expect(try stores.push.handled(jobs) == [jobs[0].id])
      try stores.push.record(.init([.init(jobs[1], .delivered)]))
      #expect(try stores.push.handled(jobs) == Set(jobs.map(\.id)))
    },
    StoreCase("A daily is kept once, started once, and ranked") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let key = DailyKey(day: Day(containing: lab.now))
      #expect(try stores.scheduler.daily(key) == nil)
      let dealt = Dealer.daily(key, lexicon: .everyWord, secret: .test)
      #expect(try stores.scheduler.keepDaily(dealt) == dealt)
      var other = dealt
      other.lexicon = "another"
      #expect(try stores.otherScheduler.keepDaily(other) == dealt)
      #expect(try stores.reader.daily(key) == dealt)

      for player in [TestPlayer.ann, .bob] { try lab.act(.dailyStarted(key), by: player) }
      let again = try lab.send([lab.event(.dailyStarted(key), by: .ann)])
      let id = MatchID(daily: key, player: TestPlayer.ann.id)
      #expect(again == [.refused(.dailyAlreadyStarted(id))])
      let match = try #require(try lab.match(id))
      let faces = try #require(word(in: match))
      try lab.act(
        .turnPlayed(
          id, Turn(number: 1, previous: match.previousTurnHash, moves: [.word(faces)])),
        by: .ann)
      let points = try #require(try lab.match(id)?.points.first)
      #expect(points > 0)
      let results = try stores.reader.dailyResults(key, TestPlayer.bob.id, 100)
      #expect(results.rows.map(\.player) == [TestPlayer.ann.id, TestPlayer.bob.id])
      #expect(results.rows.map(\.points) == [points, 0])
      #expect(results.own?.rank == 2 && results.outOf == 2)
      try checkAgreement(stores)
    },
    StoreCase("The daily is told to every player exactly once, also by two schedulers") {
      stores in
      let lab = StoreLab(stores.worker)
      let crowd = (0..<7).map(TestPlayer.member)
      try lab.register(crowd)
      let key = DailyKey(day: Day(containing: lab.now))
      #expect(try stores.scheduler.fanOutDaily(key, 3) == false)
      _ = try stores.scheduler.keepDaily(
        Dealer.daily(key, lexicon: .everyWord, secret: .test))
      #expect(try stores.scheduler.fanOutDaily(key, 3) == true)
      #expect(try stores.check.jobs(nil, 100).count == 3)
      #expect(try stores.otherScheduler.fanOutDaily(key, 3) == true)
      #expect(try stores.scheduler.fanOutDaily(key, 3) == false)
      #expect(try stores.otherScheduler.fanOutDaily(key, 3) == false)
      let expected = Set(crowd.map { PushJob(dailyReady: key, to: $0.id) })
      let jobs = try stores.check.jobs(nil, 100)
      #expect(jobs.count == 7)
      expectNoDifference(Set(jobs.map(\.job)), expected)
    },
    StoreCase("Two relays never hold the same job; an unconfirmed one is free again") {
      stores in
      let lab = StoreLab(stores.worker)
      let jobs = try oweJobs(6, lab)
      #expect(try stores.relay.claim(.seconds(3_600), 10) == [])
      let first = try stores.relay.claim(.zero, 4)
      let second = try stores.otherRelay.claim(.zero, 4)
      #expect(first.count == 4)
      #expect(second.count == 2)
      #expect(Set(first + second) == Set(jobs))
      // A worker that learns late of a confirm does not wait for the relay.
      var write = BatchWrite(now: lab.now)
      write.published = first.map(\.id)
      try stores.worker.commit(write)
      try stores.relay.finish(first.prefix(3).map(\.id))
      try stores.otherRelay.finish(second.map(\.id))
      #expect(try stores.relay.claim(.zero, 10) == [first[3]])
      try stores.relay.finish([])
      write.published = [first[3].id]
      try stores.worker.commit(write)
      #expect(try stores.relay.claim(.zero, 10) == [])
      try stores.relay.finish([])
    },
    StoreCase("Jobs are relayed oldest first, once they are old enough") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      var old: [PushJob] = []
      for number in [7, 3, 5] {
        var write = BatchWrite(now: lab.now)
        write.outbox = [
          PushJob(dailyReady: DailyKey(day: Day(number: 1)), to: TestPlayer.member(number).id)
        ]
        try stores.worker.commit(write)
        old += write.outbox
        try stores.age(20)
      }
      let key = DailyKey(day: Day(containing: lab.now))
      let young = (10..<13).map { PushJob(dailyReady: key, to: TestPlayer.member($0).id) }
      var write = BatchWrite(now: lab.now)
      write.outbox = young
      try stores.worker.commit(write)
      #expect(try stores.relay.claim(.seconds(3_600), 10) == [])
      #expect(try stores.relay.claim(.seconds(30), 10) == Array(old.prefix(2)))
      // A claim that was never finished is given up by the next one.
      #expect(try stores.relay.claim(.seconds(15), 2) == Array(old.prefix(2)))
      #expect(try stores.otherRelay.claim(.seconds(15), 10) == [old[2]])
      try stores.otherRelay.finish([old[2].id])
      #expect(try storeError { try stores.otherRelay.finish([old[0].id]) }.isConflict)
      try stores.relay.finish(old.prefix(2).map(\.id))
      #expect(try Set(stores.relay.claim(.zero, 10)) == Set(young))
      try stores.relay.finish([])
    },
    StoreCase("The first word on a push job stands, unless it is that it failed") { stores in
      let lab = StoreLab(stores.worker)
      let jobs = try oweJobs(3, lab)
      #expect(try stores.push.handled(jobs) == [])
      try stores.push.record(.init([.init(jobs[1], .failed), .init(jobs[0], .delivered)]))
      #expect(try stores.push.handled(jobs) == [jobs[0].id])
      expectNoDifference(
        try stores.administration.fates(), [jobs[0]: .delivered, jobs[1]: .failed])
      // An operator has it tried once more.
      try stores.push.record(.init([.init(jobs[1], .dropped)]))
      try stores.push.record(.init(jobs.prefix(2).map { .init($0, .failed) }))
      #expect(try stores.push.handled(jobs) == [jobs[0].id, jobs[1].id])
      expectNoDifference(
        try stores.administration.fates(), [jobs[0]: .delivered, jobs[1]: .dropped])
      let stored = try stores.check.jobs(nil, 10)
      #expect(stored.map(\.job.id) == jobs.map(\.id).sorted())
      #expect(stored.map(\.isOwed) == [true, true, true])
      #expect(stored.first { $0.job == jobs[2] }?.fate == nil)
    },
    StoreCase("Only a turn that is still due is due") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let id = try lab.begin()
      try lab.act(lab.turn(in: #require(try lab.match(id))), by: .ann)
      let due = try #require(
        try stores.check.stored([id])[id]?.jobs.map(\.job).first { $0.kind == .yourTurn })
      #expect(due.turn == 2)
      #expect(try stores.push.holds(due) == true)
      // An answer to a turn holds until the next turn.
      var answer = due
      answer.kind = .reacted
      for (turn, holds) in [(0, false), (1, true), (2, false)] {
        answer.turn = turn
        #expect(try stores.push.holds(answer) == holds, "\(turn)")
      }
      answer.turn = 1
      #expect(try stores.push.details(due)?.opponent?.id == TestPlayer.ann.id)
      try lab.act(.matchForfeited(id), by: .bob)
      #expect(try stores.push.holds(due) == false)
      #expect(try stores.push.holds(answer) == false)
      let others = try #require(try stores.check.stored([id])[id]?.jobs).filter {
        $0.job.kind != .yourTurn
      }
      #expect(others.count == 3)
      // An invitation and an opponent that came are of no use once the match is over.
      for other in others {
        #expect(try stores.push.holds(other.job) == (other.job.kind == .matchEnded))
      }
      var nowhere = due
      nowhere.match = MatchID(rawValue: 1)
      #expect(try stores.push.holds(nowhere) == false)
      nowhere.match = nil
      #expect(try stores.push.holds(nowhere) == false)
      nowhere.turn = nil
      #expect(try stores.push.holds(nowhere) == true)
    },
    StoreCase("The asker is told the name of the player that declined an invitation or a rematch") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      func details(_ match: MatchID, _ kind: PushJob.Kind) throws -> PushStore.Details? {
        let jobs = try stores.check.stored([match])[match]?.jobs.map(\.job) ?? []
        let job = jobs.first { $0.kind == kind && $0.player == TestPlayer.ann.id }
        return try stores.push.details(try #require(job))
      }
      let bob = PushStore.Opponent(TestPlayer.bob.id, TestPlayer.bob.name.text)
      let asked = try lab.event(
        .matchRequested(
          MatchRequest(opponent: .player(TestPlayer.bob.id), turnLimitSeconds: 3_600)), by: .ann)
      try lab.send([asked])
      try lab.act(.invitationDeclined(asked.newMatch), by: .bob)
      let declined = try details(asked.newMatch, .matchEnded)
      #expect(declined?.opponent == bob && declined?.reason == .declined)
      let over = try lab.begin()
      try lab.act(.matchForfeited(over), by: .bob)
      let aborted = try details(over, .matchEnded)
      #expect(aborted?.opponent == bob && aborted?.reason == .aborted)
      try lab.act(.rematchRequested(over), by: .ann)
      try lab.act(.rematchDeclined(over), by: .bob)
      #expect(try details(over, .rematchDeclined)?.opponent == bob)
      try lab.act(.settingsChanged(SettingsChange(kinds: [.rematchDeclined: false])), by: .ann)
      #expect(try details(over, .rematchDeclined) == nil)
      try checkAgreement(stores)
    },
    StoreCase("An event that could not be handled is kept for a person to look at") { stores in
      let lab = StoreLab(stores.worker)
      let dead = try lab.buryEvent()
      expectNoDifference(try stores.administration.deadEvents(), [dead])
    },
    StoreCase("Every match is found once, page by page") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let (over, current) = (try lab.begin(), try lab.begin())
      try lab.act(.matchForfeited(over), by: .ann)
      #expect(try stores.check.matches(nil, 10) == [over, current].sorted())
      #expect(try stores.check.matches(nil, 1) == [min(over, current)])
      #expect(try stores.check.matches(min(over, current), 10) == [max(over, current)])
      #expect(try stores.check.matches(max(over, current), 10) == [])
    },
    StoreCase("Every reply is found once, page by page") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      for _ in 0..<3 { try lab.act(.matchForfeited(lab.begin()), by: .bob) }
      var found: [EventKey] = []
      while true {
        let page = try stores.check.handled(found.last, 4)
        found += page.map(\.key)
        guard let last = page.last else { break }
        #expect(try stores.check.replies([last.key]) == [last.key: last.reply])
      }
      #expect(found.count == 11)
      #expect(found == found.sorted { ($0.event, $0.player) < ($1.event, $1.player) })
      #expect(Set(found).count == 11)
    },
    StoreCase("Entries that are in no record are told by the places where they ought to be") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let (match, other) = (try lab.begin(), try lab.begin())
      let record = try #require(stores.check.stored([match])[match]).record
      let places = record.map { entry in
        RecordPlace(
          match: match, payloadHash: Hash(sha256Of: entry.signed.payload), entryHash: entry.hash)
      }
      func with(_ change: (inout RecordPlace) -> Void) -> RecordPlace {
        var place = places[1]
        change(&place)
        return place
      }
      #expect(try stores.check.lacking(places) == [])
      let asked = [
        with { $0.match = other }, with { $0.entryHash = nil }, with { $0.entryHash = .zero },
        with { $0.payloadHash = .zero },
        with { ($0.payloadHash, $0.entryHash) = (.zero, nil) },
        with { $0.match = MatchID(rawValue: 1) },
      ]
      #expect(try stores.check.lacking(asked) == [0, 2, 4, 5])
      #expect(try stores.check.lacking([]) == [])
    },
  ]

  static func oweJobs(
    _ count: Int, _ lab: StoreLab, registering: Bool = true
  ) throws -> [PushJob] {
    if registering { try lab.register(.ann) }
    let key = DailyKey(day: Day(containing: lab.now))
    let jobs = (0..<count).map { PushJob(dailyReady: key, to: TestPlayer.member($0).id) }
    var write = BatchWrite(now: lab.now)
    write.outbox = jobs
    try lab.store.commit(write)
    return jobs
  }

  /// Three faces that make a word, if every spelling is one.
  private static func word(in match: Match) -> [Face]? {
    let faces = Face.all.filter { match.game.playable.contains($0) }
    for first in faces {
      for second in faces {
        for third in faces
        where (try? match.game.judge(.word([first, second, third]), words: Lexicon.everyWord))
          != nil
        {
          return [first, second, third]
        }
      }
    }
    return nil
  }
}
