import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import Testing

@testable import MatchSimulation

@Suite("Checking refusals")
struct RefusalCheckTests {
  /// A world after a run in which nothing went wrong.
  let world: World
  /// A match that is over.
  let over: Match

  init() throws {
    world = try .undisturbed()
    let matches = world.store.matches.values.sorted { $0.id < $1.id }
    over = try #require(matches.first { $0.outcome?.wasPlayed == true })
  }

  /// The findings where a player gives up in the match that is over, and is refused.
  ///
  /// - Parameters:
  ///   - datedAhead: How far the player's clock is ahead, in seconds.
  ///   - judgedAfter: The seconds between the making of the event and its judging.
  private func violations(
    datedAhead: Int64 = 0, judgedAfter: Int64 = 1, _ refusal: Refusal
  ) throws -> [String] {
    let sender = try #require(world.players.first { over.players.contains($0.id) })
    let id = EventID(at: world.clock.now.adding(seconds: datedAhead), random: 1)
    let event = Event(
      service: world.identity.service, id: id, player: sender.id,
      action: .matchForfeited(over.id))
    let signed = try #require(sender.signer).sign(event)
    let pending = try #require(PendingEvent(event: event, envelope: Envelope.encode(signed)))
    world.senders.add(pending, wish: nil, at: world.clock.now)
    world.clock.advance(microseconds: judgedAfter * 1_000_000)
    var write = BatchWrite(now: world.clock.now)
    write.replies = [
      BatchWrite.Reply(
        key: EventKey(player: sender.id, event: id),
        reply: StoredReply(
          payloadHash: Hash(sha256Of: signed.payload),
          reply: ReplyCodec.encode(.refused(refusal), event: id)))
    ]
    world.store.apply(write)
    return RefusalCheck(world).violations()
  }

  @Test("A refusal that the state of things calls for holds")
  func right() throws {
    #expect(try violations(.matchOver(#require(over.outcome))).isEmpty)
  }

  @Test("A refusal that no state of things calls for is found")
  func wrong() throws {
    #expect(try violations(.notYourTurn(whose: nil)).count == 1)
  }

  @Test("An event dated ahead is judged by the time of its answer")
  func datedAhead() throws {
    let refusal = Refusal.matchOver(try #require(over.outcome))
    #expect(try violations(datedAhead: 600, judgedAfter: 400, refusal).isEmpty)
    // This refusal should have been about the clock.
    #expect(try violations(datedAhead: 600, judgedAfter: 100, refusal).count == 1)
  }
}
