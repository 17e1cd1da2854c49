import Chaos
import EventBusLive
import LibPQ
import LibRabbitMQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import TestedService
import Testing

@testable import cubistd

@Suite("Dead letters", .serialized, .sharedService(handsOver: false))
struct DeadLetterTests {
  /// Keeps an event as a worker does that has given it up.
  private static func bury(_ sent: LabPlayer.Sent, _ lab: ServiceLab) throws {
    let connection = try lab.connection()
    defer { connection.close() }
    let store = WorkerStore.live(connection)
    var write = BatchWrite(now: try store.lookUp(Lookup()).now)
    write.dead = [
      DeadEvent(
        queue: lab.layout.queue(of: sent.slot), player: sent.event.player, event: sent.event.id,
        reason: "delivered 10 times", body: sent.envelope)
    ]
    try store.commit(write)
  }

  /// Makes the queues of a former build, which nothing is bound to.
  private static func makeFormer(_ lab: ServiceLab) throws {
    let connection = try RabbitMQConnection(RabbitMQSettings(url: lab.serviceURL))
    defer { connection.close() }
    try FormerTopology.declare(
      on: connection, queueCount: lab.layout.queueCount, isBound: false)
  }

  /// Lets a former queue give up a message that nobody consumes.
  private static func kill(
    _ body: [UInt8], queue: String, _ lab: ServiceLab
  ) throws {
    try makeFormer(lab)
    let connection = try RabbitMQConnection(RabbitMQSettings(url: lab.serviceURL))
    defer { connection.close() }
    let publisher = try Publisher<Int>(
      RabbitMQConnection(RabbitMQSettings(url: lab.serviceURL)))
    defer { publisher.close() }
    try publisher.publish(
      id: 0, exchange: "", routingKey: queue, properties: MessageProperties(), body: body)
    try publisher.flush(timeout: .seconds(60))
    // A queue with a single active consumer cannot be asked for one message.
    try connection.consume(queue)
    let delivery = try #require(try connection.poll(wait: .seconds(60)).first)
    try connection.reject(delivery.tag)
    try waitUntil("the message is dead") {
      try connection.inspectQueue(Names().formerDead).messageCount > 0
    }
  }

  private static func withOffice<Result>(
    _ lab: ServiceLab, _ body: (DeadLetterOperations) throws -> Result
  ) throws -> Result {
    let connection = try lab.connection()
    defer { connection.close() }
    let office = DeadLetterOperations(
      store: .live(connection), bus: try .live(lab.context()), operator: "ada")
    defer { office.close() }
    return try body(office)
  }

  private static func letters(_ lab: ServiceLab) throws -> [DeadLetterOperations.Letter] {
    try withOffice(lab) { try $0.letters() }
  }

  /// Retries all letters and expects that they are gone then.
  private static func retryAll(_ lab: ServiceLab) throws {
    try withOffice(lab) { office in
      for letter in try office.letters() { #expect(try office.retry(letter) == .done) }
    }
    #expect(try letters(lab).isEmpty)
  }

  @Test("An event that a worker gave up counts once, at any number of retries")
  func retriedEvent() async throws {
    try await ServiceLab.shared { lab in
      let (ann, bob) = try lab.pair()
      let match = try lab.begin(ann, bob)
      let turn = try ann.sign(.turnPlayed(match, lab.turn(lab.match(match))))
      try DeadLetterTests.bury(turn, lab)
      let id = try #require(try DeadLetterTests.letters(lab).first).id
      try DeadLetterTests.withOffice(lab) { office in
        let letter = try #require(try office.letters([id]).first)
        #expect(letter.reason == "delivered 10 times")
        #expect(try office.facts(of: letter).reply == nil)
        // This process ends between the confirm and the next step.
        var dying = office.store
        dying.removeDeadEvent.fail(with: .unavailable("killed"))
        let killed = DeadLetterOperations(store: dying, bus: office.bus, operator: "ada")
        #expect(throws: OperatorFailure.store(.unavailable("killed"))) {
          _ = try killed.retry(letter)
        }
      }
      try waitUntil("the turn counts") { try lab.match(match).turnNumber == 2 }
      let reply = try #require(try lab.replies()[turn.key])
      try DeadLetterTests.withOffice(lab) { office in
        let letter = try #require(try office.letters([id]).first)
        #expect(try office.facts(of: letter).reply == "accepted")
        #expect(try office.retry(letter) == .done)
        #expect(try office.retry(letter) == .left("somebody else has dealt with it meanwhile"))
        let acts = try office.facts(of: letter).acts
        #expect(acts.map(\.act) == ["dead letter retried"])
        #expect(acts[0].detail.contains("\(turn.event.id)") && acts[0].detail.hasSuffix("by ada"))
        #expect(try office.letters().isEmpty)
      }
      // Answered after the retries: the queue has been worked off.
      #expect(try ann.bytes(turn) == reply.reply)
      #expect(try lab.match(match).turnNumber == 2)
    }
  }

