import CubeLexicon
import CubeRules
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import Testing

/// What players do and see, on any service: tests of the whole service in one process go through all
/// of it, and a walk on real servers through each area.
package enum Scenes {
  /// Two players against each other.
  package static func headToHead(on service: some TestedService) throws {
    let (ann, bob) = (try service.client("Ann"), try service.client("Bob"))
    let cyd = try service.client("Cyd")
    #expect(try ann.headToHead(with: bob.player).wordMatches == 0)

    // Ann wins, loses a casual match, wins it back twice; one does not count.
    let first = try play(try service.begin(ann, bob), ann, bob, service)
    _ = try bob.forfeit(first.id)
    let name = try #require(bob.profile.name)
    let casual = try ann.startMatch(against: name, turnLimitSeconds: 3_600, isCasual: true)
    _ = try bob.accept(casual.ticket.match)
    var views = [first, try play(casual.ticket.match, ann, bob, service)]
    _ = try ann.forfeit(casual.ticket.match)
    for isPlayed in [true, false, true] {
      let rematch = try rematch(of: try #require(views.last).id, ann, bob)
      views.append(isPlayed ? try play(rematch, ann, bob, service) : try ann.match(rematch))
      _ = try bob.forfeit(rematch)
    }
    let running = try rematch(of: try #require(views.last).id, ann, bob)

    let (own, other) = (
      try ann.headToHead(with: bob.player), try bob.headToHead(with: ann.player)
    )
    #expect(own.opponentName == name && own.opponent == bob.player)
    #expect(own.score == .init(won: 3, lost: 1) && own.notCounted == 1)
    #expect(other.score == .init(won: 1, lost: 3) && other.notCounted == 1)
    #expect(own.run == .init(result: .won, count: 2))
    #expect(other.run == .init(result: .lost, count: 2))
    #expect(own.wordMatches == 5 && own.hasOlder == nil)
    #expect(
      own.series
        == .init(score: .init(won: 2, lost: 1), startedAt: views[1].startedAt, running: running))
    for (player, best) in [(ann, own.bestWord), (bob, own.opponentBestWord)] {
      let turns = views.flatMap { view in
        view.turns.filter { view.seats[$0.seat].player == player.player }
          .flatMap { turn in
            zip(turn.words, turn.scores).map {
              HeadToHead.BestWord(word: $0, points: $1, match: view.id, turn: turn.number)
            }
          }
      }
      let best = try #require(best)
      #expect(turns.contains(best) && turns.allSatisfy { $0.points <= best.points })
    }
    #expect(other.bestWord == own.opponentBestWord && other.opponentBestWord == own.bestWord)

    // As with past games, a block hides no match that both have played.
    try ann.block(bob.player)
    #expect(try bob.headToHead(with: ann.player) == other)
    #expect(try cyd.headToHead(with: bob.player).wordMatches == 0)
    let error = #expect(throws: ClientError.self) {
      try cyd.headToHead(with: PlayerID(rawValue: 1))
    }
    guard case .queryRefused(_, _, .unknownPlayer?) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    try service.expectNothingWrong()
  }

  /// Both play a word, then each removes two cubes, as one of them sees it.
  private static func play(
    _ id: MatchID, _ ann: Player, _ bob: Player, _ service: some TestedService
  ) throws -> MatchView {
    let bots = [ann, bob].map {
      Bot(player: $0, lexicons: service.lexicons, randomness: .seeded(7))
    }
    for _ in 0..<2 {
      let view = try ann.match(id)
      let bot = try #require(bots.first { $0.player.player == view.seats[view.seatToPlay].player })
      _ = try bot.player.play(bot.decide(view), in: view)
    }
    let view = try ann.match(id)
    let next = view.seats[view.seatToPlay].player == ann.player ? ann : bob
    var game = try view.game()
    let removals = Cube.all.reversed().map { Move.removal($0) }.filter { move in
      (try? game.apply(move, words: Lexicon.everyWord)) != nil
    }
    _ = try next.play(Array(removals.prefix(2)), in: view)
    return try ann.match(id)
  }

  private static func rematch(of id: MatchID, _ ann: Player, _ bob: Player) throws -> MatchID {
    _ = ann.rematch(of: id)
    guard case .started(let ticket) = bob.rematch(of: id) else { throw LabFailure("no rematch") }
    return ticket.match
  }

  /// A game is shared, and seen by its code alone.
  package static func sharing(on service: some TestedService) throws {
    let (ann, bob) = (try service.client("Ann"), try service.client("Bob"))
    let match = try ann.startMatch(MatchRequest(alone: .timed)).ticket.match
    let view = try ann.match(match)
    let bot = Bot(player: ann, lexicons: service.lexicons, randomness: .seeded(7))
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
    #expect(try service.isVerified(bob.record(code: code)))
    try service.expectNothingWrong()
  }

  /// A player looks for the games that were lost against one opponent.
  package static func pastGames(on service: some TestedService) throws {
    let (ann, bob) = (try service.client("Ann"), try service.client("Bob"))
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
    let future = service.clock.now().adding(seconds: 3_600)
    #expect(try ann.pastGames(filter: PastGamesFilter(from: future)).games == [])
  }
}
