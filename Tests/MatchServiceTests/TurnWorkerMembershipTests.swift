import CustomDump
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

@Suite("The turn worker among others")
struct TurnWorkerMembershipTests {
  let given = Given.playing
  let other = WorkerID(rawValue: 2)

  @Test("A worker alone holds every queue; with another one, half of them")
  func shares() throws {
    let lab = WorkerLab()
    try lab.step()
    #expect(lab.worker.heldQueues == Array(0..<16))
    lab.living = [WorkerLab.id, other]
    try lab.step()
    #expect(lab.worker.heldQueues.count == 16, "the next heartbeat is not due")
    lab.clock.pass(.seconds(2))
    try lab.step()
    let theirs = QueueAssignment.queues(of: other, among: lab.living, queueCount: 16)
    #expect(lab.worker.heldQueues.count == 8)
    #expect(Set(lab.worker.heldQueues + theirs) == Set(0..<16))
    #expect(lab.names == ["consume 16", "consume 8"])
  }

  @Test(
    "A worker that sees nobody else for a moment, after a jump of the clock, takes nobody's queues")
  func lookingTwice() throws {
    let lab = WorkerLab()
    lab.living = [WorkerLab.id, other]
    try lab.step()
    lab.forget()
    for living in [[WorkerLab.id], [WorkerLab.id, other], [WorkerLab.id], [WorkerLab.id]] {
      #expect(lab.names == [])
      lab.living = living
      lab.clock.pass(.seconds(2))
      try lab.step()
    }
    #expect(lab.names == ["consume 16"])
  }

  @Test("A worker consumes anew and forgets its cached matches when its queues change")
  func change() throws {
    let lab = WorkerLab(.lookUp, .commit, .acknowledge, .publish, .heartbeats)
    lab.know(given.match)
    try lab.settleIn()
    lab.deliver(TestPlayer.ann.event(given.turn()), by: .ann)
    try lab.step()
    let after = try #require(lab.writes.first?.changes.first?.after)
    lab.know(after)
    lab.living = [WorkerLab.id, other]
    lab.clock.pass(.seconds(2))
    lab.forget()
    lab.deliver(TestPlayer.ann.event(.matchForfeited(after.id), 2), by: .ann)
    try lab.step()
    #expect(lab.names.first == "consume 8")
    #expect(lab.lookups.first?.matches == [after.id])
  }

