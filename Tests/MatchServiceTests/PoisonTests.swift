import CustomDump
import MatchCore
import MatchInterfaces
import MatchWire
import Synchronization
import Testing

@testable import MatchService

@Suite("An event that ends every worker that reads it")
struct PoisonTests {
  /// A message in a queue.
  private struct Waiting {
    var body: [UInt8]
    var queue: Int
    var count = 0
  }

  /// The outcome of all messages.
  private struct Ends {
    var judged: [EventID] = []
    var dead: [[UInt8]] = []
    var lives = 0
    /// The store's count of workers that began with a message, by message.
    var trials: [Hash: Int] = [:]
  }

  private static let request = Event.Action.matchRequested(
    .init(opponent: .nobody, turnLimitSeconds: nil))

  @Test(
    "The events beside it are judged; it alone is buried, once it has ended three workers alone",
    arguments: [[0], [5], [11], [0, 1], [2, 7, 8]])
  func alone(poisonous: [Int]) throws {
    let events = (0..<12).map { number in
      TestPlayer.all[number % 3].event(PoisonTests.request, UInt128(number))
    }
    let bodies = zip(events, TestPlayer.all + TestPlayer.all + TestPlayer.all + TestPlayer.all)
      .map { $1.body($0) }
    let queues = try events.map {
      QueueLayout.standard.queue(of: try #require(Slot(of: $0)))
    }
    let ends = try lives(
      zip(bodies, queues).map { Waiting(body: $0, queue: $1) },
      poisonous: Set(poisonous.map { bodies[$0] }))
    let others = events.indices.filter { !poisonous.contains($0) }.map { events[$0].id }
    expectNoDifference(ends.judged.sorted(), others.sorted())
    expectNoDifference(Set(ends.dead), Set(poisonous.map { bodies[$0] }))
    #expect(ends.dead.count == poisonous.count)
    // Nine workers until the first tenth delivery, three that are ended by each poisonous message,
    // and the one that is not.
    #expect(ends.lives == 9 + 3 * poisonous.count + 1)
  }

  /// One worker after the other, until nothing is left. A worker that dies adds a delivery to every
  /// message it held.
  private func lives(_ messages: [Waiting], poisonous: Set<[UInt8]>) throws -> Ends {
    var (waiting, ends) = (messages, Ends())
    while !waiting.isEmpty, ends.lives < 40 {
      ends.lives += 1
      for index in waiting.indices { waiting[index].count += 1 }
      try live(&waiting, &ends, poisonous)
    }
    return ends
  }

  @Test("A tick that the store refuses is let go: nobody could retry it")
  func tick() throws {
    let lab = WorkerLab(.lookUp, .abandon, .acknowledge, .heartbeats)
    lab.store.commit.answer { [unowned lab] write throws(StoreError) in
      lab.note(.commit(write))
      throw .rejected("no")
    }
    try lab.settleIn()
    let tick = ServiceIdentity.test.body(.ticked(queue: 3, time: .noon))
    lab.arriving = [lab.delivery(tick, queue: 3)]
    try lab.step()
    #expect(lab.writes.allSatisfy { $0.dead.isEmpty })
    #expect(lab.names.last == "acknowledge 1")
  }

  private func live(
    _ waiting: inout [Waiting], _ ends: inout Ends, _ poisonous: Set<[UInt8]>
  ) throws {
    let lab = WorkerLab(.lookUp, .commit, .abandon, .acknowledge, .publish, .heartbeats)
    lab.id = WorkerID(rawValue: UInt128(ends.lives))
    lab.living = [lab.id]
    let isDead = Mutex(false)
    lab.verifier = SignatureVerifier { signed, tag in
      // A crash: nothing that this worker does afterwards reaches anybody.
      if poisonous.contains(Envelope.encode(signed)) { isDead.withLock { $0 = true } }
      return SignatureVerifier.live.isValid(signed, tag)
    }
    var order: [Int] = []
    lab.bus.consume.answer { order = $0 }
    lab.store.commit.answer { [unowned lab] write throws(StoreError) in
      guard !isDead.withLock({ $0 }) else { throw .unavailable("dead") }
      lab.note(.commit(write))
    }
    var trials = ends.trials
    lab.store.trial.answer { step, message throws(StoreError) in
      guard !isDead.withLock({ $0 }) else { throw .unavailable("dead") }
      trials[message] = step == .begins ? trials[message, default: 0] + 1 : nil
      return trials[message, default: 0]
    }
    lab.bus.acknowledge.answer { [unowned lab] tag throws(BusError) in
      guard !isDead.withLock({ $0 }) else { throw .disconnected("dead") }
      lab.note(.acknowledge(tag))
    }
    try lab.settleIn()
    // Queue by queue, as the worker began to consume them.
    let delivered = order.flatMap { queue in waiting.indices.filter { waiting[$0].queue == queue } }
    lab.arriving = delivered.map {
      lab.delivery(waiting[$0].body, queue: waiting[$0].queue, count: waiting[$0].count)
    }
    var last = 0
    for _ in delivered {
      guard !isDead.withLock({ $0 }) else { break }
      do { try lab.step() } catch let end as Interruption {
        #expect(isDead.withLock { $0 }, "\(end)")
      }
      for case .acknowledge(let tag) in lab.acts { last = Int(tag) }
    }
    ends.trials = trials
    ends.judged += lab.writes.flatMap { $0.replies.map(\.key.event) }
    ends.dead += lab.writes.flatMap { $0.dead.map(\.body) }
    let done = Set(delivered.prefix(last))
    waiting = waiting.indices.filter { !done.contains($0) }.map { waiting[$0] }
  }
}
