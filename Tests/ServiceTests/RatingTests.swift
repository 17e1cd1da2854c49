import Chaos
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import PlayerClient
import TestedService
import Testing

@testable import cubistd

@Suite("Ratings", .serialized)
struct RatingTests {
  private static func waiting(_ lab: ServiceLab) throws -> Int64 {
    let connection = try lab.connection()
    defer { connection.close() }
    return try connection.query("SELECT count(*) FROM rating_queue").only[0].int64
  }

  @Test("A rater that is killed between any two steps doubles nothing and leaves nothing out")
  func killed() async throws {
    try await ServiceLab.run { lab in
      let (ann, bob) = (try lab.client("Ann"), try lab.client("Bob"))
      for _ in 0..<3 { _ = try Scenes.win(ann, bob) }
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

  @Test("Faults in ratings are found; a queue and a standing are mended, a result is not")
  func mending() async throws {
    try await ServiceLab.run { lab in
      let (ann, bob) = (try lab.client("Ann"), try lab.client("Bob"))
      let first = try Scenes.win(ann, bob)
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
      #expect(try [ann, bob].map { try $0.whoAmI().rating?.rating } == [1_662, 1_338])

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
