import Chaos
import CubistBasics
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import PlayerClient
import RealServers
import TestedService
import Testing

@testable import cubistd

@Suite("Rebuilding", .serialized, .sharedService(handsOver: false))
struct RebuildTests {
  /// A finished match, a running one, an open one, an invitation, a waiting request and an offer of
  /// a rematch.
  private static func fill(_ lab: ServiceLab) throws -> (over: MatchID, played: MatchID) {
    let (ann, bob) = try lab.pair()
    let over = try lab.begin(ann, bob)
    try ann.must(.turnPlayed(over, lab.turn(lab.match(over))))
    try bob.must(.turnPlayed(over, lab.turn(lab.match(over))))
    try ann.must(.matchForfeited(over))
    try bob.must(.rematchRequested(over))
    let alone = try ann.sign(.matchRequested(MatchRequest(alone: .timed)))
    _ = try ann.send(alone)
    try ann.must(.matchForfeited(alone.newMatch))
    let played = try lab.begin(ann, bob, limit: 7_200)
    try ann.must(.turnPlayed(played, lab.turn(lab.match(played))))
    for opponent in [MatchRequest.Opponent.open, .player(bob.id), .random] {
      try ann.must(
        .matchRequested(MatchRequest(opponent: opponent, turnLimitSeconds: 600)))
    }
    // The request at random may have met that of an earlier test.
    let connection = try lab.connection()
    defer { connection.close() }
    if try connection.query("SELECT 1 FROM open_seats").isEmpty {
      try bob.must(.matchRequested(MatchRequest(opponent: .random, turnLimitSeconds: 600)))
    }
    return (over, played)
  }

  static func rebuild(
    _ lab: ServiceLab, isDryRun: Bool = false, underPlay: Bool = false
  ) throws -> LiveRebuild.Report {
    let connection = try lab.connection()
    defer { connection.close() }
    let tally = RebuildTally(run: .random(in: 0 ... .max), by: "olga")
    return try rebuilder(lab, .live(connection, tally), isDryRun: isDryRun, underPlay: underPlay)
      .run(after: nil) { _, _ in }
  }

  private static func rebuilder(
    _ lab: ServiceLab, _ store: RebuildStore, isDryRun: Bool = false, underPlay: Bool = false
  ) -> LiveRebuild {
    let text = lab.database.connectionString
    var check = LiveCheck(
      identity: lab.identity,
      connect: { () throws(OperatorFailure) in
        do {
          return .live(try PostgreSQLConnection(PostgreSQLSettings(connectionString: text)))
        } catch {
          throw .wrong("\(error)")
        }
      }, noJobWaits: { .told(!underPlay) })
    check.lexicons = lab.lexicons
    check.threadCount = 2
    check.pageSize = underPlay ? 50 : 2
    return LiveRebuild(check, store, isDryRun: isDryRun)
  }

  /// Everything that is derived from records, except versions, and credits that no record has.
  private static func derived(_ connection: PostgreSQLConnection) throws -> [String] {
    let tables = [
      "SELECT id, turn, deadline, due, successor, declined_seat, declined_at, state FROM matches",
      "SELECT * FROM seats", "SELECT * FROM past_games", "SELECT * FROM open_seats",
      "SELECT * FROM pairs", "SELECT * FROM invitation_codes", "SELECT * FROM rematch_offers",
      "SELECT * FROM daily_scores", "SELECT * FROM solo_scores",
    ]
    return try rows(of: tables, connection)
  }

  /// The operators' acts of rebuilding, the newest first.
  private static func acts(_ connection: PostgreSQLConnection) throws -> [ActRow] {
    try OperatorStore.live(connection).acts(1_000).filter { $0.act == "matches rebuilt" }
  }

  private static func keys(_ connection: PostgreSQLConnection) throws -> [String] {
    let tables = ["player_keys", "device_invitations", "recoveries"].map { "SELECT * FROM \($0)" }
    return try rows(of: tables, connection)
  }

  private static func rows(
    of tables: [String], _ connection: PostgreSQLConnection
  ) throws -> [String] {
    try tables.flatMap { table in
      try connection.query("SELECT t::text FROM (\(table)) AS t ORDER BY 1").map { row in
        try row[0].text
      }
    }
  }

  static let damages = [
    // Another version of the state, as after a change of its form.
    "UPDATE matches SET state = set_byte(state, 0, 99)",
    "UPDATE matches SET state = '\\x00'",
    "UPDATE matches SET state = set_byte(state, 20, get_byte(state, 20) # 1)",
    "UPDATE matches SET turn = 0, deadline = NULL, due = NULL",
    "UPDATE matches SET due = 3",
    "UPDATE matches SET declined_seat = 1, declined_at = now(), successor = id",
    "DELETE FROM seats", "UPDATE seats SET is_invited = NOT is_invited",
    "DELETE FROM solo_scores", "UPDATE solo_scores SET points = points + 1",
    "UPDATE solo_scores SET words = '{WORD}', word_points = '{9}'",
    "DELETE FROM past_games", "UPDATE past_games SET points = points + 1",
    "INSERT INTO past_games SELECT player, now(), match, opponent, 1, 1, NULL, NULL, NULL, kind, "
      + "language, result, reason FROM past_games",
    "DELETE FROM open_seats", "DELETE FROM pairs", "DELETE FROM invitation_codes",
    "UPDATE invitation_codes SET code = 'ABCD1234' WHERE code = "
      + "(SELECT min(code) FROM invitation_codes)", "DELETE FROM rematch_offers",
    "UPDATE rematch_offers SET signature = set_byte(signature, 3, get_byte(signature, 3) # 1)",
    "DELETE FROM matches WHERE successor IS NULL AND id NOT IN (SELECT match FROM rematch_offers)",
  ]

