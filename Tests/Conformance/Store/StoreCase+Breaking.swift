import CubeLexicon
import CustomDump
import MatchCore
import MatchInterfaces
import Testing

extension StoreCase {
  static let breaking: [StoreCase] =
    CommitBreak.allCases.map(brokenCommit) + [
      StoreCase("A worker that dies under its claims leaves nothing, locks included") { stores in
        let lab = StoreLab(stores.worker)
        let (write, _) = try lab.judge([
          lab.event(.playerRegistered(name: TestPlayer.ann.name, code: nil), by: .ann)
        ])
        try stores.end(.worker)
        #expect(try storeError { try stores.worker.commit(write) }.isUnavailable)
        #expect(try storeError { _ = try stores.worker.lookUp(Lookup()) }.isUnavailable)
        stores.worker.abandon()
        try StoreLab(stores.otherWorker, number: 1).register(.ann)
        #expect(try stores.reader.player(TestPlayer.ann.name)?.id == TestPlayer.ann.id)
      },
      StoreCase("A relay that dies gives back its jobs; one without a claim finishes nothing") {
        stores in
        let lab = StoreLab(stores.worker)
        let jobs = try oweJobs(3, lab)
        let held = try stores.relay.claim(.zero, 10)
        #expect(Set(held) == Set(jobs))
        #expect(try stores.otherRelay.claim(.zero, 10) == [])
        try stores.end(.relay)
        #expect(try storeError { try stores.relay.finish(held.map(\.id)) }.isUnavailable)
        try stores.otherRelay.finish([])
        #expect(try storeError { try stores.otherRelay.finish(held.map(\.id)) }.isConflict)
        #expect(try Set(stores.otherRelay.claim(.zero, 10)) == Set(jobs))
        try stores.otherRelay.finish(held.map(\.id))
        #expect(try stores.check.jobs(nil, 10) == [])
      },
      StoreCase("A scheduler with a server that only reads leads no longer") { stores in
        #expect(try stores.scheduler.lead() == true)
        try stores.standBy()
        for scheduler in [stores.scheduler, stores.otherScheduler] {
          #expect(try storeError { _ = try scheduler.lead() }.isUnavailable)
          #expect(try storeError { _ = try scheduler.now() }.isUnavailable)
        }
      },
      StoreCase("A scheduler leads until its connection ends, then the other one does") { stores in
        #expect(try stores.scheduler.lead() == true)
        #expect(try stores.otherScheduler.lead() == false)
        try stores.end(.scheduler)
        #expect(try storeError { _ = try stores.scheduler.lead() }.isUnavailable)
        #expect(try stores.otherScheduler.lead() == true)
      },
      StoreCase("A store that only reads takes nothing; a connection that tried to write is lost") {
        stores in
        let lab = StoreLab(stores.worker)
        try lab.register(.ann)
        let jobs = try oweJobs(1, lab, registering: false)
        let asked = try lab.event(
          .matchRequested(MatchRequest(opponent: .nobody, turnLimitSeconds: nil)), by: .ann)
        let (write, _) = try lab.judge([asked])
        let key = DailyKey(day: Day(containing: lab.now))
        let daily = Dealer.daily(key, lexicon: .everyWord, secret: .test)
        let before = try StoreSnapshot(of: stores)
        stores.worker.abandon()

        try stores.standBy()
        #expect(try stores.worker.lookUp(Lookup()).now >= lab.now)
        #expect(try stores.worker.queueClocks() == [:])
        #expect(try stores.scheduler.daily(key) == nil)
        let attempts: [(write: () throws -> Void, read: () throws -> Void)] = [
          ({ try stores.worker.commit(write) }, { _ = try stores.worker.lookUp(Lookup()) }),
          (
            { _ = try stores.otherWorker.heartbeat(WorkerID(rawValue: 1)) },
            { _ = try stores.otherWorker.queueClocks() }
          ),
          (
            { _ = try stores.scheduler.keepDaily(daily) }, { _ = try stores.scheduler.now() }
          ),
          (
            { _ = try stores.otherScheduler.fanOutDaily(key, 1) },
            { _ = try stores.otherScheduler.now() }
          ),
          ({ _ = try stores.relay.claim(.zero, 1) }, { try stores.relay.finish(jobs.map(\.id)) }),
          (
            { try stores.push.record(.init([.init(jobs[0], .delivered)])) },
            { _ = try stores.push.brief(jobs) }
          ),
        ]
        for attempt in attempts {
          #expect(try storeError(attempt.write).isUnavailable)
          #expect(try storeError(attempt.read).isUnavailable)
        }
        expectNoDifference(try StoreSnapshot(of: stores), before)
      },
    ]

  /// A connection that breaks in a commit: all of the batch is there, or nothing.
  private static func brokenCommit(_ kind: StoreSet.CommitBreak) -> StoreCase {
    let description =
      switch kind {
      case .beforeWriting: "A commit that never arrives is not there, and the same batch succeeds"
      case .afterWriting: "A commit with a lost answer is there, and the same batch is a conflict"
      }
    return StoreCase(description) { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let id = try lab.begin()
      let request = MatchRequest(opponent: .nobody, turnLimitSeconds: nil)
      let (write, _) = try lab.judge([
        lab.event(lab.turn(in: #require(try lab.match(id))), by: .ann),
        lab.event(.matchRequested(request), by: .bob),
      ])
      try stores.breakCommit(kind)
      #expect(try storeError { try stores.worker.commit(write) }.isUnavailable)
      #expect(try storeError { _ = try stores.worker.lookUp(Lookup()) }.isUnavailable)
      switch kind {
      case .beforeWriting: try stores.otherWorker.commit(write)
      case .afterWriting:
        #expect(try storeError { try stores.otherWorker.commit(write) }.isConflict)
      }
      #expect(try stores.check.stored([id])[id]?.state?.turnNumber == 2)
      #expect(try stores.check.matches(nil, 10).count == 2)
      var lookup = Lookup()
      lookup.events = write.replies.map(\.key)
      #expect(try stores.otherWorker.lookUp(lookup).replies.count == 2)
      #expect(try stores.check.jobs(nil, 10).count { $0.job.kind == .yourTurn } == 1)
      try checkAgreement(stores)
    }
  }
}

private typealias CommitBreak = StoreSet.CommitBreak

/// Everything that can be seen of a store, to be compared.
struct StoreSnapshot: Equatable {
  var matches: [MatchID: StoredMatch]
  var replies: [BatchWrite.Reply]
  var jobs: [StoredJob]
  var codes: [ShareCode: PlayerID?]
  var deadEvents: [DeadEvent]
  var fates: [PushJob: PushStore.Fate]
  var playerCount: Int

  init(of stores: StoreSet) throws {
    matches = try stores.check.stored(stores.check.matches(nil, 1_000))
    replies = try stores.check.handled(nil, 1_000)
    jobs = try stores.check.jobs(nil, 1_000)
    codes = try stores.administration.registrationCodes()
    deadEvents = try stores.administration.deadEvents()
    fates = try stores.administration.fates()
    playerCount = try stores.administration.playerCount()
  }
}
