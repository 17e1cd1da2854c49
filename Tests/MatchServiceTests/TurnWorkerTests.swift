import CustomDump
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

@Suite("The turn worker")
struct TurnWorkerTests {
  let given = Given.playing

  @Test("An accepted turn is looked up, committed, acknowledged and only then answered")
  func acceptedTurn() throws {
    let lab = WorkerLab(.lookUp, .commit, .acknowledge, .publish, .heartbeats)
    lab.know(given.match)
    try lab.settleIn()
    let event = TestPlayer.ann.event(given.turn())
    lab.deliver(event, by: .ann)
    try lab.step()
    #expect(lab.names == ["lookUp", "commit", "acknowledge 1", "publish"])

    var lookup = Lookup()
    lookup.events = [EventKey(player: TestPlayer.ann.id, event: event.id)]
    lookup.keys = [TestPlayer.ann.key]
    lookup.matches = [given.match.id]
    expectNoDifference(lab.lookups, [lookup])

    let write = try #require(lab.writes.first)
    let change = try #require(write.changes.first)
    #expect(write.changes.count == 1)
    #expect(change.before == given.match)
    #expect(change.after.version == given.match.version + 1)
    #expect(change.after.turnNumber == 2)
    #expect(change.entries.map(\.signed.payload) == [PayloadCodec.encode(event)])
    #expect(write.unchanged == [:])
    let job = PushJob(
      .yourTurn, to: TestPlayer.bob.id, match: given.match.id, turn: 2, causedBy: event)
    expectNoDifference(write.outbox, [job])
    let reply = try #require(write.replies.first)
    #expect(write.replies.count == 1)
    #expect(reply.key == EventKey(player: TestPlayer.ann.id, event: event.id))
    #expect(reply.reply.payloadHash == Hash(sha256Of: PayloadCodec.encode(event)))

    let notice = OutcomeNotice(
      .init(source: NoticeSource(rawValue: WorkerLab.id.rawValue), number: 1),
      changes: [
        .init(
          match: given.match.id, version: change.after.version, players: given.match.occupants)
      ])
    expectNoDifference(
      lab.published,
      [
        .reply(to: "amq.rabbitmq.reply-to.Ann", correlationID: "Ann", body: reply.reply.reply),
        .outcome(routingKey: "matches", body: notice.encoded),
        .push(job),
      ])
  }

  @Test(
    "A request is refused if another match has its match id, also one of other players")
  func takenID() throws {
    let lab = WorkerLab(.lookUp, .abandon, .acknowledge, .publish, .heartbeats)
    let request = MatchRequest(opponent: .nobody, turnLimitSeconds: nil)
    let event = TestPlayer.cyd.event(.matchRequested(request))
    let id = MatchID(askedBy: TestPlayer.cyd.id, event: event.id)
    // Nobody can make such an event in a test: 80 bits of a hash would have to be found.
    lab.known.matches[id] = given.match
    try lab.settleIn()
    lab.deliver(event, by: .cyd)
    try lab.step()
    #expect(lab.lookups.map(\.matches) == [[id]])
    guard case .refused(.malformed(let why))? = lab.replies["Cyd"] else {
      Issue.record("not refused")
      return
    }
    #expect(why.hasSuffix("ask with a new event"))
    #expect(lab.writes == [])
  }

  @Test("A refused turn changes nothing, but its reply is stored and its match guarded")
  func refusedTurn() throws {
    let lab = WorkerLab(.lookUp, .commit, .acknowledge, .publish, .heartbeats)
    lab.know(given.match)
    try lab.settleIn()
    lab.deliver(TestPlayer.bob.event(given.turn()), by: .bob)
    try lab.step()
    let write = try #require(lab.writes.first)
    #expect(write.changes.isEmpty)
    #expect(write.outbox.isEmpty)
    #expect(write.unchanged == [given.match.id: given.match.version])
    #expect(write.replies.count == 1)
    #expect(lab.replies == ["Bob": .refused(.notYourTurn(whose: TestPlayer.ann.id))])
  }

  @Test("An answer that is never stored is sent and acknowledged without a write")
  func notStored() throws {
    let lab = WorkerLab(.lookUp, .abandon, .acknowledge, .publish, .heartbeats)
    lab.known.keys = [:]
    try lab.settleIn()
    lab.deliver(TestPlayer.ann.event(given.turn()), by: .ann)
    try lab.step()
    #expect(lab.names == ["lookUp", "abandon", "acknowledge 1", "publish"])
    #expect(lab.replies == ["Ann": .refused(.notRegistered)])
  }

