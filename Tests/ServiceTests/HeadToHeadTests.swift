import Chaos
import CubeLexicon
import CubeRules
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import Testing

@Suite("Two players against each other", .serialized)
struct HeadToHeadTests {
  @Test(
    "Both see their matches, run, best words and series, blocked or not; a third sees nothing of it",
    .timeLimit(.minutes(15)))
  func headToHead() async throws {
    try await ServiceLab.run { lab in
      let (ann, bob) = (try lab.client("Ann"), try lab.client("Bob"))
      let cyd = try lab.client("Cyd")
      #expect(try ann.headToHead(with: bob.player).wordMatches == 0)

      // Ann wins, loses a casual match, wins it back twice; one does not count.
      let first = try Self.play(try RulingTests.begin(ann, bob), ann, bob, lab)
      _ = try bob.forfeit(first.id)
      let name = try #require(bob.profile.name)
      let casual = try ann.startMatch(against: name, turnLimitSeconds: 3_600, isCasual: true)
      _ = try bob.accept(casual.ticket.match)
      var views = [first, try Self.play(casual.ticket.match, ann, bob, lab)]
      _ = try ann.forfeit(casual.ticket.match)
      for isPlayed in [true, false, true] {
        let rematch = try Self.rematch(of: try #require(views.last).id, ann, bob)
        views.append(
          isPlayed ? try Self.play(rematch, ann, bob, lab) : try ann.match(rematch))
        _ = try bob.forfeit(rematch)
      }
      let running = try Self.rematch(of: try #require(views.last).id, ann, bob)

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
          == .init(
            score: .init(won: 2, lost: 1), startedAt: views[1].startedAt, running: running))
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
      #expect(try lab.violations() == [])
    }
  }

  /// Both play a word, then each removes two cubes, as one of them sees it.
  private static func play(
    _ id: MatchID, _ ann: Player, _ bob: Player, _ lab: ServiceLab
  ) throws -> MatchView {
    let bots = [ann, bob].map { Bot(player: $0, lexicons: lab.lexicons, randomness: .seeded(7)) }
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
}
