import CustomDump
import InMemoryLogging
import Logging
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

@Suite("A worker with a failing store")
struct StoreWaitTests {
  private static let request = Event.Action.matchRequested(
    .init(opponent: .nobody, turnLimitSeconds: nil))

  /// Lets so much time pass that the store is tried again, and tries.
  private func tryAgain(_ lab: WorkerLab) throws {
    let writes = lab.writes.count
    for _ in 0..<200 where lab.writes.count == writes { try lab.step() }
  }

  // Failure: StoreError.unavailable: The store is gone, full or read-only. A worker and a push
  //   worker keep everything in hand and wait. Other roles start over once the store is back.
  @Test(
    "No store error gives anything back to the broker: the same events are judged again",
    arguments: [
      StoreError.unavailable("gone"), .unusable("no such table"), .conflict("locked"),
      .duplicate("exists"), .failed("statement timeout"),
    ])
  func keeping(failure: StoreError) throws {
    let lab = WorkerLab(.lookUp, .abandon, .acknowledge, .publish, .heartbeats)
    lab.settings.conflictLimit = 1
    var (failures, connections) = (30, 0)
    lab.store.reconnect.answer { connections += 1 }
    lab.store.commit.answer { [unowned lab] write throws(StoreError) in
      failures -= 1
      if failures >= 0 { throw failure }
      lab.note(.commit(write))
    }
    try lab.settleIn()
    let events = (1...3).map { TestPlayer.ann.event(StoreWaitTests.request, $0) }
    for event in events { lab.deliver(event, by: .ann) }
    while lab.writes.flatMap(\.replies).count < 3 { try lab.step() }
    #expect(lab.writes.flatMap { $0.replies.map(\.key.event) } == events.map(\.id))
    #expect(lab.writes.flatMap(\.dead) == [])
    let acknowledged = lab.names.filter { $0.hasPrefix("acknowledge") }
    #expect(acknowledged.last == "acknowledge 3")
    #expect(lab.names.allSatisfy { !$0.hasPrefix("consume") && $0 != "close" })
    switch failure {
    case .unavailable, .unusable: #expect(connections == 30)
    case .conflict, .duplicate, .failed, .rejected, .damaged: #expect(connections == 0)
    }
    let messages = lab.logs.entries.map { "\($0.message)" }
    #expect(messages.filter { $0 == "worker goes on" }.count == 1)
    // Once at first, and once a minute.
    #expect(1...4 ~= messages.filter { $0 == "worker waits for the store" }.count)
  }

  // Failure: WorkerStore.reconnect: The worker waits and serves the broker meanwhile.
  @Test("A store that cannot be reached again is tried again; meanwhile the broker is served")
  func unreachable() throws {
    let lab = WorkerLab(.lookUp, .abandon, .acknowledge, .publish)
    var (served, attempts, isDown) = (0, 0, true)
    lab.bus.serveHeartbeats.answer { served += 1 }
    lab.store.commit.answer { [unowned lab] write throws(StoreError) in
      if isDown { throw .unavailable("gone") }
      lab.note(.commit(write))
    }
    lab.store.reconnect.answer { () throws(StoreError) in
      attempts += 1
      if attempts < 20 { throw .unavailable("refused") }
      isDown = false
    }
    try lab.settleIn()
    lab.deliver(TestPlayer.ann.event(StoreWaitTests.request), by: .ann)
    let before = lab.clock.uptime
    try tryAgain(lab)
    for _ in 0..<2_000 where lab.writes.isEmpty { try lab.step() }
    #expect(lab.writes.count == 1)
    #expect(attempts == 20)
    #expect(served >= 20)
    // At last once every five seconds, no more and no less often.
    #expect((40...110) ~= (lab.clock.uptime - before) / 1_000_000_000)
  }

  @Test(
    "A worker that connects anew writes before it reads: no answer tells an unreplicated write"
  )
  func writesFirst() throws {
    let lab = WorkerLab(.abandon, .acknowledge, .publish, .heartbeats)
    var calls: [String] = []
    lab.store.lookUp.answer { [unowned lab] _ in
      calls.append("lookUp")
      return lab.known
    }
    lab.store.heartbeat.answer { [unowned lab] _ in
      calls.append("heartbeat")
      return lab.living
    }
    lab.store.reconnect.answer { calls.append("reconnect") }
    lab.store.commit.answer { [unowned lab] write throws(StoreError) in
      calls.append("commit")
      if !calls.contains("reconnect") { throw .unavailable("ended by an administrator") }
      lab.note(.commit(write))
    }
    try lab.settleIn()
    lab.deliver(TestPlayer.ann.event(StoreWaitTests.request), by: .ann)
    try tryAgain(lab)
    let last = calls.drop { $0 != "reconnect" }
    #expect(Array(last) == ["reconnect", "heartbeat", "lookUp", "commit"])
  }