  @Test("The same event twice in a batch is judged once and answered twice, byte for byte")
  func duplicateInBatch() throws {
    let lab = WorkerLab(.lookUp, .commit, .acknowledge, .publish, .heartbeats)
    lab.know(given.match)
    try lab.settleIn()
    let event = TestPlayer.ann.event(given.turn())
    lab.deliver(event, by: .ann)
    lab.deliver(event, by: .ann)
    try lab.step()
    let write = try #require(lab.writes.first)
    #expect(write.changes.first?.entries.count == 1)
    #expect(write.replies.count == 1)
    #expect(write.outbox.count == 1)
    #expect(lab.names.suffix(2) == ["acknowledge 2", "publish"])
    let replies = lab.published.filter { if case .reply = $0 { true } else { false } }
    #expect(replies.count == 2)
    #expect(replies.first == replies.last)
  }

  @Test("An event that was handled before gets the stored reply and has no effect")
  func duplicateAcrossBatches() throws {
    let lab = WorkerLab(.lookUp, .abandon, .acknowledge, .publish, .heartbeats)
    lab.know(given.match)
    let event = TestPlayer.ann.event(given.turn())
    let stored = StoredReply(
      payloadHash: Hash(sha256Of: PayloadCodec.encode(event)), reply: Array("as it was".utf8))
    lab.known.replies = [EventKey(player: TestPlayer.ann.id, event: event.id): stored]
    try lab.settleIn()
    lab.deliver(event, by: .ann)
    try lab.step()
    expectNoDifference(
      lab.published,
      [
        .reply(
          to: "amq.rabbitmq.reply-to.Ann", correlationID: "Ann", body: Array("as it was".utf8))
      ])
  }

  // Failure: Refusal.idempotencyMismatch: ° An earlier event with this id had another payload. The
  //   earlier event counts.
  @Test("The same event id with another payload is refused and not stored")
  func idempotencyMismatch() throws {
    let lab = WorkerLab(.lookUp, .abandon, .acknowledge, .publish, .heartbeats)
    lab.know(given.match)
    let event = TestPlayer.ann.event(given.turn())
    lab.known.replies = [
      EventKey(player: TestPlayer.ann.id, event: event.id): StoredReply(
        payloadHash: .zero, reply: [])
    ]
    try lab.settleIn()
    lab.deliver(event, by: .ann)
    try lab.step()
    #expect(lab.replies == ["Ann": .refused(.idempotencyMismatch)])
  }

  @Test("A player that registers in a batch may claim something later in it, with its lock")
  func newcomersClaim() {
    let (name, request) = (
      TestPlayer.ann.name, MatchRequest(opponent: .random, turnLimitSeconds: 60)
    )
    let events = [
      TestPlayer.ann.event(.playerRegistered(name: name, code: nil), 1),
      TestPlayer.ann.event(.matchRequested(request), 2),
      TestPlayer.bob.event(.matchRequested(request), 3),
    ]
    let layout = required(QueueLayout(queueCount: 1))
    let intakes = zip(events, [TestPlayer.ann, .ann, .bob]).map { event, player in
      DecodedDelivery(
        EventDelivery(queue: 0, tag: 1, body: player.body(event)), identity: .test,
        layout: layout, verifier: .noop)
    }
    func claims(_ limits: PlayerLimits) -> [Claim] {
      let batch = Batch(
        intakes,
        environment: Batch.Environment(
          identity: .test, layout: layout, lexicons: .test, limits: limits),
        known: LookupResult(now: .noon), clocks: [:])
      return batch.claims(of: batch.candidates)
    }
    expectNoDifference(
      claims(.none),
      [
        .name(name, TestPlayer.ann.id, code: nil), .seat(request.terms, for: TestPlayer.ann.id),
      ])
    #expect(claims(.standard).last == .load(TestPlayer.ann.id), "and is counted, if need be")
  }