  @Test("A worker remembers the matches of the queues that it keeps")
  func keptQueues() throws {
    let living = [WorkerLab.id, other]
    let kept = QueueAssignment.queues(of: WorkerLab.id, among: living, queueCount: 16)
    let lab = WorkerLab(.lookUp, .commit, .acknowledge, .publish, .heartbeats)
    let givens = try [true, false].map { isKept in
      try #require(
        (1..<200 as Range<UInt128>).lazy.map { Given.playing(number: $0) }.first {
          kept.contains(lab.layout.queue(of: Slot(of: $0.match.id))) == isKept
        })
    }
    for given in givens { lab.know(given.match) }
    try lab.settleIn()
    for (number, given) in zip(UInt128(1)..., givens) {
      lab.deliver(TestPlayer.ann.event(given.turn(), number), by: .ann)
    }
    try lab.step()
    for change in lab.writes.flatMap(\.changes) { lab.know(change.after) }
    lab.living = living
    lab.clock.pass(.seconds(2))
    lab.forget()
    for (number, given) in zip(UInt128(5)..., givens) {
      lab.deliver(TestPlayer.ann.event(.matchForfeited(given.match.id), number), by: .ann)
    }
    try lab.step()
    #expect(lab.names.first == "consume 8")
    #expect(lab.lookups.map(\.matches) == [[givens[1].match.id]])
  }

  @Test("Matches that another worker may write are not remembered: they wait, or are of its queue")
  func othersMatches() throws {
    let lab = WorkerLab(.lookUp, .commit, .acknowledge, .publish, .heartbeats)
    let waiting = Given()
    lab.know(waiting.match)
    lab.living = [WorkerLab.id, other]
    let held = QueueAssignment.queues(of: WorkerLab.id, among: lab.living, queueCount: 16)
    let theirs = try #require(
      (1..<200 as Range<UInt128>).lazy.map { Given.playing(number: $0) }.first {
        !held.contains(lab.layout.queue(of: Slot(of: $0.match.id)))
      })
    lab.know(theirs.match)
    try lab.settleIn()
    let reading = [waiting.match.id, theirs.match.id]
    for round in 1...2 as ClosedRange<UInt128> {
      for (place, id) in zip(UInt128(0)..., reading) {
        // The event has no effect, but it is looked up.
        let event = TestPlayer.cyd.event(.matchForfeited(id), round * 10 + place)
        lab.deliver(event, by: .cyd)
      }
      try lab.step()
    }
    #expect(lab.lookups.map { Set($0.matches) } == [Set(reading), Set(reading)])
  }

  @Test("A worker that is not among the living consumes nothing and waits")
  func unknown() throws {
    let lab = WorkerLab()
    lab.living = [other]
    lab.bus.receive = WorkerBus.failing.receive
    let before = lab.clock.uptime
    try lab.step()
    #expect(lab.worker.heldQueues == [])
    #expect(lab.names == [])
    #expect(lab.clock.uptime > before)
  }

  @Test("A store that is gone at the heartbeat stops the worker before it receives")
  func heartbeatFails() {
    let lab = WorkerLab()
    lab.bus.receive = WorkerBus.failing.receive
    lab.store.heartbeat.fail(with: .unavailable("gone"))
    #expect(throws: Interruption.store(.unavailable("gone"))) { try lab.step() }
  }

  @Test("Confirmed push jobs are deleted with the next batch")
  func publishedWithBatch() throws {
    let lab = WorkerLab(.lookUp, .commit, .acknowledge, .publish, .heartbeats)
    lab.know(given.match)
    try lab.settleIn()
    let id = PushJobID(rawValue: 5)
    lab.confirmed = [id]
    lab.deliver(TestPlayer.ann.event(given.turn()), by: .ann)
    try lab.step()
    #expect(lab.writes.map(\.published) == [[id]])
    lab.forget()
    try lab.step()
    #expect(lab.names == [], "once is enough")
  }

  @Test("Confirmed push jobs are deleted without a batch if none comes")
  func publishedWhenIdle() throws {
    let lab = WorkerLab(.lookUp, .commit)
    try lab.settleIn()
    lab.confirmed = [PushJobID(rawValue: 5)]
    try lab.step()
    #expect(lab.writes.map(\.published) == [[PushJobID(rawValue: 5)]])
  }

  @Test("Confirmed push jobs survive a conflict of the batch that was to delete them")
  func publishedAfterConflict() throws {
    let lab = WorkerLab(.lookUp, .abandon, .acknowledge, .publish, .heartbeats)
    lab.know(given.match)
    lab.store.commit.answer { [unowned lab] write throws(StoreError) in
      lab.note(.commit(write))
      if lab.writes.count == 1 { throw .conflict("version") }
    }
    try lab.settleIn()
    lab.confirmed = [PushJobID(rawValue: 5)]
    lab.deliver(TestPlayer.ann.event(given.turn()), by: .ann)
    try lab.step()
    #expect(lab.writes.map(\.published) == [[PushJobID(rawValue: 5)], [PushJobID(rawValue: 5)]])
  }

  @Test("A worker that leaves deletes the push jobs that were confirmed last")
  func publishedWhenLeaving() throws {
    let lab = WorkerLab(.lookUp, .commit, .leave)
    try lab.settleIn()
    lab.confirmed = [PushJobID(rawValue: 5)]
    lab.worker.leave()
    #expect(lab.writes.map(\.published) == [[PushJobID(rawValue: 5)]])
  }

  // Failure: WorkerStore.leave: The worker closes all the same. Its heartbeat runs out.
  @Test("A worker that leaves says goodbye and closes, also where the store no longer answers")
  func leaving() throws {
    let lab = WorkerLab(.leave)
    try lab.settleIn()
    lab.worker.leave()
    #expect(lab.names == ["leave", "close"])

    let lonely = WorkerLab(.leave)
    lonely.store.leave.fail(with: .unavailable("gone"))
    try lonely.settleIn()
    lonely.worker.leave()
    #expect(lonely.names == ["close"])
  }

  @Test("Every worker computes the same even shares, in any order of hearing of the others")
  func assignment() {
    for count in 1...5 {
      let living = (1...UInt128(count)).map { WorkerID(rawValue: $0 &* 0x9e37_79b9_7f4a_7c15) }
      let shares = living.map { QueueAssignment.queues(of: $0, among: living, queueCount: 16) }
      #expect(shares.flatMap { $0 }.sorted() == Array(0..<16))
      let sizes = shares.map(\.count).sorted()
      #expect(sizes[count - 1] - sizes[0] <= 1)
      let shuffled = QueueAssignment.queues(
        of: living[0], among: living.reversed(), queueCount: 16)
      #expect(shuffled == shares[0])
    }
  }
}
