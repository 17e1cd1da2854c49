import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import Testing

@testable import Chaos

@Suite("Senders' and push workers' knowledge against the store's")
struct ComparisonTests {
  private let key = PlayerKey.make(using: .seeded(1))
  private let match = MatchID(rawValue: 5)

  private func turn(_ number: Int) -> Event {
    Event(
      service: ServiceID(rawValue: 9),
      id: EventID(at: Instant(microseconds: Int64(number) * 1_000_000), random: UInt128(number)),
      player: key.player,
      action: .turnPlayed(
        match, Turn(number: number, previous: Hash(sha256Of: []), moves: [])))
  }

  private func accepted(_ event: Event, version: Int64 = 1) -> [UInt8] {
    ReplyCodec.encode(
      .accepted(
        .turnAccepted(
          TurnReceipt(
            match: match, version: version, turn: 1, scores: [], points: [0],
            hash: Hash(sha256Of: []), seatToPlay: 0, outcome: nil))), event: event.id)
  }

  private func message(_ event: Event) throws -> PlayerMessage {
    let slot = try #require(Slot(of: event))
    return PlayerMessage(
      destination: .events(slot), body: Envelope.encode(try key.signer.sign(event)))
  }

  /// Sends an event over a bus that answers like this.
  private func send(_ event: Event, _ log: SenderLog, _ answers: PlayerAnswer...) throws {
    for answer in answers {
      let bus = log.listening(
        to: .noop.with { $0.request.answer { _, _ in answer } })
      #expect(try bus.request(message(event), .seconds(1)) == answer)
    }
  }

  /// A store that holds these replies and a record of these turns.
  private func store(
    replies: [(Event, [UInt8])], turns: [Event], jobs: [StoredJob] = []
  ) throws -> CheckStore {
    let record = try turns.enumerated().map { index, event in
      Entry(
        position: index, acceptedAt: Instant(microseconds: 0), signed: try key.signer.sign(event),
        hash: Hash(sha256Of: []))
    }
    let rows = replies.map { event, reply in
      BatchWrite.Reply(
        key: EventKey(player: event.player, event: event.id),
        reply: StoredReply(payloadHash: Hash(sha256Of: []), reply: reply))
    }
    let stored = StoredMatch(
      version: 1, state: nil, record: record, turn: nil, deadline: nil, listing: StoredListing(),
      jobs: [])
    var store = CheckStore.failing
    store.matches.answer { [match] after, _ in after == nil ? [match] : [] }
    store.stored.answer { [match] _ in [match: stored] }
    store.handled.answer { after, _ in after == nil ? rows : [] }
    store.jobs.answer { after, _ in after == nil ? jobs : [] }
    return store
  }

  private func kinds(_ log: SenderLog, _ store: CheckStore) throws -> [Finding.Kind] {
    try log.findings(in: store).map(\.kind)
  }

  @Test("Every event answered once, stored and recorded: nothing is found")
  func good() throws {
    let log = SenderLog()
    let (one, two) = (turn(1), turn(2))
    // Resent after the connection broke, and answered by the same bytes twice.
    try send(one, log, .unknown, .confirmed, .reply(accepted(one)), .reply(accepted(one)))
    try send(two, log, .reply(accepted(two)))
    let store = try store(
      replies: [(one, accepted(one)), (two, accepted(two))], turns: [one, two])
    #expect(try log.findings(in: store) == [])
    #expect(log.eventCount == 2 && log.requestCount == 5)
  }

  @Test("A confirmed event that nobody answers, and an answer that the store has lost, are lost")
  func lost() throws {
    let log = SenderLog()
    try send(turn(1), log, .confirmed)
    #expect(try kinds(log, store(replies: [], turns: [])) == [.lost])
    let answered = SenderLog()
    try send(turn(1), answered, .reply(accepted(turn(1))))
    #expect(try kinds(answered, store(replies: [], turns: [turn(1)])) == [.lost])
  }