  // Every fourth damage each time.
  @Test(
    "Everything derived is made again as it was, and only that is written", arguments: 0..<4)
  func damages(part: Int) async throws {
    let damages = RebuildTests.damages.enumerated().filter { $0.offset % 4 == part }
    try await ServiceLab.shared { lab in
      _ = try RebuildTests.fill(lab)
      #expect(try lab.violations() == [])
      let connection = try lab.connection()
      defer { connection.close() }
      let acts = try RebuildTests.acts(connection)
      let before = try RebuildTests.derived(connection)
      for (_, damage) in damages {
        try connection.script(damage)
        #expect(try RebuildTests.derived(connection) != before, "\(damage) does no damage")
        let damaged = try RebuildTests.derived(connection)
        let dry = try RebuildTests.rebuild(lab, isDryRun: true)
        #expect(!dry.findings.isEmpty && dry.isComplete, "\(damage)")
        #expect(try RebuildTests.derived(connection) == damaged, "a dry run writes: \(damage)")
        let report = try RebuildTests.rebuild(lab)
        #expect(report.findings.flatMap(\.left) == [], "\(damage): \(report.findings)")
        #expect(report.findings.map(\.match) == dry.findings.map(\.match))
        #expect(try RebuildTests.derived(connection) == before, "after \(damage)")
        #expect(try RebuildTests.rebuild(lab).findings.isEmpty, "after \(damage)")
      }
      let rebuilt = try RebuildTests.acts(connection).dropLast(acts.count)
      // Each rebuild is one act, however many matches it wrote, and says whose.
      #expect(rebuilt.count == damages.count)
      #expect(rebuilt.allSatisfy { $0.detail.hasPrefix("by olga in rebuild ") })
    }
  }

  @Test("The match of a player who changed devices is made again, and no key is written")
  func devices() async throws {
    try await ServiceLab.shared { lab in
      let (ann, bob) = try lab.pair()
      let connection = try lab.connection()
      defer { connection.close() }
      // The keys of the two are there.
      let others = try RebuildTests.keys(connection).count - 2
      let (phone, code) = (try LabPlayer("phone", in: lab), DeviceCode(random: 1))
      try ann.must(.recoveryKeyNamed(LabPlayer("words", in: lab).key.publicKey))
      try ann.must(.deviceInvited(code.hash(at: lab.identity.service)))
      _ = try phone.send(phone.sign(.keyAdded(code), of: ann.id))
      let match = try lab.begin(ann, bob)
      let turn = try phone.sign(.turnPlayed(match, lab.turn(lab.match(match))), of: ann.id)
      #expect(try phone.send(turn).receipt?.turn == 1)
      try ann.must(.keyRemoved(phone.key.publicKey))
      try bob.must(.matchForfeited(match))
      _ = try lab.jobs()
      let derived = try RebuildTests.derived(connection)
      let keys = try RebuildTests.keys(connection)
      #expect(keys.count - others == 5)
      try connection.script("UPDATE matches SET state = '\\x00' WHERE id = '\(match)'")
      try connection.script("DELETE FROM past_games WHERE match = '\(match)'")
      let report = try RebuildTests.rebuild(lab)
      #expect(Set(report.findings.map(\.match)) == [match])
      #expect(report.findings.flatMap(\.left) == [])
      #expect(try RebuildTests.derived(connection) == derived)
      #expect(try RebuildTests.keys(connection) == keys)
    }
  }

  @Test("Push jobs that are owed come back, and those that nothing owes go")
  func jobs() async throws {
    try await ServiceLab.shared { lab in
      let (over, _) = try RebuildTests.fill(lab)
      let players = Set(try lab.match(over).players)
      func own() throws -> Set<PushJobID> {
        Set(try lab.jobs().map(\.job).filter { players.contains($0.player) }.map(\.id))
      }
      let jobs = try own()
      let connection = try lab.connection()
      defer { connection.close() }
      for player in players {
        try connection.query("DELETE FROM deliveries WHERE player = $1", [.uuid(player.rawValue)])
      }
      try connection.query(
        """
        INSERT INTO outbox (job, player, created_at, match, kind)
        SELECT gen_random_uuid(), player, now() + interval '1 hour', match, 'opponentJoined'
        FROM past_games WHERE match = $1 LIMIT 1
        """, [.uuid(over.rawValue)])
      let report = try RebuildTests.rebuild(lab)
      #expect(report.findings.flatMap(\.left) == [], "\(report.findings)")
      #expect(try own() == jobs)
    }
  }