  @Test("A worker that waits for a lock goes on saying that it lives")
  func heartbeats() throws {
    let lab = WorkerLab(.lookUp, .abandon, .heartbeats)
    var beats: [UInt64] = []
    lab.store.heartbeat.answer { [unowned lab] _ in
      beats.append(lab.clock.uptime)
      return lab.living
    }
    lab.store.commit.answer { [unowned lab] _ throws(StoreError) in
      // The time until the store gives up on a lock.
      lab.clock.pass(.seconds(2))
      throw .conflict("canceling statement due to lock timeout")
    }
    try lab.settleIn()
    for number in 1...64 {
      lab.deliver(TestPlayer.ann.event(StoreWaitTests.request, UInt128(number)), by: .ann)
    }
    let end = lab.clock.uptime + 300_000_000_000
    while lab.clock.uptime < end { try lab.step() }
    let gaps = zip(beats, beats.dropFirst()).map { ($1 - $0) / 1_000_000_000 }
    #expect(try #require(gaps.max()) < 6)
    #expect(beats.count > 60)
  }

  // Failure: StoreError.failed: The work took too long or too much memory, or the database met an
  //   internal error. The worker does less at a time. An event is buried if it fails alone eight
  //   times while other events are committed.
  @Test("A batch is halved while its statement takes too long, and stays in order")
  func halving() throws {
    let lab = WorkerLab(.lookUp, .abandon, .acknowledge, .publish, .heartbeats)
    var sizes: [Int] = []
    lab.store.commit.answer { [unowned lab] write throws(StoreError) in
      sizes.append(write.replies.count)
      if write.replies.count > 3 { throw .failed("canceling statement due to statement timeout") }
      lab.note(.commit(write))
    }
    try lab.settleIn()
    let events = (1...20).map { TestPlayer.ann.event(StoreWaitTests.request, $0) }
    for event in events { lab.deliver(event, by: .ann) }
    try lab.step()
    #expect(lab.writes.flatMap { $0.replies.map(\.key.event) } == events.map(\.id))
    #expect(sizes.prefix(5) == [20, 10, 5, 2, 4])
    #expect(lab.logs.entries.allSatisfy { $0.message != "worker waits for the store" })
    let tags = lab.names.filter { $0.hasPrefix("acknowledge") }
    #expect(tags.last == "acknowledge 20")
  }

  @Test("A batch whose session ends before the commit is halved: its worker may be too slow")
  func tooSlow() throws {
    let lab = WorkerLab(.lookUp, .abandon, .acknowledge, .publish, .heartbeats)
    lab.store.reconnect.answer {}
    var sizes: [Int] = []
    lab.store.commit.answer { [unowned lab] write throws(StoreError) in
      sizes.append(write.replies.count)
      // Each event takes a second to judge, and ten are the limit for a transaction without a word.
      if write.replies.count > 10 { throw .unavailable("idle-in-transaction timeout") }
      lab.note(.commit(write))
    }
    try lab.settleIn()
    let events = (1...20).map { TestPlayer.ann.event(StoreWaitTests.request, $0) }
    for event in events { lab.deliver(event, by: .ann) }
    try tryAgain(lab)
    #expect(lab.writes.flatMap { $0.replies.map(\.key.event) } == events.map(\.id))
    #expect(sizes == [20, 10, 10])
  }