  @Test("A registration in a batch, under whatever id, takes no lock of another player")
  func othersLocks() {
    let request = MatchRequest(opponent: .random, turnLimitSeconds: 60)
    let layout = required(QueueLayout(queueCount: 1))
    // Bob registers, under his own id and under Ann's, and claims something for Ann.
    for registrant in [TestPlayer.bob, .ann] {
      let name = TestPlayer.bob.name
      let events = [
        registrant.event(.playerRegistered(name: name, code: nil), 1),
        TestPlayer.ann.event(.matchRequested(request), 2),
        TestPlayer.ann.event(.recoveryKeyNamed(TestPlayer.bob.key), 3),
      ]
      let batch = Batch(
        events.map { event in
          DecodedDelivery(
            EventDelivery(queue: 0, tag: 1, body: TestPlayer.bob.body(event)), identity: .test,
            layout: layout, verifier: .noop)
        },
        environment: Batch.Environment(identity: .test, layout: layout, lexicons: .test),
        known: LookupResult(now: .noon), clocks: [:])
      let isOwn = registrant.id == TestPlayer.bob.id
      expectNoDifference(
        batch.claims(of: batch.candidates),
        isOwn ? [.name(name, TestPlayer.bob.id, code: nil)] : [])
    }
  }

  @Test("A stranger's opponent is not looked up, nor one for an event that comes again")
  func strangersMeet() throws {
    let lab = WorkerLab(.lookUp, .abandon, .acknowledge, .publish, .heartbeats)
    lab.known.keys[TestPlayer.bob.key] = nil
    let request = MatchRequest(opponent: .player(TestPlayer.cyd.id), turnLimitSeconds: 60)
    let again = TestPlayer.ann.event(.matchRequested(request))
    lab.known.replies[EventKey(player: again.player, event: again.id)] =
      StoredReply(payloadHash: .zero, reply: [])
    try lab.settleIn()
    lab.deliver(again, by: .ann)
    for number: UInt128 in 1...20 {
      lab.deliver(TestPlayer.bob.event(.matchRequested(request), number), by: .bob)
    }
    try lab.step()
    #expect(lab.lookups.count == 1)
    #expect(lab.lookups.allSatisfy { $0.meeting.isEmpty })
    #expect(lab.replies["Bob"] == .refused(.notRegistered))
  }

  @Test("Two turns of one match in a batch are one change with both entries")
  func twoTurns() throws {
    let lab = WorkerLab(.lookUp, .commit, .acknowledge, .publish, .heartbeats)
    lab.know(given.match)
    try lab.settleIn()
    let first = TestPlayer.ann.event(given.turn())
    var after = given
    after.take(first, by: .ann)
    lab.deliver(first, by: .ann)
    lab.deliver(TestPlayer.bob.event(after.turn(after.removals)), by: .bob)
    try lab.step()
    let change = try #require(lab.writes.first?.changes.first)
    #expect(lab.writes.first?.changes.count == 1)
    #expect(change.before == given.match)
    #expect(change.after.turnNumber == 3)
    #expect(change.entries.count == 2)
    #expect(change.after.version > given.match.version)
  }

  @Test("A match, a key and a player that were seen are not looked up again")
  func caching() throws {
    let lab = WorkerLab(.lookUp, .commit, .acknowledge, .publish, .heartbeats)
    lab.know(given.match)
    try lab.settleIn()
    lab.deliver(TestPlayer.ann.event(given.turn()), by: .ann)
    try lab.step()
    let after = try #require(lab.writes.first?.changes.first?.after)
    lab.forget()
    lab.known.matches = [:]
    lab.deliver(TestPlayer.ann.event(.matchForfeited(after.id), 2), by: .ann)
    try lab.step()
    #expect(lab.lookups.first?.matches == [])
    #expect(lab.lookups.first?.keys == [])
    #expect(lab.writes.first?.changes.first?.before == after)
  }

