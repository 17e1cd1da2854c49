import CustomDump
import InMemoryLogging
import Logging
import MatchCore
import MatchInterfaces
import MatchWire
import Synchronization
import Testing

@testable import MatchService

@Suite("The turn worker when things fail")
struct TurnWorkerFailureTests {
  let given = Given.playing

  @Test("A broker that is gone after the commit: the acknowledgement fails, no reply goes out")
  func brokerGoneAtAcknowledge() throws {
    let lab = WorkerLab(.lookUp, .commit, .heartbeats)
    lab.know(given.match)
    lab.bus.acknowledge.fail(with: .disconnected("gone"))
    try lab.settleIn()
    lab.deliver(TestPlayer.ann.event(given.turn()), by: .ann)
    #expect(throws: Interruption.bus(.disconnected("gone"))) { try lab.step() }
    #expect(lab.names == ["lookUp", "commit"])
  }

  // Failure: StoreError.conflict: Another process was faster. The text of a guard names the
  //   statement, the expected rows and the number of rows found. The worker forgets the matches
  //   that the batch read, and judges the batch again.
  @Test("A conflict: the cached state is forgotten, and the batch is judged again on the new one")
  func conflict() throws {
    let lab = WorkerLab(.lookUp, .abandon, .acknowledge, .publish, .heartbeats)
    lab.know(given.match)
    let event = TestPlayer.ann.event(given.turn())
    var newer = given
    newer.take(TestPlayer.ann.event(.matchForfeited(given.match.id), 5), by: .ann)
    lab.store.commit.answer { [unowned lab, newer] write throws(StoreError) in
      lab.note(.commit(write))
      guard lab.writes.count == 1 else { return }
      lab.know(newer.match)
      throw .conflict("version")
    }
    try lab.settleIn()
    lab.deliver(event, by: .ann)
    try lab.step()
    #expect(
      lab.names == [
        "lookUp", "commit", "abandon", "lookUp", "commit", "acknowledge 1", "publish",
      ])
    #expect(lab.writes.last?.changes == [])
    #expect(lab.replies == ["Ann": .refused(.matchOver(try #require(newer.match.outcome)))])
  }

  @Test(
    "A batch that is not written costs nobody else a look-up: only its own reads are forgotten",
    arguments: [StoreError.conflict("version"), .rejected("no")])
  func forgettingLittle(failure: StoreError) throws {
    let lab = WorkerLab(.lookUp, .abandon, .acknowledge, .publish, .heartbeats)
    let givens = (0..<20 as Range<UInt128>).map { Given.playing(number: $0) }
    for given in givens { lab.know(given.match) }
    var hasFailed = true
    lab.store.commit.answer { [unowned lab] write throws(StoreError) in
      lab.note(.commit(write))
      defer { hasFailed = true }
      if !hasFailed { throw failure }
      for change in write.changes { lab.know(change.after) }
    }
    lab.store.lookUp.answer { [unowned lab] lookup in
      lab.note(.lookUp(lookup))
      var known = lab.known
      known.matches = known.matches.filter { lookup.matches.contains($0.key) }
      return known
    }
    try lab.settleIn()
    for (number, given) in zip(UInt128(1)..., givens) {
      lab.deliver(TestPlayer.ann.event(given.turn(), number), by: .ann)
    }
    try lab.step()
    let ids = givens.map(\.match.id)
    #expect(Set(lab.lookups.flatMap(\.matches)) == Set(ids))
    lab.forget()
    hasFailed = false
    lab.deliver(TestPlayer.bob.event(.matchForfeited(ids[0]), 5), by: .bob)
    try lab.step()
    #expect(lab.lookups.last?.matches == (failure == .rejected("no") ? [] : [ids[0]]))
    lab.forget()
    for (number, id) in zip(UInt128(100)..., ids.dropFirst()) {
      lab.deliver(TestPlayer.bob.event(.matchForfeited(id), number), by: .bob)
    }
    try lab.step()
    #expect(lab.writes.first?.changes.count == 19)
    #expect(lab.lookups.flatMap(\.matches) == [])
  }

  // Failure: StoreError.damaged
  @Test("An event about a damaged match is buried alone, and the log names the match")
  func damagedMatch() throws {
    let lab = WorkerLab(.lookUp, .abandon, .acknowledge, .publish, .heartbeats)
    let damaged = Given.playing(number: 7).match.id
    lab.know(given.match)
    lab.store.lookUp.answer { [unowned lab] lookup throws(StoreError) in
      lab.note(.lookUp(lookup))
      if lookup.matches.contains(damaged) { throw .damaged(damaged, "its record does not hold") }
      return lab.known
    }
    lab.store.commit.answer { [unowned lab] write in lab.note(.commit(write)) }
    try lab.settleIn()
    let culprit = TestPlayer.bob.event(.matchForfeited(damaged))
    let good = TestPlayer.ann.event(given.turn())
    lab.deliver(culprit, by: .bob)
    lab.deliver(good, by: .ann)
    while lab.writes.flatMap(\.replies).isEmpty { try lab.step() }
    #expect(lab.writes.flatMap(\.dead).map(\.event) == [culprit.id])
    #expect(lab.writes.flatMap(\.replies).map(\.key.event) == [good.id])
    let line = lab.logs.entries.first { "\($0.message)" == "event buried" }
    #expect(line?.metadata["match"] == "\(damaged)")
    #expect(line.map { "\($0.metadata["reason"] ?? "")" }?.contains("does not hold") == true)
  }

  @Test("An event is called buried once, when it is, however often the store fails before")
  func buriedOnce() throws {
    let lab = WorkerLab(.lookUp, .abandon, .acknowledge, .publish, .heartbeats)
    let damaged = Given.playing(number: 7).match.id
    lab.know(given.match)
    lab.store.lookUp.answer { [unowned lab] lookup throws(StoreError) in
      lab.note(.lookUp(lookup))
      if lookup.matches.contains(damaged) { throw .damaged(damaged, "its record does not hold") }
      return lab.known
    }
    func lines(_ lab: WorkerLab) -> Int {
      lab.logs.entries.count { "\($0.message)" == "event buried" }
    }
    var failures = 3
    lab.store.reconnect.answer {}
    lab.store.commit.answer { [unowned lab] write throws(StoreError) in
      if failures > 0, !write.dead.isEmpty {
        failures -= 1
        #expect(lines(lab) == 0)
        throw .unavailable("gone")
      }
      lab.note(.commit(write))
    }
    try lab.settleIn()
    lab.deliver(TestPlayer.bob.event(.matchForfeited(damaged)), by: .bob)
    while lab.writes.flatMap(\.dead).isEmpty { try lab.step() }
    #expect(failures == 0 && lines(lab) == 1)
  }

  @Test("The deadline of a damaged match, which is sent again and again, is kept nowhere")
  func damagedDeadline() throws {
    let lab = WorkerLab(.lookUp, .abandon, .acknowledge, .publish, .heartbeats)
    let damaged = Given.playing(number: 7).match.id
    lab.know(given.match)
    lab.store.lookUp.answer { [unowned lab] lookup throws(StoreError) in
      lab.note(.lookUp(lookup))
      if lookup.matches.contains(damaged) { throw .damaged(damaged, "its record does not hold") }
      return lab.known
    }
    lab.store.commit.answer { [unowned lab] write in lab.note(.commit(write)) }
    try lab.settleIn()
    lab.arriving.append(
      lab.delivery(
        ServiceIdentity.test.body(.deadlinePassed(damaged, turn: 1, deadline: .noon)),
        queue: lab.layout.queue(of: Slot(of: damaged))))
    let good = TestPlayer.ann.event(given.turn())
    lab.deliver(good, by: .ann)
    while lab.writes.flatMap(\.replies).isEmpty { try lab.step() }
    #expect(lab.writes.flatMap(\.dead).isEmpty)
    #expect(lab.writes.flatMap(\.replies).map(\.key.event) == [good.id])
  }

  // Failure: StoreError.rejected: The store refuses the data itself. The worker judges the events
  //   one by one and buries the culprit.
  @Test("A batch that the store refuses is judged event by event, and only the culprit is buried")
  func rejectedBatch() throws {
    let lab = WorkerLab(.lookUp, .abandon, .acknowledge, .publish, .heartbeats)
    let culprit = TestPlayer.bob.event(
      .matchRequested(.init(opponent: .nobody, turnLimitSeconds: nil)))
    lab.know(given.match)
    lab.store.commit.answer { [unowned lab] write throws(StoreError) in
      lab.note(.commit(write))
      if write.replies.contains(where: { $0.key.player == culprit.player }) {
        throw .rejected("no")
      }
    }
    try lab.settleIn()
    let good = TestPlayer.ann.event(given.turn())
    lab.deliver(culprit, by: .bob)
    lab.deliver(good, by: .ann)
    try lab.step()
    let committed = lab.writes.filter { write in
      !write.replies.contains { $0.key.player == culprit.player }
    }
    #expect(committed.count == 2)
    expectNoDifference(
      committed.first?.dead,
      [
        DeadEvent(
          queue: lab.queue(of: culprit), player: culprit.player, event: culprit.id, reason: "no",
          body: TestPlayer.bob.body(culprit))
      ])
    #expect(committed.last?.replies.map(\.key.event) == [good.id])
    #expect(lab.replies["Bob"] == .refused(.unavailable))
    #expect(
      lab.names.filter { $0.hasPrefix("acknowledge") } == ["acknowledge 1", "acknowledge 2"])
  }

  @Test("An event is judged alone from the third delivery on")
  func careful() throws {
    let lab = WorkerLab(.lookUp, .commit, .acknowledge, .publish, .heartbeats)
    lab.know(given.match)
    try lab.settleIn()
    let request = Event.Action.matchRequested(.init(opponent: .nobody, turnLimitSeconds: nil))
    lab.deliver(TestPlayer.bob.event(request, 1), by: .bob, count: 2)
    lab.deliver(TestPlayer.bob.event(request, 2), by: .bob, count: 3)
    lab.deliver(TestPlayer.bob.event(request, 3), by: .bob, count: 1)
    for _ in 0..<3 { try lab.step() }
    #expect(lab.writes.map(\.replies.count) == [1, 1, 1])
    #expect(
      lab.names.filter { $0.hasPrefix("acknowledge") }
        == ["acknowledge 1", "acknowledge 2", "acknowledge 3"])
  }

  // Failure: Refusal.unavailable: ° The service cannot answer now. Send the same event again.
  @Test("An event that ended three workers is buried unread, and its sender is told")
  func poison() throws {
    let lab = WorkerLab(.lookUp, .commit, .acknowledge, .publish)
    lab.verifier = .failing
    lab.store.trial.answer { step, _ in step == .begins ? 4 : 0 }
    try lab.settleIn()
    let event = TestPlayer.ann.event(given.turn())
    lab.deliver(event, by: .ann, count: 10)
    try lab.step()
    let write = try #require(lab.writes.first)
    #expect(write.dead.map(\.body) == [TestPlayer.ann.body(event)])
    #expect(
      write.dead.map(\.reason) == [
        "delivered 10 times without an answer; 3 workers ended while they judged it alone"
      ])
    #expect(write.dead.map(\.event.rawValue) == [0])
    #expect(write.changes.isEmpty)
    #expect(write.replies.isEmpty)
    #expect(lab.names == ["lookUp", "commit", "acknowledge 1", "publish"])
    #expect(lab.replies == ["Ann": .refused(.unavailable)])
  }

  // Failure: WorkerStore.trial: The worker waits. From the tenth delivery on it notes each attempt
  //   before it reads the event.
  @Test("Events that end no worker are judged at any count of deliveries, each noted first")
  func oftenDelivered() throws {
    let lab = WorkerLab(.lookUp, .commit, .acknowledge, .publish, .heartbeats)
    var steps: [TrialStep] = []
    lab.store.trial.answer { step, _ in
      steps.append(step)
      return step == .begins ? 1 : 0
    }
    try lab.settleIn()
    let request = Event.Action.matchRequested(.init(opponent: .nobody, turnLimitSeconds: nil))
    for number in 1...3 {
      lab.deliver(TestPlayer.bob.event(request, UInt128(number)), by: .bob, count: 50)
    }
    for _ in 0..<3 { try lab.step() }
    #expect(lab.writes.map(\.dead.count) == [0, 0, 0])
    #expect(lab.writes.map(\.replies.count) == [1, 1, 1])
    #expect(steps == [.begins, .survived, .begins, .survived, .begins, .survived])
  }

  @Test(
    "Garbage is answered by name, acknowledged and never stored",
    arguments: [
      ([], "malformed"), ([9, 9], "unsupportedVersion"),
      (Array(repeating: 1, count: 97), "malformed"),
      (Array(repeating: 1, count: 6_000), "malformed"),
      (Array(repeating: 1, count: 97) + Array("{}".utf8), "malformed"),
    ] as [([UInt8], String)])
  func garbage(body: [UInt8], name: String) throws {
    let lab = WorkerLab(.lookUp, .abandon, .acknowledge, .publish, .heartbeats)
    lab.verifier = .failing
    try lab.settleIn()
    lab.arriving = [lab.delivery(body, queue: 0, id: "x")]
    try lab.step()
    #expect(lab.names == ["lookUp", "abandon", "acknowledge 1", "publish"])
    guard case .refused(let refusal)? = lab.replies["x"] else {
      return #expect(Bool(false), "no refusal")
    }
    #expect(refusal.name == name)
  }

  @Test(
    "A body that can be no event is only acknowledged when it is delivered ten times",
    arguments: [0, 3, 96, 97 + 4_097, 131_072])
  func oldGarbage(size: Int) throws {
    let lab = WorkerLab(.acknowledge, .publish)
    try lab.settleIn()
    lab.arriving = [
      lab.delivery(Array(repeating: 1, count: size), queue: 0, id: "x", count: 10)
    ]
    try lab.step()
    #expect(lab.names == ["acknowledge 1", "publish"])
    #expect(lab.replies == ["x": .refused(.unavailable)])
  }

  @Test("An often delivered event is read once all before it are acknowledged, nothing meanwhile")
  func readAlone() throws {
    let lab = WorkerLab(.lookUp, .commit, .acknowledge, .publish, .heartbeats)
    let read = Mutex(0)
    lab.verifier = SignatureVerifier { signed, tag in
      read.withLock { $0 += 1 }
      return SignatureVerifier.live.isValid(signed, tag)
    }
    var prepare: () -> Bool = { false }
    lab.store.workWhileWaiting.answer { prepare = $0 }
    var readAtCommits: [Int] = []
    lab.store.commit.answer { [unowned lab] write in
      while prepare() {}
      readAtCommits.append(read.withLock { $0 })
      lab.note(.commit(write))
    }
    try lab.settleIn()
    let request = Event.Action.matchRequested(.init(opponent: .nobody, turnLimitSeconds: nil))
    for (number, count) in [1, 2, 3, 1].enumerated() {
      lab.deliver(TestPlayer.bob.event(request, UInt128(number + 1)), by: .bob, count: count)
    }
    for _ in 0..<3 { try lab.step() }
    #expect(readAtCommits == [2, 3, 4])
    #expect(lab.writes.map(\.replies.count) == [2, 1, 1])
  }

  @Test("The readable part of a malformed event's id is in its refusal")
  func idOfMalformed() throws {
    let lab = WorkerLab(.lookUp, .abandon, .acknowledge, .publish, .heartbeats)
    try lab.settleIn()
    let id = EventID(at: .noon, random: 3)
    let payload = Array(#"{"v":1,"id":"\#(id)","type":"turnUnplayed"}"#.utf8)
    let body = Envelope.encode(TestPlayer.ann.signer.signed(payload, as: .event))
    lab.arriving = [lab.delivery(body, queue: 0, id: "x")]
    try lab.step()
    guard case .reply(_, _, let reply)? = lab.published.first else {
      return #expect(Bool(false), "no reply")
    }
    #expect(try ReplyCodec.decode(reply).event == id)
  }

  // Failure: Refusal.badSignature: ° The signature does not belong to the key, or the key or
  //   signature is not in canonical form. The same of the proof of a recovery's new key.
  // Failure: Refusal.wrongService: ° The event was signed for another deployment.
  @Test(
    "A forged signature, another service, another slot and the service's voice are refused by name")
  func impostors() throws {
    let lab = WorkerLab(.lookUp, .abandon, .acknowledge, .publish, .heartbeats)
    lab.know(given.match)
    try lab.settleIn()
    let event = TestPlayer.ann.event(given.turn())
    let queue = lab.queue(of: event)
    var forged = TestPlayer.ann.body(event)
    forged[40] ^= 1
    var foreign = event
    foreign.service = ServiceID(rawValue: 1)
    let tick = TestPlayer.ann.event(.ticked(queue: queue, time: .noon))
    let byBob = Envelope.encode(
      TestPlayer.bob.signer.signed(PayloadCodec.encode(event), as: .event))
    var impostor = Event(
      service: .test, id: event.id, player: ServiceIdentity.test.player,
      action: .ticked(queue: queue, time: .noon))
    impostor.service = .test
    let byStrangerKey = Envelope.encode(
      TestPlayer.bob.signer.signed(PayloadCodec.encode(impostor), as: .service))
    lab.arriving = [
      lab.delivery(forged, queue: queue, id: "forged"),
      lab.delivery(TestPlayer.ann.body(foreign), queue: queue, id: "foreign"),
      lab.delivery(TestPlayer.ann.body(event), queue: (queue + 1) % 16, id: "slot"),
      lab.delivery(TestPlayer.ann.body(tick), queue: queue, id: "voice"),
      lab.delivery(byBob, queue: queue, id: "someone else's"),
      lab.delivery(byStrangerKey, queue: queue, id: "no working key"),
    ]
    try lab.step()
    expectNoDifference(
      lab.replies,
      [
        "forged": .refused(.badSignature), "foreign": .refused(.wrongService(.test)),
        "slot": .refused(.wrongSlot(expected: Slot(of: given.match.id).number)),
        "voice": .refused(.notPermitted), "someone else's": .refused(.notPermitted),
        "no working key": .refused(.badSignature),
      ])
    #expect(lab.writes.isEmpty)
  }

  /// The calls of a worker that can fail, in the order of a step that resolves a claim.
  enum FailingCall: String, CaseIterable {
    case standing, heartbeat, layout, queueClocks, consume, receive, confirmed, lookUp, resolve,
      commit, acknowledge, publish

    var isStore: Bool {
      [.standing, .heartbeat, .layout, .queueClocks, .lookUp, .resolve, .commit].contains(self)
    }
  }

  // Failure: WorkerStore.lookUp: The worker acknowledges nothing and waits.
  // Failure: WorkerStore.resolve: The worker acknowledges nothing. The locks are released.
  // Failure: WorkerStore.commit: The worker acknowledges nothing. If the commit took place after
  //   all, the redelivery gets the stored replies.
  // Failure: WorkerStore.standing: The worker takes no share of the queues and waits.
  // Failure: WorkerStore.heartbeat: A worker without queues starts over. A worker with queues
  //   waits.
  // Failure: WorkerStore.queueClocks, WorkerStore.layout: The worker stops before it receives.
  // Failure: WorkerBus.consume, WorkerBus.receive: The worker starts over.
  // Failure: WorkerBus.acknowledge: The events are committed. The redelivery gets the stored
  //   replies.
  // Failure: WorkerBus.publish: The events are committed. A resend gets the reply, and the relay
  //   has the push jobs.
  // Failure: WorkerBus.confirmed: The outbox rows stay. The relay publishes again.
  @Test(
    "No failing call acknowledges uncommitted events or lets a reply out before the commit",
    arguments: FailingCall.allCases)
  func failingCall(call: FailingCall) throws {
    let lab = WorkerLab(
      .lookUp, .resolve, .commit, .abandon, .acknowledge, .publish, .heartbeats)
    let gone = StoreError.unavailable("gone")
    let cut = BusError.disconnected("gone")
    switch call {
    case .standing: lab.store.standing.fail(with: gone)
    case .heartbeat: lab.store.heartbeat.fail(with: gone)
    case .layout: lab.store.layout.fail(with: gone)
    case .queueClocks: lab.store.queueClocks.fail(with: gone)
    case .consume: lab.bus.consume.fail(with: cut)
    case .receive: lab.bus.receive.fail(with: cut)
    case .confirmed: lab.bus.confirmed.fail(with: cut)
    case .lookUp: lab.store.lookUp.fail(with: gone)
    case .resolve: lab.store.resolve.fail(with: gone)
    case .commit: lab.store.commit.fail(with: gone)
    case .acknowledge: lab.bus.acknowledge.fail(with: cut)
    case .publish: lab.bus.publish.fail(with: cut)
    }
    let request = MatchRequest(opponent: .random, turnLimitSeconds: 86_400)
    lab.deliver(TestPlayer.ann.event(.matchRequested(request)), by: .ann)
    // A worker without a queue is started anew; one with events in hand keeps them and waits.
    let holds = [.lookUp, .resolve, .commit].contains(call)
    if holds {
      try lab.step()
      #expect(lab.logs.entries.contains { $0.message == "worker waits for the store" })
    } else {
      #expect(throws: call.isStore ? Interruption.store(gone) : .bus(cut)) { try lab.step() }
    }
    let whole = ["consume 16", "lookUp", "resolve", "commit", "acknowledge 1", "publish"]
    let failing = whole.firstIndex { $0.hasPrefix(call.rawValue) }
    // Without a place of its own a call comes before the first one, or after the second.
    let done = failing ?? (call.isStore ? 0 : 1)
    let isUndone = !call.isStore || failing == nil
    expectNoDifference(lab.names, whole[..<done] + (isUndone ? [] : ["abandon"]))
  }
}
