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

@Suite("A match that is given up before its first turn", .serialized)
struct AbortedTests {
  @Test(
    "The record of an older build, which states a forfeit, verifies, is checked and rebuilt as that"
  )
  func former() async throws {
    try await ServiceLab.run { lab in
      let (ann, bob) = (try lab.client("Ann"), try lab.client("Bob"))
      let match = try lab.begin(ann, bob)
      _ = try bob.forfeit(match)
      let connection = try lab.connection()
      defer { connection.close() }
      let outcome = Outcome(reason: .forfeited, seat: 1, results: [.won, .lost])
      try Self.state(outcome, in: match, lab, connection)
      #expect(try lab.violations() != [], "the state is another one")
      _ = try RebuildTests.rebuild(lab)
      #expect(try lab.violations() == [])
      #expect(try lab.match(match).outcome == outcome)
      // Nobody has played a word, so it is not rated.
      #expect(try lab.stored(match).rating.waiting == nil)
      #expect(try #require(try lab.report(onRecordOf: match)).isVerified)
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