  @Test("An accepted turn that is in no record is lost, one that stands there twice is doubled")
  func turns() throws {
    let log = SenderLog()
    try send(turn(1), log, .reply(accepted(turn(1))))
    let replies = [(turn(1), accepted(turn(1)))]
    #expect(try kinds(log, store(replies: replies, turns: [])) == [.lost])
    #expect(try kinds(log, store(replies: replies, turns: [turn(1), turn(1)])) == [.doubled])
    #expect(try kinds(log, store(replies: replies, turns: [turn(1), turn(2)])) == [.doubled])
  }

  @Test("Two different answers are doubled, and so is an answer to an event that nobody sent")
  func doubled() throws {
    let log = SenderLog()
    let (first, second) = (accepted(turn(1)), accepted(turn(1), version: 2))
    try send(turn(1), log, .reply(first), .reply(second))
    #expect(try kinds(log, store(replies: [(turn(1), first)], turns: [turn(1)])) == [.doubled])
    let other = SenderLog()
    try send(turn(1), other, .reply(first))
    #expect(try kinds(other, store(replies: [(turn(1), second)], turns: [turn(1)])) == [.doubled])
    #expect(
      try kinds(
        other, store(replies: [(turn(1), first), (turn(2), second)], turns: [turn(1)]))
        == [.doubled])
  }

  @Test("A refusal that is never stored is an answer; unavailable is none")
  func refusals() throws {
    let log = SenderLog()
    let name = ReplyCodec.encode(.refused(.nameTaken("ann")), event: turn(1).id)
    try send(turn(1), log, .reply(name))
    #expect(try kinds(log, store(replies: [], turns: [])) == [])
    let unavailable = SenderLog()
    let busy = ReplyCodec.encode(.refused(.unavailable), event: turn(1).id)
    try send(turn(1), unavailable, .reply(busy))
    #expect(try kinds(unavailable, store(replies: [], turns: [])) == [.lost])
  }

  @Test("A message that certainly did not reach the broker counts as unsent")
  func unsent() throws {
    let log = SenderLog()
    let bus = log.listening(
      to: .noop.with {
        $0.request.fail(with: .refused("full"))
      })
    #expect(throws: BusError.self) { try bus.request(message(turn(1)), .seconds(1)) }
    #expect(log.eventCount == 0 && log.nackCount == 1)
    #expect(try kinds(log, store(replies: [], turns: [])) == [])
    // It may have arrived before: then it counts as sent.
    try send(turn(1), log, .unknown)
    #expect(throws: BusError.self) { try bus.request(message(turn(1)), .seconds(1)) }
    #expect(log.eventCount == 1)
  }

  @Test("A push job that was not handed over is lost, one that nothing owes is doubled")
  func pushes() throws {
    let job = PushJob(.yourTurn, to: key.player, match: match, causedBy: turn(1))
    func kinds(
      _ handedOver: [PushJobID: Int], isOwed: Bool = false, _ fate: PushStore.Fate?
    ) throws -> [Finding.Kind] {
      let row = StoredJob(job: job, isOwed: isOwed, fate: fate)
      return try Verification.pushFindings(
        of: handedOver, in: store(replies: [], turns: [], jobs: [row])
      ).map(\.kind)
    }
    #expect(try kinds([job.id: 1], .delivered) == [])
    // Delivery is at least once; the receiver knows the job by its id.
    #expect(try kinds([job.id: 2], .delivered) == [])
    // A worker handed it over and died before it could say so. The job was stale when it came
    // again.
    #expect(try kinds([job.id: 1], .dropped) == [])
    #expect(try kinds([:], .dropped) == [])
    #expect(try kinds([:], .delivered) == [.lost])
    #expect(try kinds([:], .failed) == [.lost])
    #expect(try kinds([:], isOwed: true, nil) == [.lost])
    #expect(
      try kinds([job.id: 1, PushJobID(rawValue: 3): 1], .delivered) == [.doubled])
  }
}
