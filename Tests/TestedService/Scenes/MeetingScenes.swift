import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import Testing

extension Scenes {
  /// A block keeps two players apart in every way, and is told to nobody.
  package static func block(on service: some TestedService) throws {
    let (ann, bob) = try service.pair()
    let running = try service.begin(ann, bob)
    try ann.must(.playerBlocked(bob.id))
    #expect(
      try ann.act(.playerBlocked(bob.id)).refusal == nil, "said again, it is as true as before")

    // Not by invitation, not by code, not by a random match.
    func request(_ opponent: MatchRequest.Opponent) -> Event.Action {
      .matchRequested(MatchRequest(opponent: opponent, turnLimitSeconds: 61))
    }
    #expect(try bob.act(request(.player(ann.id))).refusal == .playerUnavailable(ann.id))
    #expect(try ann.act(request(.player(bob.id))).refusal == .blockedByYou(bob.id))
    let open = try #require(try ann.act(request(.open)).ticket)
    #expect(
      try bob.act(.invitationAccepted(open.match, code: open.code)).refusal
        == .playerUnavailable(ann.id))
    let waiting = try #require(try ann.act(request(.random)).ticket)
    let own = try #require(try bob.act(request(.random)).ticket)
    #expect(waiting.match != own.match)
    // A third player meets the one who waited longest.
    let cyd = try service.player("Cyd")
    #expect(try cyd.act(request(.random)).ticket?.match == waiting.match)

    // The running match goes on, and has no rematch.
    try ann.must(.turnPlayed(running, service.turn(service.match(running))))
    try bob.must(.matchForfeited(running))
    #expect(try bob.act(.rematchRequested(running)).refusal == .playerUnavailable(ann.id))

    try ann.must(.playerUnblocked(bob.id))
    #expect(try bob.act(request(.player(ann.id))).ticket != nil)
    try service.expectNothingWrong()
  }

  /// Whom a player has blocked is shown to that player alone.
  package static func blockList(on service: some TestedService) throws {
    let (ann, bob) = (try service.client("Ann"), try service.client("Bob"))
    try ann.block(bob.player)
    #expect(try ann.blocks().players.map(\.name) == [bob.profile.name])
    #expect(try bob.blocks().players == [])
    try ann.unblock(bob.player)
    #expect(try ann.blocks().players == [])
  }
}