  @Test("Even the smallest cache keeps a match from its look-up until it is judged")
  func tinyCache() throws {
    let lab = WorkerLab(.lookUp, .commit, .acknowledge, .publish, .heartbeats)
    lab.settings.cacheGenerationLimit = 1
    let solo = Given(.nobody, by: .ann)
    let other = Given(.nobody, by: .bob)
    lab.know(solo.match)
    lab.know(other.match)
    try lab.settleIn()
    for number in 1...2 as ClosedRange<UInt128> {
      lab.deliver(
        TestPlayer.ann.event(.requestWithdrawn(solo.match.id), number), by: .ann)
      lab.deliver(
        TestPlayer.bob.event(.requestWithdrawn(other.match.id), number), by: .bob)
      try lab.step()
      lab.known.matches = [:]
      for id in lab.lookups.last?.matches ?? [] {
        lab.known.matches[id] = id == solo.match.id ? solo.match : other.match
      }
    }
    #expect(
      lab.replies == ["Ann": .refused(.nothingToWithdraw), "Bob": .refused(.nothingToWithdraw)])
  }

  @Test("A tick advances its queue's clock, which is stored, and is answered to nobody")
  func tick() throws {
    let lab = WorkerLab(.lookUp, .commit, .acknowledge, .heartbeats)
    try lab.settleIn()
    let time = Instant.noon.adding(seconds: 1)
    lab.arriving = [
      lab.delivery(ServiceIdentity.test.body(.ticked(queue: 3, time: .noon)), queue: 3),
      lab.delivery(ServiceIdentity.test.body(.ticked(queue: 3, time: time)), queue: 3),
    ]
    try lab.step()
    #expect(lab.writes.first?.clocks == [3: ClockChange(after: QueueClock(time: time))])
    #expect(lab.names == ["lookUp", "commit", "acknowledge 2"])
  }

  @Test("A deadline that has passed in its queue ends the match; nobody waits for a reply")
  func deadline() throws {
    let lab = WorkerLab(.lookUp, .commit, .acknowledge, .publish, .heartbeats)
    lab.know(given.match)
    let deadline = try #require(given.match.deadline).at
    let queue = lab.layout.queue(of: Slot(of: given.match.id))
    lab.store.queueClocks.answer { [queue: QueueClock(time: deadline.adding(seconds: -1))] }
    try lab.settleIn()
    lab.arriving = [
      lab.delivery(
        ServiceIdentity.test.body(
          .deadlinePassed(given.match.id, turn: 1, deadline: deadline)), queue: queue),
      lab.delivery(ServiceIdentity.test.body(.ticked(queue: queue, time: deadline)), queue: queue),
    ]
    try lab.step()
    #expect(lab.writes.first?.changes == [], "the queue's time has not reached it")
    lab.arriving = [
      lab.delivery(
        ServiceIdentity.test.body(
          .deadlinePassed(given.match.id, turn: 1, deadline: deadline)), queue: queue)
    ]
    try lab.step()
    #expect(lab.writes.last?.changes.first?.after.outcome?.reason == .aborted)
    #expect(lab.replies == [:])
  }

  @Test("Claims are resolved under their locks, and their matches are read before judging")
  func claims() throws {
    let lab = WorkerLab(.lookUp, .commit, .acknowledge, .publish, .heartbeats)
    let waiting = Given()
    lab.store.resolve.answer { [unowned lab] claims in
      lab.note(.resolve(claims))
      lab.know(waiting.match)
      let seeker = Pairing.Seeker(player: TestPlayer.ann.id, rating: 1_550, since: .noon)
      return [
        .waiting(
          .init(rating: 1_500, waiting: [.init(match: waiting.match.id, seeker: seeker)]))
      ]
    }
    try lab.settleIn()
    let event = TestPlayer.bob.event(
      .matchRequested(.init(opponent: .random, turnLimitSeconds: 86_400)))
    lab.deliver(event, by: .bob)
    try lab.step()
    #expect(
      lab.names == ["lookUp", "resolve", "lookUp", "commit", "acknowledge 1", "publish"])
    #expect(lab.lookups.last?.matches == [waiting.match.id])
    #expect(
      lab.writes.first?.changes.first?.after.players == [TestPlayer.ann.id, TestPlayer.bob.id])
  }

  @Test("A registration is written with its key, and the key may play in the same batch")
  func registration() throws {
    let lab = WorkerLab(.lookUp, .resolve, .commit, .acknowledge, .publish, .heartbeats)
    lab.known.keys = [:]
    try lab.settleIn()
    lab.deliver(
      TestPlayer.ann.event(.playerRegistered(name: TestPlayer.ann.name, code: nil), 1), by: .ann)
    lab.deliver(
      TestPlayer.ann.event(.matchRequested(.init(opponent: .nobody, turnLimitSeconds: nil)), 2),
      by: .ann)
    try lab.step()
    let write = try #require(lab.writes.first)
    expectNoDifference(
      write.registrations,
      [
        Registration(
          player: TestPlayer.ann.id, name: TestPlayer.ann.name, key: TestPlayer.ann.key, at: .noon)
      ])
    #expect(write.changes.count == 1)
  }
}
