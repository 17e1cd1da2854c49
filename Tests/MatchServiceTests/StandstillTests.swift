import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

@Suite("A queue that stood still, and one that is only long")
struct StandstillTests {
  let given = Given.playing

  /// A worker of the match's queue. The queue's last tick was a minute before the deadline.
  private func lab() throws -> (WorkerLab, queue: Int, deadline: Instant) {
    let lab = WorkerLab(.lookUp, .commit, .abandon, .acknowledge, .publish, .heartbeats)
    lab.know(given.match)
    let deadline = try #require(given.match.deadline).at
    let queue = lab.layout.queue(of: Slot(of: given.match.id))
    lab.store.queueClocks.answer { [queue: QueueClock(time: deadline.adding(seconds: -60))] }
    try lab.settleIn()
    return (lab, queue, deadline)
  }

  /// Delivers a tick, and the scheduler's event that the deadline has passed.
  private func tick(
    _ lab: WorkerLab, _ queue: Int, at time: Instant, now: Instant, _ deadline: Instant
  ) throws {
    lab.known.now = now
    lab.arriving = [
      Event.Action.ticked(queue: queue, time: time, since: .noon),
      .deadlinePassed(given.match.id, turn: 1, deadline: deadline),
    ].map { lab.delivery(ServiceIdentity.test.body($0), queue: queue) }
    try lab.step()
  }

  @Test("A turn during a jump of the database's clock counts when it is judged, not an hour later")
  func jump() throws {
    let (lab, queue, deadline) = try lab()
    let start = deadline.adding(seconds: -58)
    try tick(lab, queue, at: start, now: start, deadline)
    // The store shows an hour more, and no time has passed on the worker's machine. The worker has
    // to ask, since it heard of the time too long ago.
    lab.known.now = start.adding(seconds: 3_600)
    lab.clock.elapse(-3_600_000_000)
    lab.clock.pass(.milliseconds(1_500))
    lab.forget()
    lab.deliver(TestPlayer.ann.event(given.turn(given.removals)), by: .ann)
    try lab.step()
    let write = try #require(lab.writes.first)
    #expect(write.now == start)
    #expect(write.changes.flatMap(\.entries).map(\.acceptedAt) == [start])
    #expect(lab.lookups.count == 1)
  }

  private func hasEnded(_ lab: WorkerLab) -> Bool {
    lab.writes.contains { $0.changes.contains { $0.after.outcome != nil } }
  }

  @Test("A new worker of a queue that nobody judged ends nothing in it for ten seconds")
  func takenOver() throws {
    let (lab, queue, deadline) = try lab()
    let now = deadline.adding(seconds: 40)
    try tick(lab, queue, at: deadline.adding(seconds: 40), now: now, deadline)
    #expect(!hasEnded(lab))
    #expect(lab.writes.first?.clocks[queue]?.after.heldUntil == now.adding(seconds: 10))
    #expect(lab.writes.first?.clocks[queue]?.after.creditMicroseconds == 0)
    try tick(lab, queue, at: deadline.adding(seconds: 49), now: now.adding(seconds: 4), deadline)
    #expect(!hasEnded(lab))
    try tick(lab, queue, at: deadline.adding(seconds: 50), now: now.adding(seconds: 8), deadline)
    #expect(hasEnded(lab))
  }

  @Test("A worker that waited long itself ends nothing for ten seconds either")
  func waited() throws {
    let (lab, queue, deadline) = try lab()
    let start = deadline.adding(seconds: -58)
    try tick(lab, queue, at: deadline.adding(seconds: -59), now: start, deadline)
    #expect(lab.writes.first?.clocks[queue]?.after.heldUntil == nil)
    try tick(
      lab, queue, at: deadline.adding(seconds: 1), now: deadline.adding(seconds: 2), deadline)
    #expect(!hasEnded(lab))
    #expect(
      lab.writes.last?.clocks[queue]?.after.heldUntil == deadline.adding(seconds: 12))
  }

  @Test("A queue that is long and worked off gives nobody more time")
  func long() throws {
    let (lab, queue, deadline) = try lab()
    for count in 0..<31 {
      #expect(!hasEnded(lab))
      // The queue falls ever farther behind.
      let time = deadline.adding(seconds: Int64(2 * count) - 60)
      try tick(
        lab, queue, at: time, now: deadline.adding(seconds: Int64(4 * count) - 58), deadline)
    }
    #expect(hasEnded(lab))
    #expect(lab.writes.allSatisfy { $0.clocks[queue]?.after.heldUntil == nil })
  }
}
