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

@Suite("A match that is given up before its first turn", .serialized)
struct AbortedTests {
  @Test(
    "It counts for nobody, is not rated, both are told in words, and its record verifies",
    .timeLimit(.minutes(15)))
  func aborted() async throws {
    try await ServiceLab.run { lab in
      let (ann, bob) = (try lab.client("Ann"), try lab.client("Bob"))
      let match = try RulingTests.begin(ann, bob)
      let ending = try bob.forfeit(match)
      #expect(ending.outcome == Outcome(reason: .aborted, seat: 1, results: [.none, .none]))
      let rater = Rater(store: .live(try lab.connection()), clock: .live, log: ServiceLab.log)
      #expect(try rater.step() == 0)

      let words = "Bob gave up before the first move: the match does not count."
      try waitUntil("Ann is told") { lab.pushes.taken.contains { $0.kind == .matchEnded } }
      #expect(lab.pushes.notifications.filter { $0.job.kind == .matchEnded }.map(\.body) == [words])
      // It is hers once the job is recorded as delivered.
      try waitUntil(
        "it is in her inbox",
        found: "\(ann.inbox().items), \(lab.looking { try $0.jobs(nil, 100) })"
      ) {
        try ann.inbox().items.contains { $0.kind == "matchEnded" && $0.body == words }
      }
      for player in [ann, bob] {
        #expect(try player.match(match).gaveUp == true)
        #expect(try player.pastGames().games.map(\.result) == [.none])
        #expect(try player.pastGames().games.map(\.gaveUpBy) == [bob.player])
        #expect(try player.home().matches.isEmpty)
        #expect(try player.whoAmI().rating?.matches == 0)
        #expect(try player.review().games.isEmpty)
      }
      #expect(try #require(try lab.report(onRecordOf: match)).isVerified)
      #expect(try RebuildTests.rebuild(lab).findings.isEmpty)

      // Either player may ask for another one.
      _ = ann.rematch(of: match)
      guard case .started = bob.rematch(of: match) else {
        Issue.record("no rematch")
        return
      }
      #expect(try lab.violations() == [])
    }
  }

  @Test(
    "The record of an older build, which states a forfeit, verifies, is checked and rebuilt as that",
    .timeLimit(.minutes(15)))
  func former() async throws {
    try await ServiceLab.run { lab in
      let (ann, bob) = (try lab.client("Ann"), try lab.client("Bob"))
      let match = try RulingTests.begin(ann, bob)
      _ = try bob.forfeit(match)
      let connection = try lab.connection()
      defer { connection.close() }
      let outcome = Outcome(reason: .forfeited, seat: 1, results: [.won, .lost])
      try Self.state(outcome, in: match, lab, connection)
      #expect(try lab.violations() != [], "the state is another one")
      _ = try RebuildTests.rebuild(lab)
      #expect(try lab.violations() == [])
      #expect(try lab.match(match).outcome == outcome)
      #expect(
        try lab.stored(match).rating.waiting?.results == [ann.player: .won, bob.player: .lost])
      #expect(try #require(try lab.report(onRecordOf: match)).isVerified)
      let rater = Rater(store: .live(try lab.connection()), clock: .live, log: ServiceLab.log)
      #expect(try rater.step() == 1)
      #expect(try ann.match(match).gaveUp == nil)
      #expect(try ann.pastGames().games.map(\.result) == [.won])
      #expect(try ann.pastGames().games.map(\.gaveUpBy) == [nil])
      #expect(try lab.violations() == [])
    }
  }

  /// Has a record end with another outcome.
  private static func state(
    _ outcome: Outcome, in match: MatchID, _ lab: ServiceLab, _ connection: PostgreSQLConnection
  ) throws {
    let record = try lab.stored(match).record
    let (last, before) = (try #require(record.last), record[record.count - 2])
    let speaker = try lab.identity.speaker(at: last.acceptedAt)
    let signed = speaker.signed(
      .matchEnded(outcome, points: [0, 0], head: before.hash), in: match)
    let hash = Entry.hash(
      after: before.hash, position: last.position, acceptedAt: last.acceptedAt, signed: signed)
    try connection.query(
      """
      UPDATE entries SET payload = $2, signature = $3, hash = $4
      WHERE match = $1 AND position = $5
      """,
      [
        .uuid(match.rawValue), .bytes(signed.payload), .bytes(signed.signature),
        .bytes(hash.bytes), .int32(Int32(last.position)),
      ])
  }
}
