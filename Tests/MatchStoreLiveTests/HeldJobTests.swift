import Conformance
import CustomDump
import LibPQ
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchStoreLive

@Suite("Push jobs that wait, in PostgreSQL")
struct HeldJobTests {
  /// A turn that was played, and the job that tells of it.
  private static func dueJob(_ lab: StoreLab, _ check: CheckStore) throws -> PushJob {
    try lab.register(.ann, .bob)
    let id = try lab.begin()
    try lab.act(lab.turn(in: #require(try lab.match(id))), by: .ann)
    return try #require(
      try check.stored([id])[id]?.jobs.map(\.job).first { $0.kind == .yourTurn })
  }

  @Test("Briefing a turn, recording, claiming and finishing take one round trip each")
  func cost() throws {
    try LiveStores.run { stores in
      let lab = StoreLab(.live(try stores.connect()))
      let job = try Self.dueJob(lab, .live(try stores.connect()))
      let connection = try stores.connect()
      func cost(_ body: () throws -> Void) rethrows -> Int {
        let before = connection.statistics.roundTripCount
        try body()
        return connection.statistics.roundTripCount - before
      }
      let push = PushStore.live(connection)
      #expect(try cost { _ = try push.brief([job]) } == 1)
      let until = lab.now.adding(seconds: -60)
      var other = job
      other.id = PushJobID(rawValue: 9)
      let results = PushStore.Results(
        [.init(other, .dropped, .answered)], held: [HeldJob(job, until: until, .bundle)])
      #expect(try cost { try push.record(results) } == 1)
      let relay = RelayStore.live(connection)
      // Beginning needs none of its own.
      var claimed: [PushJob] = []
      #expect(try cost { claimed = try relay.claim(.zero, 10) } == 1)
      #expect(claimed.contains(job))
      #expect(try cost { try relay.finish([job.id]) } == 1)
    }
  }

  @Test("Notifications come, wait and stay listed by the service's time, not the database's clock")
  func serviceTime() throws {
    try LiveStores.run { stores in
      let lab = StoreLab(.live(try stores.connect()))
      try lab.register(.ann)
      let connection = try stores.connect()
      // The clock jumps 40 days ahead: to it the day is over, and whatever was sent is old.
      try connection.script(
        "UPDATE service_time SET added_microseconds = -40 * 86400 * 1000000::bigint")
      let (push, relay) = (PushStore.live(connection), RelayStore.live(connection))
      let today = Day(containing: try SchedulerStore.live(connection).now())
      let daily = PushJob(dailyReady: DailyKey(day: today.next), to: TestPlayer.ann.id)
      guard case .due(let details)? = try push.brief([daily])[daily.id] else {
        Issue.record("the day is not over")
        return
      }
      #expect(details.expiresAt == today.next.end)
      #expect(Day(containing: details.readAt) <= today.next)
      let held = HeldJob(daily, until: details.readAt.adding(seconds: 86_400), .quietHours)
      try push.record(.init(held: [held]))
      #expect(try !relay.claim(.zero, 10).contains(daily))
      try relay.finish([])
      try push.record(.init([.init(daily, .delivered)]))
      let rows = try ReaderStore.live(connection).inbox(TestPlayer.ann.id, 10)
      #expect(rows.map(\.job.id) == [daily.id])
      let overviews = try ReaderStore.live(connection).overviews([TestPlayer.ann.id])
      #expect(overviews[TestPlayer.ann.id]?.inbox?.id == daily.id)
    }
  }

  @Test("A job that is held once more while a relay has its row keeps the new row")
  func race() throws {
    try LiveStores.run { stores in
      let lab = StoreLab(.live(try stores.connect()))
      let job = try Self.dueJob(lab, .live(try stores.connect()))
      let push = PushStore.live(try stores.connect())
      let relay = RelayStore.live(try stores.connect())
      try push.record(.init(held: [HeldJob(job, until: lab.now, .bundle)]))
      #expect(try relay.claim(.zero, 10).filter { $0 == job }.count == 1)
      // The push worker would wait for the relay's lock: it does not wait for ever.
      let impatient = try stores.connect()
      try impatient.script("SET lock_timeout = '100ms'")
      let later = lab.now.adding(seconds: 3_600)
      #expect(throws: StoreError.self) {
        try PushStore.live(impatient).record(.init(held: [HeldJob(job, until: later, .quietHours)]))
      }
      // A result waits for nobody.
      var other = job
      other.id = PushJobID(rawValue: 9)
      try PushStore.live(try stores.connect()).record(.init([.init(other, .delivered)]))
      try relay.finish([job.id])
      try push.record(.init(held: [HeldJob(job, until: later, .quietHours)]))
      #expect(try !relay.claim(.zero, 10).contains(job))
      try relay.finish([])
      let story = try OperatorStore.live(try stores.connect()).pushStories(job.id...job.id, 2)
      #expect(story.first?.hold?.until == later)
      #expect(story.first?.hold?.reason == HoldReason.quietHours.rawValue)
    }
  }

  @Test("Operators see places, reasons, answers and stories")
  func figures() throws {
    try LiveStores.run { stores in
      let lab = StoreLab(.live(try stores.connect()))
      let job = try Self.dueJob(lab, .live(try stores.connect()))
      let push = PushStore.live(try stores.connect())
      let connection = try stores.connect()
      let operators = OperatorStore.live(connection)
      let until = lab.now.adding(seconds: 3_600)
      var (dropped, held) = (job, job)
      dropped.id = PushJobID(rawValue: job.id.rawValue ^ 1)
      held.id = PushJobID(rawValue: ~job.id.rawValue)
      try push.record(
        .init([.init(dropped, .dropped, .answered)], held: [HeldJob(held, until: until, .bundle)]))
      try connection.script(
        """
        INSERT INTO push_answers VALUES
          (now(), 'webPush', '201', 3), (now() - interval '2 minutes', 'webPush', '201', 4),
          (now(), 'apns', '410', 1), (now() - interval '2 hours', 'apns', '200', 9)
        """)
      let figures = try operators.pushFigures()
      #expect(figures.outboxCount >= 1 && figures.outboxOldestAt != nil)
      expectNoDifference(figures.heldCounts, ["bundle": 1])
      #expect(figures.heldNextAt == until)
      expectNoDifference(
        figures.answers,
        [
          .init(provider: "apns", answer: "410", count: 1),
          .init(provider: "webPush", answer: "201", count: 7),
        ])
      expectNoDifference(
        figures.endings,
        [.init(kind: "yourTurn", fate: "dropped", reason: "answered", count: 1)])
      // The first digits of two jobs, and one job alone.
      let low = PushJobID(rawValue: job.id.rawValue & ~0xff)
      let high = PushJobID(rawValue: job.id.rawValue | 0xff)
      #expect(try operators.pushStories(low...high, 10).count == 2)
      let story = try #require(try operators.pushStories(job.id...job.id, 2).first)
      #expect(story.owedAt != nil && story.hold == nil && story.end == nil)
      #expect(story.player == TestPlayer.bob.id && story.match == job.match)
      let end = try operators.pushStories(dropped.id...dropped.id, 2).first?.end
      #expect(end?.fate == "dropped" && end?.reason == "answered")
    }
  }
}