  @Test(
    "A message that a former build gave up tells its deaths, is held back by nobody and counts once"
  )
  func retriedMessage() async throws {
    try await ServiceLab.shared { lab in
      let (ann, bob) = try lab.pair()
      let match = try lab.begin(ann, bob)
      let turn = try ann.sign(.turnPlayed(match, lab.turn(lab.match(match))))
      try lab.stopWorkers()
      let queue = Names().formerEvents(queue: lab.layout.queue(of: turn.slot))
      try DeadLetterTests.kill(turn.envelope, queue: queue, lab)
      for _ in 0..<3 {
        // Looking changes nothing.
        let letters = try DeadLetterTests.letters(lab)
        guard case .message(let letter)? = letters.first, letters.count == 1 else {
          Issue.record("\(letters)")
          return
        }
        #expect(letter.body == turn.envelope)
        #expect(letter.deaths.map(\.queue) == [queue])
        #expect(letter.deaths.map(\.reason) == ["rejected"])
        #expect(letter.deaths.map(\.routingKey) == [queue])
        #expect(letter.deaths[0].at != nil)
      }
      // This process ends between the confirm and the acknowledgement.
      try DeadLetterTests.withOffice(lab) { office in
        let letter = try #require(try office.letters().first)
        var dying = office.store
        dying.keepAct.fail(with: .unavailable("killed"))
        let killed = DeadLetterOperations(store: dying, bus: office.bus, operator: "ada")
        #expect(throws: OperatorFailure.self) { _ = try killed.retry(letter) }
      }
      #expect(try DeadLetterTests.letters(lab).count == 1)
      try DeadLetterTests.retryAll(lab)
      try lab.startWorker()
      guard case .accepted(.turnAccepted) = try ann.send(turn) else {
        Issue.record("the turn was not accepted")
        return
      }
      #expect(try lab.match(match).turnNumber == 2)
    }
  }

