import Chaos
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import Testing

@Suite("Sharing and looking back", .serialized)
struct SharingTests {
  @Test(
    "I share a game; a player with the code sees it and verifies its record, one without does not",
    .timeLimit(.minutes(15)))
  func share() async throws {
    try await ServiceLab.run { lab in
      let (ann, bob) = (try lab.client("Ann"), try lab.client("Bob"))
      let match = try ann.startMatch(MatchRequest(alone: .timed)).ticket.match
      let view = try ann.match(match)
      let bot = Bot(player: ann, lexicons: lab.lexicons, randomness: .seeded(7))
      let receipt = try ann.play(bot.decide(view), in: view)
      #expect(throws: ClientError.self) { try bot.player.record(of: match) }
      let code = try ann.share(match)
      #expect(throws: ClientError.self) { try bob.match(match) }
      let seen = try bob.match(code: code)
      #expect(seen.id == match && seen.turns.map(\.scores) == [receipt.scores])
      let wrong = try #require(ShareCode("0000000000000000"))
      #expect(throws: ClientError.self) { try bob.match(code: wrong) }
      #expect(throws: ClientError.self, "it is not over") { try bob.record(code: code) }
      _ = try ann.forfeit(match)
      #expect(try ann.share(match) == code)
      let verifier = RecordVerifier(lexicons: lab.lexicons, rootKey: lab.identity.rootKey)
      #expect(try verifier.report(on: Array(bob.record(code: code).utf8)).isVerified)
      #expect(try lab.violations() == [])
    }
  }

  @Test("I look for the games that I lost against one opponent", .timeLimit(.minutes(15)))
  func pastGames() async throws {
    try await ServiceLab.run { lab in
      let (ann, bob) = (try lab.client("Ann"), try lab.client("Bob"))
      let name = try #require(bob.profile.name)
      var lost: [MatchID] = []
      for round in 0..<3 {
        let match = try ann.startMatch(against: name, turnLimitSeconds: 3_600).ticket.match
        _ = try bob.accept(match)
        let loser = round == 1 ? bob : ann
        try ann.removeTwoCubes(in: match)
        _ = try loser.forfeit(match)
        if round != 1 { lost.insert(match, at: 0) }
        let alone = try ann.startMatch(MatchRequest(alone: .unlimited)).ticket.match
        _ = try ann.forfeit(alone)
      }
      let filter = PastGamesFilter(result: .lost)
      let first = try ann.pastGames(with: bob.player, filter: filter, limit: 1)
      let rest = try ann.pastGames(with: bob.player, filter: filter, before: first.next)
      #expect((first.games + rest.games).map(\.id) == lost && rest.next == nil)
      #expect(try ann.pastGames(filter: PastGamesFilter(kind: .solo)).games.count == 3)
      let future = WallClock.live.now().adding(seconds: 3_600)
      #expect(try ann.pastGames(filter: PastGamesFilter(from: future)).games == [])
    }
  }
}
