import MatchCore
import MatchInterfaces
import MatchWire
import Synchronization
import Testing

@testable import MatchService

@Suite("Arrivals while a worker waits for the store")
struct ArrivalTests {
  let given = Given.playing

  /// A worker whose store lets it work during every commit until nothing is left to do.
  private func lab(workingOn call: Call = .commit) -> (WorkerLab, Work) {
    let lab = WorkerLab(.lookUp, .commit, .acknowledge, .publish, .heartbeats)
    lab.know(given.match)
    let work = Work()
    lab.store.workWhileWaiting.answer { work.body = $0 }
    let (lookUp, commit) = (lab.store.lookUp, lab.store.commit)
    switch call {
    case .lookUp:
      lab.store.lookUp.answer { lookup throws(StoreError) in
        work.finish()
        return try lookUp(lookup)
      }
    case .commit:
      lab.store.commit.answer { write throws(StoreError) in
        try commit(write)
        work.finish()
      }
    }
    return (lab, work)
  }

  private enum Call { case lookUp, commit }

  private final class Work {
    var body: () -> Bool = { false }
    /// Called at the next wait; adds the events that arrive meanwhile.
    var meanwhile: () -> Void = {}
    private(set) var pieces = 0

    func finish() {
      let meanwhile = meanwhile
      self.meanwhile = {}
      meanwhile()
      while body() { pieces += 1 }
    }
  }

  @Test("It is read and verified meanwhile, and judged in the next batch, in order")
  func nextBatch() throws {
    let (lab, work) = lab()
    let verified = Mutex(0)
    lab.verifier = SignatureVerifier { signed, context in
      verified.withLock { $0 += 1 }
      return SignatureVerifier.live.isValid(signed, context)
    }
    try lab.settleIn()
    work.meanwhile = { [given] in
      lab.deliver(TestPlayer.ann.event(given.turn(), 2), by: .ann)
      lab.deliver(TestPlayer.ann.event(.matchForfeited(given.match.id), 3), by: .ann)
    }
    lab.deliver(TestPlayer.ann.event(given.turn()), by: .ann)
    try lab.step()
    #expect(lab.names == ["lookUp", "commit", "acknowledge 1", "publish"])
    #expect(work.pieces == 2)
    #expect(verified.withLock { $0 } == 3)
    lab.forget()
    lab.known.matches = [:]
    // The last event is behind the earlier ones.
    lab.deliver(TestPlayer.ann.event(.matchForfeited(given.match.id), 4), by: .ann)
    #expect(try lab.worker.step() == 3)
    #expect(lab.names == ["lookUp", "commit", "acknowledge 4", "publish"])
    let ids = [2, 3, 4].map { TestPlayer.ann.event(.matchForfeited(given.match.id), $0).id }
    #expect(lab.lookups.first?.events.map(\.event) == ids)
    #expect(verified.withLock { $0 } == 4)
  }

  @Test("Deliveries that come while a batch is looked up are not in it")
  func lookUp() throws {
    let (lab, work) = lab(workingOn: .lookUp)
    try lab.settleIn()
    work.meanwhile = { [given] in
      lab.deliver(TestPlayer.ann.event(.matchForfeited(given.match.id), 2), by: .ann)
    }
    lab.deliver(TestPlayer.ann.event(given.turn()), by: .ann)
    try lab.step()
    #expect(lab.lookups.map(\.events.count) == [1])
    #expect(try lab.worker.step() == 1)
    #expect(lab.names.contains("acknowledge 2"))
  }

  @Test("No more is taken than a batch holds; then the broker is only shown a sign of life")
  func limit() throws {
    let (lab, work) = lab()
    lab.settings.batchLimit = 2
    var limits: [Int] = []
    var signsOfLife = 0
    let receive = lab.bus.receive
    lab.bus.receive.answer { limit, wait throws(BusError) in
      limits.append(limit)
      return try receive(limit, wait)
    }
    lab.bus.serveHeartbeats.answer { signsOfLife += 1 }
    try lab.settleIn()
    limits = []
    work.meanwhile = { [given] in
      for number in 2...3 as ClosedRange<UInt128> {
        lab.deliver(TestPlayer.ann.event(.matchForfeited(given.match.id), number), by: .ann)
      }
    }
    lab.deliver(TestPlayer.ann.event(given.turn()), by: .ann)
    try lab.step()
    #expect(limits == [2, 2])
    let before = signsOfLife
    #expect(!work.body())
    lab.clock.pass(.milliseconds(10))
    #expect(!work.body())
    #expect(signsOfLife == before)
    lab.clock.pass(.seconds(2))
    #expect(!work.body())
    #expect(signsOfLife == before + 1)
    #expect(limits == [2, 2])
  }

  @Test("A broker that is lost meanwhile: the batch is committed, and the next step says so")
  func lost() throws {
    let (lab, work) = lab()
    var isLost = false
    let receive = lab.bus.receive
    lab.bus.receive.answer { limit, wait throws(BusError) in
      guard !isLost else { throw .disconnected("gone") }
      return try receive(limit, wait)
    }
    try lab.settleIn()
    work.meanwhile = { isLost = true }
    lab.deliver(TestPlayer.ann.event(given.turn()), by: .ann)
    try lab.step()
    #expect(lab.names == ["lookUp", "commit", "acknowledge 1", "publish"])
    #expect(!work.body())
    #expect(throws: Interruption.bus(.disconnected("gone"))) { try lab.step() }
  }

  @Test("A worker forgets the deliveries of its old consumer when its queues change")
  func change() throws {
    let (lab, work) = lab()
    try lab.settleIn()
    work.meanwhile = { [given] in
      lab.deliver(TestPlayer.ann.event(.matchForfeited(given.match.id), 2), by: .ann)
    }
    lab.deliver(TestPlayer.ann.event(given.turn()), by: .ann)
    try lab.step()
    lab.living = [WorkerLab.id, WorkerID(rawValue: 2)]
    lab.clock.pass(.seconds(2))
    lab.forget()
    #expect(try lab.worker.step() == 0)
    #expect(lab.names == ["consume 8"])
  }
}
