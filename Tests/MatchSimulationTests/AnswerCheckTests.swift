import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import Testing

@testable import MatchSimulation

@Suite("Checking how soon answers come")
struct AnswerCheckTests {
  let world: World

  init() throws { world = try .undisturbed() }

  /// The findings where an honest player's event is answered so many seconds after it arrived.
  private func violations(answeredAfter seconds: Int64, struckAt strike: Int64?) throws -> [String]
  {
    let sender = try #require(world.players.first)
    // Earlier trouble does not count.
    world.clock.advance(microseconds: 1_000_000_000)
    let id = EventID(at: world.clock.now, random: 7)
    let event = Event(
      service: world.identity.service, id: id, player: sender.id,
      action: .matchForfeited(MatchID(rawValue: 1)))
    let signed = try #require(sender.signer).sign(event)
    let pending = try #require(PendingEvent(event: event, envelope: Envelope.encode(signed)))
    world.senders.add(pending, wish: nil, at: world.clock.now)
    var message = SimulatedBroker.Message(body: pending.envelope)
    message.arrivedAt = world.clock.now
    world.broker.arrivals.note(message, in: 0)
    if let strike {
      world.clock.advance(microseconds: strike * 1_000_000)
      world.faults.count(.workerPause)
    }
    world.clock.advance(microseconds: (seconds - (strike ?? 0)) * 1_000_000)
    var write = BatchWrite(now: world.clock.now)
    write.replies = [
      BatchWrite.Reply(
        key: EventKey(player: sender.id, event: id),
        reply: StoredReply(
          payloadHash: Hash(sha256Of: signed.payload),
          reply: ReplyCodec.encode(.refused(.unknownMatch), event: id)))
    ]
    world.store.apply(write)
    return AnswerCheck(world).violations()
  }

  @Test("An answer within thirty seconds is soon enough")
  func soon() throws { #expect(try violations(answeredAfter: 30, struckAt: nil) == []) }

  @Test("A later one is found")
  func late() throws { #expect(try violations(answeredAfter: 31, struckAt: nil).count == 1) }

  @Test("A later one is in time if a fault that delays answers struck")
  func struck() throws { #expect(try violations(answeredAfter: 31, struckAt: 10) == []) }

  @Test("An event that was given up without having been delivered often is found")
  func buried() throws {
    let dead = DeadEvent(
      queue: 0, player: PlayerID(rawValue: 1), event: EventID(rawValue: 2),
      reason: "delivered 10 times without an answer", body: [1])
    var write = BatchWrite(now: world.clock.now)
    write.dead = [dead]
    world.store.apply(write)
    #expect(AnswerCheck(world).violations().count == 1)
    var message = SimulatedBroker.Message(body: [1])
    message.deliveries = 10
    world.broker.arrivals.deliver(message)
    #expect(AnswerCheck(world).violations() == [])
  }
}