  // Failure: StoreError.failed
  @Test("An event on which the store gives up while it takes others is buried, and it alone")
  func culprit() throws {
    let lab = WorkerLab(.lookUp, .abandon, .acknowledge, .publish, .heartbeats)
    let culprit = TestPlayer.bob.event(StoreWaitTests.request)
    var attempts = 0
    lab.store.commit.answer { [unowned lab] write throws(StoreError) in
      if write.replies.contains(where: { $0.key.player == culprit.player }) {
        attempts += 1
        throw .failed("canceling statement due to statement timeout")
      }
      lab.note(.commit(write))
    }
    try lab.settleIn()
    lab.deliver(culprit, by: .bob)
    var events: [Event] = []
    for number in 1...40 {
      events.append(TestPlayer.ann.event(StoreWaitTests.request, UInt128(number)))
      lab.deliver(events[number - 1], by: .ann)
    }
    for _ in 0..<2_000 where lab.writes.flatMap(\.replies).count < 40 { try lab.step() }
    #expect(lab.writes.flatMap(\.dead).map(\.event) == [culprit.id])
    #expect(lab.writes.flatMap { $0.replies.map(\.key.event) } == events.map(\.id))
    #expect(lab.replies["Bob"] == .refused(.unavailable))
    // The batches become ever smaller. The single event is tried as often as the limit allows.
    #expect(attempts == 5 + lab.settings.strikeLimit)
    // No event is acknowledged before the ones in front of it.
    let dead = try #require(lab.writes.firstIndex { !$0.dead.isEmpty })
    #expect(dead == lab.settings.strikeLimit)
    #expect(lab.names.first { $0.hasPrefix("acknowledge") } == "acknowledge 1")
  }

  // Failure: StoreError.duplicate: A row with that key exists. The worker judges again, as after a
  //   conflict. An event is buried if this fails eight times while other events are committed.
  @Test("Only the event that meets a row there for good is buried; the others are committed")
  func duplicate() throws {
    let lab = WorkerLab(.lookUp, .abandon, .acknowledge, .publish, .heartbeats)
    let culprit = TestPlayer.bob.event(StoreWaitTests.request)
    lab.store.commit.answer { [unowned lab] write throws(StoreError) in
      if write.replies.contains(where: { $0.key.player == culprit.player }) {
        throw .duplicate("matches_pkey")
      }
      lab.note(.commit(write))
    }
    try lab.settleIn()
    lab.deliver(culprit, by: .bob)
    let events = (1...40).map { TestPlayer.ann.event(StoreWaitTests.request, UInt128($0)) }
    for event in events { lab.deliver(event, by: .ann) }
    for _ in 0..<2_000 where lab.writes.flatMap(\.replies).count < 40 { try lab.step() }
    #expect(lab.writes.flatMap(\.dead).map(\.event) == [culprit.id])
    #expect(lab.writes.flatMap { $0.replies.map(\.key.event) } == events.map(\.id))
    #expect(lab.replies["Bob"] == .refused(.unavailable))
  }

  @Test(
    "An event is not to blame where nothing shows that the store takes others'",
    arguments: [true, false])
  func nobodyToTell(isAlone: Bool) throws {
    let lab = WorkerLab(.lookUp, .abandon, .heartbeats)
    var commits = 0
    lab.store.commit.answer { _ throws(StoreError) in
      commits += 1
      throw .failed("canceling statement due to statement timeout")
    }
    try lab.settleIn()
    lab.deliver(TestPlayer.bob.event(StoreWaitTests.request), by: .bob)
    if !isAlone {
      for number in 1...10 {
        lab.deliver(TestPlayer.ann.event(StoreWaitTests.request, UInt128(number)), by: .ann)
      }
    }
    while commits < 100 { try lab.step() }
    #expect(lab.names.allSatisfy { ["lookUp", "abandon"].contains($0) })
  }

  @Test("Deliveries in hand are not given back because another worker comes")
  func noNewShares() throws {
    let lab = WorkerLab(.lookUp, .abandon, .acknowledge, .publish, .heartbeats)
    var isDown = true
    lab.store.commit.answer { [unowned lab] write throws(StoreError) in
      if isDown { throw .conflict("locked") }
      lab.note(.commit(write))
    }
    try lab.settleIn()
    lab.deliver(TestPlayer.ann.event(StoreWaitTests.request), by: .ann)
    try lab.step()
    lab.living = [WorkerLab.id, WorkerID(rawValue: 2)]
    for _ in 0..<200 { try lab.step() }
    #expect(lab.names.allSatisfy { !$0.hasPrefix("consume") })
    isDown = false
    for _ in 0..<200 {
      try lab.step()
      lab.clock.pass(.milliseconds(100))
    }
    #expect(lab.names.filter { ["commit", "consume 8"].contains($0) } == ["commit", "consume 8"])
  }
}
