import Conformance
import LibPQ
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchStoreLive

@Suite("The number of queues, in the database")
struct LayoutTests {
  private func layout(_ count: Int) throws -> QueueLayout {
    try #require(QueueLayout(queueCount: count))
  }

  @Test("More queues and fewer keep the deadlines of running matches where they were")
  func changed() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let store = WorkerStore.live(try stores.connect())
      #expect(try Layouts.keep(layout(16), connection) == nil)
      #expect(try Layouts.stored(connection) == StoredLayout(layout(16)))
      let lab = StoreLab(store)
      try lab.register(.ann, .bob)
      // Clocks of queues with credits that differ by days.
      var write = BatchWrite(now: lab.now)
      for (queue, before) in try store.queueClocks() {
        let clock = QueueClock(
          time: lab.now, creditMicroseconds: Int64(queue) * 86_400_000_000)
        write.clocks[queue] = ClockChange(before: before, after: clock)
      }
      try store.commit(write)
      let start = lab.now
      var ids: [MatchID] = []
      for number in 0..<24 {
        let stored = try #require(try store.layout())
        let asked = try lab.event(
          .matchRequested(MatchRequest(opponent: .open, turnLimitSeconds: 3_600)), by: .ann)
        lab.clock = try stored.clock(of: asked.newMatch, store.queueClocks())
        try lab.send([asked])
        let match = try #require(try lab.match(asked.newMatch))
        ids.append(match.id)
        #expect(match.credit(lab.clock) == 0, "match \(number)")
      }
      // Everybody is given two hours.
      let clocks = try store.queueClocks()
      write = BatchWrite(now: lab.now)
      for (queue, before) in clocks {
        var after = before
        after.ticked(at: start.adding(seconds: 7_201))
        write.clocks[queue] = ClockChange(before: before, after: after)
      }
      try store.commit(write)
      let given = try credits(of: ids, lab, store)
      #expect(given.values.allSatisfy { $0 > 7_000_000_000 } && given.count == 24)
      for (before, count) in [(16, 3), (3, 64), (64, 16)] {
        #expect(try Layouts.keep(layout(count), connection) == layout(before))
        let stored = try #require(try store.layout())
        #expect(stored.layout.queueCount == count)
        // All workers wait until setup has moved the contents of the queues.
        #expect(stored.unmoved == [try layout(before)])
        #expect(try storeError { try stored.check(layout(count)) }.isUnusable)
        try Layouts.finish(layout(count), connection)
        try #require(try store.layout()).check(layout(count))
        #expect(try Set(store.queueClocks().keys) == Set(0..<count))
        #expect(try credits(of: ids, lab, store) == given)
        // Keeping the same layout again changes nothing.
        #expect(try Layouts.keep(layout(count), connection) == nil)
        #expect(try store.layout()?.slotCredits == stored.slotCredits)
      }
    }
  }

  private func credits(
    of ids: [MatchID], _ lab: StoreLab, _ store: WorkerStore
  ) throws -> [MatchID: Int64] {
    let (stored, clocks) = (try #require(try store.layout()), try store.queueClocks())
    var credits: [MatchID: Int64] = [:]
    for id in ids { credits[id] = try lab.match(id)?.credit(stored.clock(of: id, clocks)) }
    return credits
  }

  @Test(
    "A change that has not ended names every number before it, until setup has moved everything")
  func unfinished() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      for count in [16, 4, 8, 4] { try Layouts.keep(layout(count), connection) }
      let stored = try #require(try Layouts.stored(connection))
      #expect(stored.unmoved == [try layout(4), try layout(8), try layout(16)])
      // Finishing counts only for the present number of queues.
      try Layouts.finish(layout(8), connection)
      #expect(try Layouts.stored(connection) == stored)
      try Layouts.finish(layout(4), connection)
      #expect(try Layouts.stored(connection)?.unmoved == [])
    }
  }

  @Test("The clocks begin with the layout: an event before the first tick takes nobody's time")
  func clocksBegin() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let scheduler = SchedulerStore.live(try stores.connect())
      let before = try scheduler.now()
      try Layouts.keep(layout(4), connection)
      let clocks = try scheduler.queueClocks()
      #expect(Set(clocks.keys) == [0, 1, 2, 3])
      #expect(try Layouts.keep(layout(4), connection) == nil)
      #expect(try scheduler.queueClocks() == clocks)
      var clock = try #require(clocks[3])
      let begun = try #require(clock.time)
      #expect(try before <= begun && begun <= scheduler.now())
      // Somebody has 30 s for a turn ten seconds later, and the first scheduler comes a minute
      // later.
      let setAt = begun.adding(seconds: 10)
      let deadline = Deadline(
        at: setAt.adding(seconds: 30), creditMicroseconds: clock.creditMicroseconds)
      clock.ticked(at: begun.adding(seconds: 70), since: begun.adding(seconds: 70))
      #expect(clock.credit(since: deadline, setAt: setAt) == 60_000_000)
      #expect(!clock.hasReached(deadline, setAt: setAt))
    }
  }

  @Test("The number does not change while a worker, a scheduler or its steward runs")
  func inUse() throws {
    try LiveStores.run { stores in
      let (connection, other) = (try stores.connect(), try stores.connect())
      try Layouts.keep(layout(4), connection)
      let worker = WorkerStore.live(other)
      _ = try worker.heartbeat(WorkerID(rawValue: 7))
      let refusal = try storeError { try Layouts.keep(layout(8), connection) }
      #expect(refusal.isUnusable && "\(refusal)".contains("1 worker and no scheduler"))
      try worker.leave(WorkerID(rawValue: 7))
      let scheduler = SchedulerStore.live(other)
      #expect(try scheduler.lead())
      let second = try storeError { try Layouts.keep(layout(8), connection) }
      #expect("\(second)".contains("0 workers and a scheduler"))
      try stores.end(other)
      let last = try stores.connect()
      #expect(try SchedulerStore.live(last, leading: .steward).lead())
      let third = try storeError { try Layouts.keep(layout(8), connection) }
      #expect("\(third)".contains("0 workers and a scheduler"))
      #expect(try Layouts.stored(connection) == StoredLayout(layout(4)))
      #expect(try storeError { try Layouts.check(layout(8), connection) }.isUnusable)
      try Layouts.check(layout(4), connection)
    }
  }

  @Test("A database of a former build gets the layout that its clocks tell of")
  func former() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let store = WorkerStore.live(try stores.connect())
      var write = BatchWrite(now: try store.lookUp(Lookup()).now)
      for queue in 0..<16 { write.clocks[queue] = ClockChange(after: QueueClock(time: write.now)) }
      try store.commit(write)
      try Layouts.check(layout(16), connection)
      #expect(try Layouts.keep(layout(16), connection) == nil)
      #expect(try Layouts.stored(connection) == StoredLayout(layout(16)))
    }
  }
}
