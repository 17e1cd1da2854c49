import Conformance
import CubistBasics
import LibPQ
import MatchCore
import MatchInterfaces
import MatchWire
import RealServers
import Testing

@testable import MatchStoreLive

@Suite("Leaderboards of thousands")
struct LargeBoardTests {
  private static let count = 3_000

  /// Points as many players have them, most of them around the edges of buckets of 256.
  private static func points(using random: inout SplitMix64) -> Int {
    let edge = 256 * Int.random(in: 1...12, using: &random)
    return switch Int.random(in: 0..<10, using: &random) {
    case 0...3: edge
    case 4, 5: edge - 1
    case 6, 7: edge + 1
    case 8: [1, 2, 255, 3_327, 3_328].randomElement(using: &random) ?? 1
    default: Int.random(in: 1...3_400, using: &random)
    }
  }

  private static func player(_ number: Int) -> PlayerID { PlayerID(rawValue: UInt128(number + 1)) }

  /// Keeps a game of each, as if it had just ended, and ranks them all.
  private static func play(
    _ made: [Int: Int], _ connection: PostgreSQLConnection, _ scheduler: SchedulerStore
  ) throws {
    let games = made.sorted { $0.key < $1.key }
    let text = games.map { "('\(player($0.key))', \($0.value))" }.joined(separator: ",")
    try connection.script(
      """
      WITH made (player, points) AS (VALUES \(text))
      INSERT INTO solo_scores (match, player, ended_at, points, kind, mode, language, words,
        word_points)
      SELECT gen_random_uuid(), player::uuid, now(), points, 'solo', 'timed', 'en', '{WORD}',
        ARRAY[points] FROM made;
      INSERT INTO ranking_queue (player, kind, mode, language)
      SELECT player, kind, mode, language FROM solo_scores WHERE ended_at = now();
      """)
    while try scheduler.rank(500) {}
  }

  /// Compares each player's place, the count and the best with the players sorted.
  private static func expectSorted(
    _ best: [Int: Int], _ reader: ReaderStore, _ connection: PostgreSQLConnection, seed: UInt64
  ) throws {
    let sorted = best.map { (points: $0.value, player: player($0.key)) }
      .sorted { ($1.points, $0.player) < ($0.points, $1.player) }
    // The same points give the same rank, and the next different points the next one.
    var ranks: [Int: Int] = [:]
    for row in sorted where ranks[row.points] == nil { ranks[row.points] = ranks.count + 1 }
    for measure in Leaderboard.Measure.allCases {
      let board = Leaderboard(
        games: SoloGames(kind: .solo, mode: .timed), measure: measure, window: .all)
      let stored = try connection.query(
        """
        SELECT player, points FROM board_places
        WHERE board = cubist_board('solo', 'timed', 'en', $1, 'all', NULL)
        ORDER BY points DESC, player
        """, [.text(measure.rawValue)])
      #expect(
        try stored.map { PlayerID(rawValue: try $0[0].uuid) } == sorted.map(\.player),
        "seed \(seed)")
      #expect(try stored.map { Int(try $0[1].int64) } == sorted.map(\.points))
      // A place is a function of points, so one player of each is asked for.
      let places = try connection.query(
        """
        SELECT r.points, o.rank, o.out_of
        FROM (SELECT DISTINCT board, points FROM board_places
          WHERE board = cubist_board('solo', 'timed', 'en', $1, 'all', NULL)) AS r
        CROSS JOIN LATERAL cubist_place(r.board, r.points) AS o
        """, [.text(measure.rawValue)])
      #expect(places.count == ranks.count)
      for place in places {
        let points = Int(try place[0].int64)
        #expect(
          try place[1].int64 == Int64(ranks[points] ?? 0), "seed \(seed), \(points) points")
        #expect(try place[2].int64 == Int64(best.count))
      }
      for edge in stride(from: 256, through: 3_328, by: 256) {
        for points in [edge - 1, edge, edge + 1] {
          guard let asker = sorted.last(where: { $0.points == points }) else { continue }
          let ranking = try reader.leaderboard(board, asker.player, 100)
          #expect(ranking.own?.points == points && ranking.own?.rank == ranks[points])
          #expect(ranking.outOf == best.count)
          #expect(ranking.rows.map(\.player) == sorted.prefix(100).map(\.player), "seed \(seed)")
          #expect(ranking.rows.map(\.points) == sorted.prefix(100).map(\.points))
        }
      }
    }
  }

  @Test(
    "Three thousand players, most of them tied at the edges of buckets, stand as a plain sort gives"
  )
  func thousands() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let (reader, scheduler) = (ReaderStore.live(connection), SchedulerStore.live(connection))
      let seed = UInt64.random(in: .min ... .max)
      var random = SplitMix64(state: seed)
      try connection.script(
        """
        INSERT INTO players (id, registered_at, name, name_key)
        SELECT lpad(to_hex(n), 32, '0')::uuid, now(), 'player' || n, 'player' || n
        FROM generate_series(1, \(Self.count)) AS n
        """)
      var best: [Int: Int] = [:]
      for number in 0..<Self.count { best[number] = Self.points(using: &random) }
      try Self.play(best, connection, scheduler)
      try Self.expectSorted(best, reader, connection, seed: seed)
      // Many play again and leave one bucket for another, or come to stand at its edge.
      for _ in 0..<2 {
        var again: [Int: Int] = [:]
        for _ in 0..<800 {
          again[Int.random(in: 0..<Self.count, using: &random)] = Self.points(using: &random)
        }
        try Self.play(again, connection, scheduler)
        best.merge(again) { max($0, $1) }
        try Self.expectSorted(best, reader, connection, seed: seed)
      }
    }
  }
}
