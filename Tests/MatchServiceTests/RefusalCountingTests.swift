import CoreMetrics
import Logging
import MatchCore
import MatchInterfaces
import MatchWire
import MetricsTestKit
import Testing

@testable import MatchService

/// A message that arrives and is wrong.
private struct BadMessage: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The name of the refusal that it gets.
  let name: String
  let body: [UInt8]

  init(_ description: String, _ name: String, _ body: [UInt8]) {
    testDescription = description
    self.name = name
    self.body = body
  }

  /// A body with a valid signature, and any payload.
  static func signed(_ payload: [UInt8], as tag: SignatureTag) -> [UInt8] {
    Envelope.encode(TestPlayer.ann.signer.signed(payload, as: tag))
  }
}

@Suite("Refusals are answered by name and counted")
struct RefusalCountingTests {
  let metrics = TestMetrics()

  private func count(_ label: String, _ dimensions: (String, String)...) -> Int64 {
    metrics.counterTotal(label: label, dimensions: dimensions)
  }

  // MARK: Events

  private static let request = Event.Action.matchRequested(
    MatchRequest(opponent: .nobody, turnLimitSeconds: nil))

  private static let badEvents: [BadMessage] = {
    let ann = TestPlayer.ann
    let event = ann.event(request)
    var forged = ann.body(event)
    forged[40] ^= 1
    var smallOrder = ann.body(event)
    smallOrder.replaceSubrange(1..<33, with: [1] + Array(repeating: 0, count: 31))
    var foreign = event
    foreign.service = ServiceID(rawValue: 1)
    let stranger = TestPlayer("Eve", keyByte: 0xe5)
    let space = Array(repeating: UInt8(ascii: " "), count: 1_025)
    let turn = Array(#"{"type":"turnPlayed"}"#.utf8) + space + space + space + space
    return [
      BadMessage("nothing", "malformed", []),
      BadMessage("an envelope cut off", "malformed", Array(ann.body(event).prefix(96))),
      BadMessage("no JSON", "malformed", BadMessage.signed(Array("{".utf8), as: .event)),
      BadMessage(
        "an oversized request", "malformed",
        BadMessage.signed(PayloadCodec.encode(event) + space, as: .event)),
      BadMessage("an oversized turn", "malformed", BadMessage.signed(turn, as: .event)),
      BadMessage("another envelope", "unsupportedVersion", [9] + ann.body(event).dropFirst()),
      BadMessage(
        "another payload version", "unsupportedVersion",
        BadMessage.signed(Array(#"{"v":99}"#.utf8), as: .event)),
      BadMessage(
        "signed for something else", "badSignature",
        BadMessage.signed(PayloadCodec.encode(event), as: .query)),
      BadMessage("a key of small order", "badSignature", smallOrder),
      BadMessage("another service's event", "wrongService", ann.body(foreign)),
      BadMessage(
        "an event of eight days ago", "eventTooOld",
        ann.body(ann.event(request, at: .noon.adding(seconds: -8 * 86_400)))),
      BadMessage(
        "a stranger's registration of tomorrow", "clockAhead",
        stranger.body(
          stranger.event(
            .playerRegistered(name: stranger.name, code: nil),
            at: .noon.adding(seconds: 86_400)))),
      BadMessage("a stranger's event", "notRegistered", stranger.body(stranger.event(request))),
      BadMessage(
        "somebody else's event", "notPermitted",
        Envelope.encode(TestPlayer.bob.signer.signed(PayloadCodec.encode(event), as: .event))),
      BadMessage(
        "the service's word from a player", "notPermitted",
        ann.body(ann.event(.ticked(queue: 0, time: .noon)))),
    ]
  }()

  /// The queue that a body belongs to, if it belongs to any.
  private func queue(of body: [UInt8], in lab: WorkerLab) -> Int {
    let event = try? PayloadCodec.decodeEvent(Envelope.decode(body).payload)
    return event.map { lab.queue(of: $0) } ?? 0
  }

  @Test("A bad event is answered by name, counted once and not stored", arguments: badEvents)
  private func badEvent(_ bad: BadMessage) throws {
    try withMetricsFactory(metrics) {
      let lab = WorkerLab(.lookUp, .abandon, .acknowledge, .publish, .heartbeats)
      try lab.settleIn()
      lab.arriving = [lab.delivery(bad.body, queue: queue(of: bad.body, in: lab), id: "x")]
      try lab.step()
      guard case .refused(let refusal)? = lab.replies["x"] else {
        Issue.record("no refusal")
        return
      }
      #expect(refusal.name == bad.name)
      #expect(lab.names == ["lookUp", "abandon", "acknowledge 1", "publish"])
    }
    #expect(count("cubist_events_total", ("result", "refused"), ("refusal", bad.name)) == 1)
    #expect(metrics.counterTotal(label: "cubist_events_total") == 1)
  }

  @Test("A player's event of tomorrow is refused for good")
  func ahead() throws {
    try withMetricsFactory(metrics) {
      let lab = WorkerLab(.lookUp, .commit, .acknowledge, .publish, .heartbeats)
      try lab.settleIn()
      let event = TestPlayer.ann.event(Self.request, at: .noon.adding(seconds: 86_400))
      lab.deliver(event, by: .ann)
      try lab.step()
      let reply = ReplyCodec.encode(.refused(.clockAhead(serviceTime: .noon)), event: event.id)
      #expect(lab.writes.flatMap(\.replies).map(\.reply.reply) == [reply])
      #expect(lab.writes.flatMap(\.changes) == [])
    }
    #expect(count("cubist_events_total", ("result", "refused"), ("refusal", "clockAhead")) == 1)
  }

  @Test("An event dated more than a day ahead is answered, and leaves nothing behind")
  func farAhead() throws {
    let lab = WorkerLab(.lookUp, .abandon, .acknowledge, .publish, .heartbeats)
    try lab.settleIn()
    for (number, ahead) in [86_401, 400 * 86_400].enumerated() {
      let event = TestPlayer.ann.event(
        Self.request, UInt128(number), at: .noon.adding(seconds: Int64(ahead)))
      lab.deliver(event, by: .ann)
      try lab.step()
      #expect(lab.replies["Ann"] == .refused(.clockAhead(serviceTime: .noon)))
    }
    #expect(lab.writes == [])
  }

  @Test("An event in another slot's queue, and a known id with another payload, are counted")
  func misplacedAndMismatched() throws {
    try withMetricsFactory(metrics) {
      let lab = WorkerLab(.lookUp, .abandon, .acknowledge, .publish, .heartbeats)
      let event = TestPlayer.ann.event(Self.request)
      lab.known.replies = [
        EventKey(player: event.player, event: event.id): StoredReply(payloadHash: .zero, reply: [])
      ]
      try lab.settleIn()
      let queue = lab.queue(of: event)
      lab.arriving = [
        lab.delivery(TestPlayer.ann.body(event), queue: (queue + 1) % 16, id: "slot"),
        lab.delivery(TestPlayer.ann.body(event), queue: queue, id: "id"),
      ]
      try lab.step()
    }
    for name in ["wrongSlot", "idempotencyMismatch"] {
      #expect(count("cubist_events_total", ("result", "refused"), ("refusal", name)) == 1)
    }
    #expect(metrics.counterTotal(label: "cubist_events_total") == 2)
  }

  @Test("Buried events are counted")
  func buried() throws {
    try withMetricsFactory(metrics) {
      let lab = WorkerLab(.lookUp, .commit, .acknowledge, .publish)
      lab.store.trial.answer { _, _ in 4 }
      try lab.settleIn()
      lab.deliver(TestPlayer.ann.event(Self.request), by: .ann, count: 10)
      try lab.step()
    }
    #expect(count("cubist_worker_buried_total") == 1)
  }

  @Test("Every conflict of a batch is counted")
  func conflicts() throws {
    try withMetricsFactory(metrics) {
      let lab = WorkerLab(.lookUp, .abandon, .heartbeats)
      lab.settings.conflictLimit = 2
      lab.store.commit.fail(with: .conflict("version"))
      try lab.settleIn()
      lab.deliver(TestPlayer.ann.event(Self.request), by: .ann)
      try lab.step()
    }
    #expect(count("cubist_worker_conflicts_total") == 2)
    #expect(count("cubist_worker_store_waits_total") == 1)
  }

  // MARK: Queries

  private static let badQueries: [BadMessage] = {
    let ann = TestPlayer.ann
    func query(
      _ service: ServiceID = .test, of player: TestPlayer = .ann, at time: Instant = .noon
    ) -> Query {
      Query(
        service: service, id: EventID(at: time, random: 1), player: player.id, kind: .whoAmI)
    }
    var forged = ann.body(.whoAmI)
    forged[40] ^= 1
    let stranger = TestPlayer("Eve", keyByte: 0xe5)
    let space = Array(repeating: UInt8(ascii: " "), count: 1_025)
    return [
      BadMessage("nothing", "malformed", []),
      BadMessage("no JSON", "malformed", BadMessage.signed(Array("{".utf8), as: .query)),
      BadMessage(
        "an oversized query", "malformed",
        BadMessage.signed(QueryCodec.encode(query()) + space, as: .query)),
      BadMessage("another envelope", "unsupportedVersion", [9] + ann.body(.whoAmI).dropFirst()),
      BadMessage(
        "another payload version", "unsupportedVersion",
        BadMessage.signed(Array(#"{"v":99}"#.utf8), as: .query)),
      BadMessage(
        "signed for something else", "notPermitted",
        BadMessage.signed(QueryCodec.encode(query()), as: .event)),
      BadMessage(
        "another service's query", "wrongService",
        Envelope.encode(ann.signer.sign(query(ServiceID(rawValue: 1))))),
      BadMessage(
        "a query sent again after a minute", "expired",
        ann.body(.whoAmI, at: .noon.adding(seconds: -61))),
      BadMessage(
        "a query of tomorrow", "expired", ann.body(.whoAmI, at: .noon.adding(seconds: 86_400))),
      BadMessage("a stranger's query", "notRegistered", stranger.body(.whoAmI)),
      BadMessage(
        "a query in somebody else's name", "notPermitted",
        Envelope.encode(ann.signer.sign(query(of: .bob)))),
    ]
  }()

  @Test("A bad query is answered by name and counted once", arguments: badQueries)
  private func badQuery(_ bad: BadMessage) throws {
    try withMetricsFactory(metrics) {
      let lab = ReaderLab()
      lab.expectOwner()
      lab.ask(bad.body)
      try lab.step()
      #expect(try lab.refusal()?.name == bad.name)
    }
    let counters = metrics.counters(label: "cubist_queries_total")
    #expect(counters.map(\.totalValue) == [1])
    #expect(counters.first?.dimensions.contains { $0 == ("result", bad.name) } == true)
  }

  @Test("Queries that cannot be answered and word of changes that cannot be read are counted")
  func unanswerable() throws {
    try withMetricsFactory(metrics) {
      let lab = ReaderLab()
      lab.arriving = [
        .query(body: [], replyTo: nil, correlationID: nil), .outcome(routingKey: "x", body: [1]),
      ]
      try lab.step()
      #expect(lab.answers.isEmpty)
    }
    #expect(count("cubist_queries_total", ("query", "query"), ("result", "unanswerable")) == 1)
    #expect(count("cubist_queries_total", ("query", "outcome"), ("result", "unreadable")) == 1)
  }

  // MARK: The other roles

  @Test("A message in the push queue that is no job is counted, and a job by its fate")
  func pushes() throws {
    let job = PushJob(id: PushJobID(rawValue: 1), kind: .matchEnded, player: TestPlayer.ann.id)
    try withMetricsFactory(metrics) {
      var bus = PushBus.failing
      bus.receive.answer { _, _ in
        [
          .init(tag: 1, job: nil, attempts: 0, body: [1]),
          .init(tag: 2, job: job, attempts: 0, body: []),
          .init(tag: 3, job: job, attempts: 0, body: []),
        ]
      }
      bus.acknowledge.answer { _ in }
      bus.serveHeartbeats.answer {}
      let worker = PushWorker(
        store: .noop, bus: bus, providers: [.taking], exchange: .none, clock: .noop,
        log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      try worker.step()
    }
    for result in ["unreadable", "delivered", "repeated"] {
      #expect(count("cubist_push_total", ("result", result)) == 1, "\(result)")
    }
  }

  @Test("Jobs that the relay publishes, and those that are not confirmed, are counted")
  func relay() throws {
    let jobs = [1, 2, 3].map {
      PushJob(id: PushJobID(rawValue: $0), kind: .matchEnded, player: TestPlayer.ann.id)
    }
    try withMetricsFactory(metrics) {
      let relay = OutboxRelay(
        store: .noop.with { $0.claim.answer { _, _ in jobs } },
        bus: .noop.with { $0.publish.answer { [$0[1].id] } }, clock: TestClock().clock,
        log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      try relay.step()
    }
    #expect(count("cubist_relay_jobs_total") == 1)
    #expect(count("cubist_relay_unconfirmed_total") == 2)
  }

  @Test("An interruption is counted by its role and its failing server")
  func interruptions() {
    let stop = StopSignal()
    withMetricsFactory(metrics) {
      RoleLoop(
        name: "test",
        make: { () throws(Interruption) in
          stop.ask()
          throw .bus(.disconnected("gone"))
        }, stop: stop, clock: TestClock().clock, randomness: TestRandomness().randomness,
        log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, report: { _ in }
      ).run()
    }
    #expect(count("cubist_interruptions_total", ("role", "test"), ("side", "bus")) == 1)
  }
}
