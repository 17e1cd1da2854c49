import MatchCore
import MatchInterfaces
import MatchRecord
import MatchWire
import Testing

@testable import MatchService

@Suite("The check of push jobs that no record owes")
struct JobCheckTests {
  private let ann = TestPlayer.ann
  private let bob = TestPlayer.bob
  private let today = Day(containing: .noon)
  private var daily: DailyKey { DailyKey(day: today) }

  /// The rows of a database.
  private struct Rows {
    var jobs: [PushJob] = []
    var players: [StoredPlayer] = []
    var fanOuts: [StoredFanOut] = []
    /// The notes of jobs that were owed.
    var owed: [PushJob] = []
    var origins: [KeyOrigin] = []
    var areComplete = true
  }

  private func store(_ rows: Rows) -> CheckStore {
    var store = CheckStore.failing
    store.now.answer { .noon }
    store.jobs.answer { after, limit in
      rows.jobs.filter { job in after.map { job.id > $0 } ?? true }.sorted { $0.id < $1.id }
        .prefix(limit).map { StoredJob(job: $0, isOwed: false, fate: .delivered) }
    }
    store.players.answer { after, limit in
      Array(
        rows.players.filter { row in after.map { row.player > $0 } ?? true }
          .sorted { $0.player < $1.player }.prefix(limit))
    }
    store.playersByID.answer { ids in rows.players.filter { ids.contains($0.player) } }
    store.fanOuts.answer { day in rows.fanOuts.filter { $0.key.day >= day } }
    store.owedJobs.answer { since, after, limit in
      #expect(since == Instant.noon.adding(seconds: -StoreCheck.jobsKeptSeconds))
      return Array(
        rows.owed.filter { job in after.map { job.id > $0 } ?? true }.sorted { $0.id < $1.id }
          .prefix(limit))
    }
    store.knownJobs.answer { ids in Set(rows.jobs.map(\.id)).intersection(ids) }
    store.existing.answer { _ in [] }
    store.origins.answer { _ in rows.origins }
    return store
  }

  private func check(_ rows: Rows, limit: Int = 2) throws -> [JobViolation] {
    var check = JobCheck(store(rows), jobsAreComplete: rows.areComplete)
    var found: [JobViolation] = []
    while !check.isDone { found += try check.next(limit: limit) }
    return found
  }

  private func player(
    _ player: TestPlayer, hasSettings: Bool = false, hasKeyChanges: Bool = false
  ) -> StoredPlayer {
    StoredPlayer(
      player: player.id, registeredAt: today.start.adding(seconds: -1), hasSettings: hasSettings,
      hasKeyChanges: hasKeyChanges)
  }

  @Test("What may be owed is not called wrong")
  func good() throws {
    let event = ann.event(.notificationTested(Event.NotificationTested()), 3)
    var rows = Rows()
    rows.players = [
      player(ann, hasSettings: true, hasKeyChanges: true), player(bob, hasSettings: true),
    ]
    rows.fanOuts = [StoredFanOut(key: daily, cursor: nil, isDone: true)]
    rows.jobs = [
      PushJob(dailyReady: daily, to: ann.id), PushJob(dailyReady: daily, to: bob.id),
      PushJob(digest: today, to: ann.id), PushJob(digest: today.next, to: ann.id),
      PushJob(weekInReview: today, to: bob.id), PushJob(test: ann.id, causedBy: event),
      PushJob(account: ann.id, causedBy: event),
    ]
    #expect(try check(rows) == [])
  }

  @Test("A job that nothing owes is named, of each kind")
  func unexpected() throws {
    let event = bob.event(.notificationTested(Event.NotificationTested()), 3)
    var rows = Rows()
    rows.players = [player(bob, hasSettings: true)]
    rows.fanOuts = [StoredFanOut(key: daily, cursor: nil, isDone: false)]
    var otherDay = PushJob(digest: today, to: bob.id)
    otherDay.day = today.previous
    var otherWeek = PushJob(weekInReview: today, to: bob.id)
    otherWeek.id = PushJobID(rawValue: 7)
    var aboutTurn = PushJob(test: bob.id, causedBy: event)
    aboutTurn.turn = 1
    let wrong = [
      PushJob(dailyReady: daily, to: bob.id), PushJob(digest: today.next.next, to: bob.id),
      otherDay, otherWeek, aboutTurn, PushJob(account: bob.id, causedBy: event),
      PushJob(digest: today, to: ann.id),
      PushJob(nudged: MatchID(rawValue: 4), turn: 1, to: bob.id),
      PushJob(id: PushJobID(rawValue: 9), kind: .yourTurn, player: bob.id),
    ]
    for job in wrong {
      rows.jobs = [job]
      let found = try check(rows)
      #expect(found.map(\.kind) == [.jobUnexpected], "\(job): \(found)")
      #expect(found.map(\.job) == [job])
    }
    // A player without settings has wished for no digest and no review.
    rows.players = [player(bob)]
    rows.fanOuts = []
    for job in [PushJob(digest: today, to: bob.id), PushJob(weekInReview: today, to: bob.id)] {
      rows.jobs = [job]
      #expect(try check(rows).map(\.job) == [job])
    }
  }