  @Test("A bad record is left alone, with everything that depends on it")
  func damagedRecord() async throws {
    try await ServiceLab.shared { lab in
      let (over, _) = try RebuildTests.fill(lab)
      let connection = try lab.connection()
      defer { connection.close() }
      try connection.query(
        "CREATE TEMPORARY TABLE kept AS SELECT * FROM entries WHERE match = $1",
        [.uuid(over.rawValue)])
      // The end is gone: folding the rest would hide that there was one.
      try connection.query(
        """
        DELETE FROM entries WHERE match = $1
          AND position = (SELECT max(position) FROM entries WHERE match = $1)
        """, [.uuid(over.rawValue)])
      try connection.query("DELETE FROM past_games WHERE match = $1", [.uuid(over.rawValue)])
      let before = try RebuildTests.derived(connection)
      let report = try RebuildTests.rebuild(lab)
      #expect(report.findings.map(\.match) == [over])
      #expect(report.findings.flatMap(\.left).map(\.kind) == [.entryMissing])
      #expect(try RebuildTests.derived(connection) == before)
      try connection.script("INSERT INTO entries SELECT * FROM kept ON CONFLICT DO NOTHING")
      #expect(try RebuildTests.rebuild(lab).findings.map(\.match) == [over])
    }
  }

  @Test("A worker with the former state finds it stale, and the game goes on")
  func cachedState() async throws {
    try await ServiceLab.shared { lab in
      let (ann, bob) = try lab.pair()
      let match = try lab.begin(ann, bob)
      try ann.must(.turnPlayed(match, lab.turn(lab.match(match))))
      let connection = try lab.connection()
      defer { connection.close() }
      try connection.script("DELETE FROM seats WHERE match = '\(match)'")
      let version = try lab.match(match).version
      let report = try RebuildTests.rebuild(lab)
      #expect(report.findings.map(\.match) == [match])
      #expect(try lab.match(match).version == version + 1)
      // The worker has the former version in memory.
      try bob.must(.turnPlayed(match, lab.turn(lab.match(match))))
      #expect(try lab.match(match).version == version + 2)
    }
  }

  @Test("A match that is played while it is rebuilt is folded again")
  func raced() async throws {
    try await ServiceLab.shared { lab in
      let (ann, bob) = try lab.pair()
      let match = try lab.begin(ann, bob)
      let connection = try lab.connection()
      defer { connection.close() }
      try connection.script("DELETE FROM seats WHERE match = '\(match)'")
      let live = RebuildStore.live(connection, RebuildTally(run: 1, by: "olga"))
      var writes = 0
      var store = live
      store.write.answer { rebuild throws(StoreError) in
        writes += 1
        if writes == 1 {
          do { try ann.must(.turnPlayed(match, lab.turn(lab.match(match)))) } catch {
            throw .unusable("\(error)")
          }
        }
        try live.write(rebuild)
      }
      let report = try RebuildTests.rebuilder(lab, store).run(match)
      #expect(writes == 2)
      #expect(report.findings.map(\.match) == [match])
      #expect(try lab.match(match).turnNumber == 2)
      _ = bob
    }
  }
}

/// On a service of its own: every event in the store is one of its players'.
@Suite("Rebuilding under play", .serialized)
struct RebuildTestsUnderPlay {
  /// Rows that a worker writes beside a match and does not read again.
  static let damagesUnderPlay = [
    "DELETE FROM seats WHERE match < $1", "DELETE FROM past_games WHERE match < $1",
    "UPDATE past_games SET points = points + 1 WHERE match > $1",
    "DELETE FROM rematch_offers WHERE match < $1",
  ]

  @Test("Everything derived is right after many rebuilds while ten players play on")
  func underPlay() async throws {
    let seed = UInt64.random(in: .min ... .max)
    var options = ServiceLab.Options(workers: 2)
    options.lexicons = .standard
    try await ServiceLab.run(options) { lab in
      let load = Load()
      async let played: Void = load.run(pairs: 5, in: lab, seed: seed)
      var mended = 0
      do {
        defer { load.stop.ask() }
        let connection = try lab.connection()
        defer { connection.close() }
        var random = SplitMix64(state: seed)
        for round in 0..<8 {
          try load.awaitTurns(10)
          let match = UInt128(random.next()) << 64
          try connection.query(
            Self.damagesUnderPlay[round % Self.damagesUnderPlay.count], [.uuid(match)])
          mended += try RebuildTests.rebuild(lab, underPlay: true).findings.count {
            !$0.mended.isEmpty
          }
        }
        try load.awaitTurns(10)
      }
      try await played
      // The last damage may have come during the rebuild.
      let last = try RebuildTests.rebuild(lab)
      #expect(last.findings.flatMap(\.left) == [], "seed \(seed)")
      #expect(mended > 0, "seed \(seed)")
      #expect(try RebuildTests.rebuild(lab, isDryRun: true).findings.isEmpty, "seed \(seed)")
      try load.log.settle(in: lab)
      try load.log.verify(in: lab, seed: seed)
      #expect(try lab.deadEventCount() == 0, "seed \(seed)")
    }
  }
}
