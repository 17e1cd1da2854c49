import MatchCore
import MatchInterfaces
import Testing

@testable import MatchSimulation

@Suite("Faults of the simulated store")
struct SimulatedStoreTests {
  let clock = VirtualClock(World.start)

  private func write(_ number: Int) -> BatchWrite {
    var write = BatchWrite(now: clock.now)
    write.replies = [
      BatchWrite.Reply(
        key: key(number), reply: StoredReply(payloadHash: .zero, reply: [UInt8(number)]))
    ]
    return write
  }

  private func key(_ number: Int) -> EventKey {
    EventKey(
      player: PlayerID(rawValue: 1), event: EventID(at: clock.now, random: UInt128(number)))
  }

  @Test("Connections are gone or cannot write after a failover, and committed rows are there")
  func failover() throws {
    let store = SimulatedStore(clock: clock)
    let sessions = try (0..<20).map { _ in try #require(store.connect()) }
    let workers = sessions.map(store.worker)
    try workers[0].commit(write(0))
    store.failOver(downFor: 1_000_000)
    #expect(sessions.contains { $0.isOpen } && sessions.contains { !$0.isOpen })
    #expect(store.connect() == nil)
    for (session, worker) in zip(sessions, workers) {
      if session.isOpen { _ = try worker.lookUp(Lookup()) }
      #expect(throws: StoreError.self) { try worker.commit(write(1)) }
      #expect(!session.isOpen)
    }
    clock.advance(microseconds: 2_000_000)
    try store.worker(try #require(store.connect())).commit(write(1))
    #expect(store.replies.count == 2)
  }

  @Test("Nobody leads over a former primary")
  func locks() throws {
    let store = SimulatedStore(clock: clock)
    let sessions = try (0..<20).map { _ in try #require(store.connect()) }
    #expect(try store.scheduler(sessions[0]).lead())
    #expect(try !store.scheduler(sessions[1]).lead())
    store.failOver(downFor: 0)
    let former = try #require(sessions.first { $0.isOpen })
    #expect(throws: StoreError.self) { try store.scheduler(former).lead() }
    #expect(!former.isOpen)
    #expect(try store.scheduler(#require(store.connect())).lead())
  }

  @Test("A slow commit's rows are locked and not to be seen until it is there")
  func slowDisk() throws {
    let store = SimulatedStore(clock: clock)
    let first = store.worker(try #require(store.connect()))
    let second = store.worker(try #require(store.connect()))
    var lookup = Lookup()
    lookup.events = [key(1)]
    var isCalled = false
    store.duringCommit = { _ in
      store.duringCommit = { _ in }
      isCalled = true
      #expect((try? second.lookUp(lookup))?.replies.isEmpty == true)
      #expect(throws: StoreError.conflict("a row was not to be had in time")) {
        try second.commit(write(1))
      }
      #expect(throws: Never.self) { try second.commit(write(2)) }
    }
    try first.commit(write(1))
    #expect(isCalled)
    #expect(try second.lookUp(lookup).replies.count == 1)
    #expect(store.replies.count == 2)
  }

  @Test("A commit is there or is not when its connection breaks, and nobody knows")
  func unknown() throws {
    var outcomes: Set<Int> = []
    for seed in UInt64(1)...20 {
      let store = SimulatedStore(clock: clock, random: SeededRandom(seed: seed))
      let worker = store.worker(try #require(store.connect()))
      var committed = 0
      store.afterCommit = { _ in committed += 1 }
      store.duringCommit = { _ in store.restart() }
      #expect(throws: StoreError.unavailable("the connection broke while committing")) {
        try worker.commit(write(1))
      }
      #expect(store.replies.count == committed)
      outcomes.insert(store.replies.count)
    }
    #expect(outcomes == [0, 1])
  }
}
