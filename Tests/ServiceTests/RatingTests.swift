import Chaos
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import PlayerClient
import Testing

@testable import cubistd

@Suite("Ratings", .serialized)
struct RatingTests {
  /// Ann wins a match against Bob: he gives it up after her turn.
  private static func win(
    _ ann: Player, _ bob: Player, isCasual: Bool = false
  ) throws -> MatchID {
    let name = try #require(bob.profile.name)
    let match = try ann.startMatch(
      against: name, turnLimitSeconds: 3_600, isCasual: isCasual
    ).ticket.match
    _ = try bob.accept(match)
    try ann.removeTwoCubes(in: match)
    _ = try bob.forfeit(match)
    return match
  }

  private static func waiting(_ lab: ServiceLab) throws -> Int64 {
    let connection = try lab.connection()
    defer { connection.close() }
    return try connection.query("SELECT count(*) FROM rating_queue").only[0].int64
  }

  @Test(
    "Two play rated matches, their ratings move and the ladder shows both; casual ones do not count",
    .timeLimit(.minutes(15)))
  func ladder() async throws {
    var options = ServiceLab.Options()
    options.roles.append(.rater)
    try await ServiceLab.run(options) { lab in
      let (ann, bob) = (try lab.client("Ann"), try lab.client("Bob"))
      #expect(try ann.ladder() == Ladder(rows: [], you: nil, around: [], outOf: 0))
      #expect(try ann.whoAmI().rating?.rating == 1_500)

      let casual = try Self.win(ann, bob, isCasual: true)
      #expect(try ann.match(casual).casual == true)
      #expect(try ann.pastGames().games.first?.casual == true)
      let rated = try Self.win(ann, bob)
      try waitUntil("the match is rated") { try ann.whoAmI().rating?.matches == 1 }
      #expect(try lab.stored(casual).rating == StoredRating())
      #expect(try lab.stored(rated).rating.results.count == 2)
      let (winner, loser) = (try #require(ann.whoAmI().rating), try #require(bob.whoAmI().rating))
      #expect(winner.rating == 1_662 && loser.rating == 1_338)
      #expect(winner.deviation == 290 && winner.isProvisional)
      #expect([winner.rank, winner.outOf, loser.rank, loser.outOf] == [1, 2, 2, 2])
      var seen = winner
      (seen.rank, seen.outOf) = (nil, nil)
      #expect(try bob.player(named: ann.profile.name ?? bob.whoAmI().name).rating == seen)

      for player in [ann, bob] {
        let ladder = try player.ladder()
        #expect(ladder.rows.map(\.name.text) == ["Ann", "Bob"])
        #expect(ladder.rows.map(\.rank) == [1, 2])
        #expect(ladder.rows.map(\.rating) == [1_662, 1_338])
        #expect(ladder.rows.allSatisfy { $0.outOf == 2 } && ladder.outOf == 2)
        #expect(ladder.around == ladder.rows)
        #expect(ladder.you?.player == player.profile.player)
      }
      // A rematch is rated as its match was.
      _ = ann.rematch(of: rated)
      guard case .started(let ticket) = bob.rematch(of: rated) else {
        Issue.record("no rematch")
        return
      }
      try bob.removeTwoCubes(in: ticket.match)
      _ = try ann.forfeit(ticket.match)
      try waitUntil("the rematch is rated") { try ann.whoAmI().rating?.matches == 2 }
      #expect(try #require(bob.whoAmI().rating).rating > 1_338)
      #expect(try lab.violations() == [])
    }
  }

  @Test(
    "A rater that is killed between any two steps doubles nothing and leaves nothing out",
    .timeLimit(.minutes(15)))
  func killed() async throws {
    try await ServiceLab.run { lab in
      let (ann, bob) = (try lab.client("Ann"), try lab.client("Bob"))
      for _ in 0..<3 { _ = try Self.win(ann, bob) }
      #expect(try Self.waiting(lab) == 6)
      // The first dies with the matches in hand, the second once it has written them.
      for hasWritten in [false, true] {
        let connection = try lab.connection()
        var store = RaterStore.live(connection)
        let finish = store.finish
        store.finish.answer { results, already throws(StoreError) in
          if hasWritten { try finish(results, already) }
          connection.close()
          throw .unavailable("killed")
        }
        var settings = RaterSettings()
        settings.limit = 2
        let rater = Rater(store: store, clock: .live, settings: settings, log: ServiceLab.log)
        #expect(throws: Interruption.self) { try rater.step() }
        #expect(try Self.waiting(lab) == (hasWritten ? 2 : 6))
      }
      // Two raters at once share the rest.
      try lab.start(.rater)
      try lab.start(.rater)
      try waitUntil("all is rated") { try Self.waiting(lab) == 0 }
      let connection = try lab.connection()
      defer { connection.close() }
      let numbers = try connection.query(
        "SELECT rating_no FROM rating_results ORDER BY rating_no, player"
      ).map { row in try row[0].int64 }
      #expect(numbers == [1, 1, 2, 2, 3, 3])
      #expect(try ann.whoAmI().rating?.matches == 3)
      #expect(try lab.violations() == [])
    }
  }

  @Test(
    "Faults in ratings are found; a queue and a standing are mended, a result is not",
    .timeLimit(.minutes(15)))
  func mending() async throws {
    try await ServiceLab.run { lab in
      let (ann, bob) = (try lab.client("Ann"), try lab.client("Bob"))
      let first = try Self.win(ann, bob)
      let connection = try lab.connection()
      defer { connection.close() }
      try connection.script("DELETE FROM rating_queue")
      #expect(try lab.violations().map(\.kind) == [.ratingQueueDiffers])
      try Self.rebuild(lab, first)
      #expect(try lab.violations() == [])
      #expect(try Self.waiting(lab) == 2)

      let rater = Rater(store: .live(try lab.connection()), clock: .live, log: ServiceLab.log)
      try rater.step()
      #expect(try lab.violations() == [])
      try connection.script("UPDATE ratings SET rating = rating + 5000000")
      #expect(try lab.violations().map(\.kind) == [.standingDiffers, .standingDiffers])
      try Self.rebuild(lab, first)
      #expect(try lab.violations() == [])
      #expect(try ann.ladder().rows.map(\.rating) == [1_662, 1_338])
      #expect(try ann.ladder().outOf == 2)

      try connection.script(
        "UPDATE rating_results SET volatility_before = volatility_before + 1000000")
      let kinds = Set(try lab.violations().map(\.kind))
      #expect(kinds == [.ratingDiffers])
      // A rebuild does not queue rated matches again.
      #expect(try Self.waiting(lab) == 0)
    }
  }

  private static func rebuild(_ lab: ServiceLab, _ match: MatchID) throws {
    let (reading, writing) = (try lab.connection(), try lab.connection())
    defer {
      reading.close()
      writing.close()
    }
    let check = StoreCheck(.live(reading), identity: lab.identity, lexicons: lab.lexicons)
    let store = RebuildStore.live(writing, RebuildTally(run: 1, by: "olga"))
    let finding = try MatchRebuilder(check, store).rebuild(match)
    #expect(finding?.left == [])
    #expect(finding?.mended.isEmpty == false)
  }
}
