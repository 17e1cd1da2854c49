import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import TestedService
import Testing

@testable import MatchSimulation

@Suite("A match that its joiner leaves, at a whole service")
struct SeatLeftTests {
  private static let request = MatchRequest(opponent: .random, turnLimitSeconds: 3_600)
  private static let asks = Event.Action.matchRequested(request)

  @Test("Thirty-two joiners in a row who give up take nothing from the player who waits")
  func inARow() throws {
    let service = try InProcessService()
    let ann = try service.client("Ann")
    let match = try ann.startMatch(Self.request).ticket.match
    let dealt = try ann.match(match)
    var cubes: Set<String> = [dealt.letters]
    for number in 0..<32 {
      let joiner = try service.client("Bob\(number)")
      #expect(try joiner.startMatch(Self.request).ticket.match == match)
      #expect(try joiner.forfeit(match).outcome.reason == .aborted)
      #expect(try joiner.home().matches.isEmpty)
      #expect(throws: ClientError.self) { try joiner.match(match) }
      let view = try ann.match(match)
      #expect(view.stage == .waiting && view.startedAt == dealt.startedAt)
      cubes.insert(view.letters)
    }
    #expect(cubes.count == 33, "nobody comes back knowing the cube")
    let cyd = try service.client("Cyd")
    #expect(try cyd.startMatch(Self.request).ticket.match == match)
    let turn = try service.turn(service.match(match))
    _ = try ann.play(turn.moves, in: ann.match(match))
    _ = try cyd.forfeit(match)
    #expect(try service.match(match).outcome?.reason == .forfeited)
    let record = try ann.record(of: match)
    #expect(record.contains(#""formatVersion":4"#))
    #expect(try service.isVerified(record))
    #expect(try service.violations() == [])
  }

  @Test(
    "Who leaves has to pause, is not brought back by the steward, and others hear of it at once")
  func pause() throws {
    var options = InProcessService.Options()
    options.roles = [.reader, .relay, .push, .scheduler]
    let service = try InProcessService(options)
    let (ann, bob) = try service.pair()
    let match = try #require(try ann.act(Self.asks).ticket).match
    #expect(try bob.act(Self.asks).ticket?.match == match)
    try bob.must(.matchForfeited(match))
    guard
      case .rateLimited(.seatsLeft, let seconds?)? = try bob.act(Self.asks).refusal
    else {
      Issue.record("no pause")
      return
    }
    #expect((1...60).contains(seconds))
    // Another worker knows it as well.
    try service.start(.worker)
    service.pass(.seconds(2))
    #expect(try bob.act(Self.asks).refusal != nil)
    service.pass(.seconds(61), step: 1_000_000)
    let own = try #require(try bob.act(Self.asks).ticket).match
    #expect(own != match)
    service.pass(.seconds(70), step: 1_000_000)
    #expect(try service.match(own).players == [bob.id])
    #expect(try service.match(match).players == [ann.id])
    #expect(try service.match(match).stage == .waiting)
    #expect(try service.violations() == [])
  }

  @Test("The seat of a joiner whose account ends is free again")
  func accountEnds() throws {
    var options = InProcessService.Options()
    options.roles = [.reader, .relay, .push, .scheduler]
    let service = try InProcessService(options)
    let (ann, bob) = try service.pair()
    let cyd = try service.player("Cyd")
    let match = try #require(try ann.act(Self.asks).ticket).match
    try bob.must(Self.asks)
    #expect(try service.store.removePlayer(bob.id))
    service.pass(.seconds(5))
    #expect(try service.match(match).stage == .waiting)
    #expect(try cyd.act(Self.asks).ticket?.match == match)
    #expect(try service.violations() == [])
  }
}