  @Test("Without a note, a daily's job is missing only of players who were there, and set nothing")
  func missing() throws {
    var rows = Rows()
    rows.players = [player(ann), player(bob, hasSettings: true)]
    rows.fanOuts = [StoredFanOut(key: daily, cursor: nil, isDone: true)]
    let lacking = PushJob(dailyReady: daily, to: ann.id)
    #expect(try check(rows).map(\.job) == [lacking])
    #expect(try check(rows).map(\.kind) == [.jobMissing])
    rows.areComplete = false
    #expect(try check(rows) == [])
    rows.areComplete = true
    rows.players[0].registeredAt = today.start
    #expect(try check(rows) == [])
    rows.players[0].registeredAt = today.start.adding(seconds: -1)
    rows.fanOuts[0] = StoredFanOut(
      key: daily, cursor: PlayerID(rawValue: ann.id.rawValue - 1), isDone: false)
    #expect(try check(rows) == [])
    rows.fanOuts[0].cursor = ann.id
    #expect(try check(rows).map(\.job) == [lacking])
  }

  @Test("A job that was noted and is nowhere is missing, of each kind that no record shows")
  func noted() throws {
    let kinds = PushJob.Kind.allCases.filter { !$0.isInRecord }
    #expect(kinds.count == 11)
    var rows = Rows()
    rows.owed = kinds.enumerated().map { number, kind in
      PushJob(id: PushJobID(rawValue: UInt128(number + 1)), kind: kind, player: ann.id)
    }
    let found = try check(rows)
    #expect(found.map(\.job) == rows.owed && found.allSatisfy { $0.kind == .jobMissing })
    // One of a queue is not missing.
    rows.areComplete = false
    #expect(try check(rows) == [])
  }

  @Test("A fan-out that is lost is named for every player who was told, with settings or without")
  func lostFanOut() throws {
    var rows = Rows()
    rows.players = [player(ann), player(bob, hasSettings: true)]
    rows.fanOuts = [StoredFanOut(key: daily, cursor: nil, isDone: true)]
    rows.owed = [PushJob(dailyReady: daily, to: ann.id), PushJob(dailyReady: daily, to: bob.id)]
    // Ann's follows from the challenge, too, and is named once.
    #expect(try Set(check(rows).map(\.job)) == Set(rows.owed))
    #expect(try check(rows).count == 2)
    rows.jobs = [rows.owed[1]]
    #expect(try check(rows).map(\.job) == [rows.owed[0]])
    rows.jobs = rows.owed
    #expect(try check(rows) == [])
  }

  @Test("A check of push jobs stops at any failing call, and nothing is called wrong")
  func failing() throws {
    var rows = Rows()
    rows.players = [player(ann)]
    rows.fanOuts = [StoredFanOut(key: daily, cursor: nil, isDone: true)]
    rows.jobs = [
      PushJob(dailyReady: daily, to: ann.id),
      PushJob(nudged: MatchID(rawValue: 4), turn: 1, to: ann.id),
    ]
    let whole = store(rows)
    let gone = StoreError.unavailable("gone")
    let broken: [(inout CheckStore) -> Void] = [
      { $0.jobs.fail(with: gone) }, { $0.players.fail(with: gone) },
      { $0.playersByID.fail(with: gone) }, { $0.fanOuts.fail(with: gone) },
      { $0.knownJobs.fail(with: gone) }, { $0.now.fail(with: gone) },
      { $0.existing.fail(with: gone) }, { $0.owedJobs.fail(with: gone) },
    ]
    for spoil in broken {
      var store = whole
      spoil(&store)
      #expect(throws: gone) {
        var check = JobCheck(store, jobsAreComplete: true)
        while !check.isDone { _ = try check.next() }
      }
    }
  }
}