  @Test(
    "A push job that was given up by a worker that was killed then is kept once, and can be retried"
  )
  func givenUp() async throws {
    try await ServiceLab.shared { lab in
      try lab.stop(.push)
      let job = PushJob(
        id: PushJobID(rawValue: Randomness.live.next128()), kind: .opponentJoined,
        player: PlayerID(rawValue: 1), match: MatchID(rawValue: 2))
      let relay = try RelayBus.live(lab.context())
      defer { relay.close() }
      #expect(try relay.publish([job]) == [job.id])
      let connection = try lab.connection()
      defer { connection.close() }
      func worker(_ bus: PushBus) -> PushWorker {
        var store = PushStore.live(connection)
        // The job's subject does not matter here.
        store.brief.answer { jobs in Dictionary(jobs.map { ($0.id, .due(.init())) }) { $1 } }
        return PushWorker(
          store: store, bus: bus,
          providers: [
            PushProvider(name: "test", service: .app) { _, _ in
              [PushParcel(device: nil, work: .finished(.refused("gone\0 away")))]
            }
          ], exchange: .none,
          clock: .live, log: ServiceLab.log)
      }
      var dying = try PushBus.live(lab.context())
      dying.acknowledge.fail(with: .disconnected("killed"))
      let killed = worker(dying)
      #expect(throws: Interruption.bus(.disconnected("killed"))) {
        while true { try killed.step() }
      }
      killed.leave()
      #expect(try DeadLetterTests.letters(lab).map(\.reason) == ["gone away"])
      let next = worker(try .live(lab.context()))
      try waitUntil("the job comes again") { try next.step() == 1 }
      next.leave()
      let letters = try DeadLetterTests.letters(lab)
      #expect(letters.map(\.body) == [PushJobCodec.encode(job)])
      #expect(letters.map(\.queue) == [Names().push])
      try lab.start(.push)
      try DeadLetterTests.retryAll(lab)
      try waitUntil("nothing waits") {
        try looking(lab) { try $0.inspectQueue(Names().push).messageCount } == 0
      }
      #expect(try DeadLetterTests.letters(lab).isEmpty)
      try DeadLetterTests.forget(job, lab)
    }
  }

  /// Forgets a job that nothing owes, which `cubistd check` would name.
  private static func forget(_ job: PushJob, _ lab: ServiceLab) throws {
    let connection = try lab.connection()
    defer { connection.close() }
    try connection.query("DELETE FROM deliveries WHERE job = $1", [.uuid(job.id.rawValue)])
  }

  private func looking<Result>(
    _ lab: ServiceLab, _ body: (RabbitMQConnection) throws -> Result
  ) throws -> Result {
    let connection = try RabbitMQConnection(RabbitMQSettings(url: lab.serviceURL))
    defer { connection.close() }
    return try body(connection)
  }

  @Test("A push job that a former build gave up is handed out")
  func pushJob() async throws {
    try await ServiceLab.shared { lab in
      try lab.stop(.push)
      let job = PushJob(
        id: PushJobID(rawValue: Randomness.live.next128()), kind: .matchEnded,
        player: PlayerID(rawValue: 1), match: MatchID(rawValue: 2))
      try DeadLetterTests.kill(PushJobCodec.encode(job), queue: Names().formerPush, lab)
      try lab.start(.push)
      try DeadLetterTests.retryAll(lab)
      try waitUntil("the job is handed out") {
        try lab.looking { try $0.jobs(nil, 100_000) }.contains {
          $0.job.id == job.id && $0.fate == .delivered
        }
      }
      #expect(lab.pushes.taken.count { $0.id == job.id } == 1)
      try DeadLetterTests.forget(job, lab)
    }
  }

  @Test("A letter that names no place is left, and can be discarded")
  func discarded() async throws {
    try await ServiceLab.shared { lab in
      try DeadLetterTests.makeFormer(lab)
      let publisher = try Publisher<Int>(
        RabbitMQConnection(RabbitMQSettings(url: lab.serviceURL)))
      defer { publisher.close() }
      try publisher.publish(
        id: 0, exchange: "", routingKey: Names().formerDead, properties: MessageProperties(),
        body: [1, 2, 3])
      try publisher.flush(timeout: .seconds(60))
      let ann = try lab.player("Ann")
      let event = try ann.sign(
        .matchRequested(MatchRequest(opponent: .nobody, turnLimitSeconds: nil)))
      try DeadLetterTests.bury(event, lab)
      try DeadLetterTests.withOffice(lab) { office in
        let letters = try office.letters()
        #expect(letters.count == 2)
        for letter in letters {
          if case .message = letter {
            #expect(try office.retry(letter) == .left("it does not say where it belongs"))
          }
          #expect(try office.discard(letter, reason: "a test\u{1b}") == .done)
        }
        #expect(try office.letters().isEmpty)
        let acts = try office.store.acts(2).filter { $0.act == "dead letter discarded" }
        #expect(acts.count == 2)
        #expect(acts.allSatisfy { $0.detail.hasSuffix("by ada: a test\u{fffd}") })
        #expect(acts.allSatisfy { $0.at.microseconds > 0 })
      }
      #expect(try DeadLetterTests.letters(lab).isEmpty)
      #expect(try lab.matches(of: ann.id) == [])
    }
  }

  @Test("A letter that the broker does not take stays")
  func refused() async throws {
    try await ServiceLab.shared { lab in
      let ann = try lab.player("Ann")
      let event = try ann.sign(
        .matchRequested(MatchRequest(opponent: .nobody, turnLimitSeconds: nil)))
      try DeadLetterTests.bury(event, lab)
      let connection = try RabbitMQConnection(RabbitMQSettings(url: lab.serviceURL))
      defer { connection.close() }
      let queue = Names().events(queue: lab.layout.queue(of: event.slot))
      try connection.unbindQueue(
        queue, exchange: Names().events, routingKey: event.slot.routingKey)
      defer {
        #expect(throws: Never.self) {
          try connection.bindQueue(
            queue, exchange: Names().events, routingKey: event.slot.routingKey)
        }
      }
      try DeadLetterTests.withOffice(lab) { office in
        let letter = try #require(try office.letters().first)
        #expect {
          _ = try office.retry(letter)
        } throws: { error in
          if case OperatorFailure.broker(.unroutable) = error { true } else { false }
        }
      }
      #expect(try DeadLetterTests.letters(lab).count == 1)
      try DeadLetterTests.withOffice(lab) { office in
        for letter in try office.letters() {
          #expect(try office.discard(letter, reason: "a test") == .done)
        }
      }
    }
  }
}
