import Chaos
import CubeLexicon
import CubeRules
import CubistBasics
import LibPQ
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import PlayerClient
import TestedService
import Testing

@testable import MatchCore
@testable import cubistd

/// docs/protocol.md lists the changes that remain unseen; every one that is unseen here has to be
/// in that list.
@Suite("Changes of any table with all rights of the database", .serialized)
struct TableTamperTests {
  /// A check's finding on a change.
  enum Finding: Sendable {
    case named(Violation.Kind)
    case recoveryNamed(RecoveryViolation.Kind)
    case jobNamed(JobViolation.Kind)
    /// Nothing.
    case unseen
  }

  struct Tampering: Sendable {
    var table: String
    var sql: String
    var finding: Finding

    init(_ table: String, _ sql: String, _ finding: Finding) {
      (self.table, self.sql, self.finding) = (table, sql, finding)
    }
  }

  /// Records, and the rows that are derived from them.
  static let derived: [Tampering] = [
    Tampering(
      "entries", "DELETE FROM entries WHERE position > 2", .named(.entryMissing)),
    Tampering("matches", "DELETE FROM matches", .named(.stateDiffers)),
    Tampering("matches", "UPDATE matches SET state = ''", .named(.stateDiffers)),
    Tampering("matches", "UPDATE matches SET deadline = now()", .named(.rowsDiffer)),
    Tampering("matches", "UPDATE matches SET due = 1", .named(.rowsDiffer)),
    Tampering("matches", "UPDATE matches SET turn = 9", .named(.entryMissing)),
    Tampering("matches", "UPDATE matches SET successor = id", .named(.rowsDiffer)),
    Tampering("matches", "UPDATE matches SET version = version + 1", .unseen),
    Tampering("matches", "UPDATE matches SET remind_at = NULL, remind_due = NULL", .unseen),
    Tampering("seats", "DELETE FROM seats", .named(.rowsDiffer)),
    Tampering("seats", "UPDATE seats SET player = gen_random_uuid()", .named(.entryMissing)),
    Tampering("past_games", "DELETE FROM past_games", .named(.rowsDiffer)),
    Tampering("past_games", "UPDATE past_games SET points = 99", .named(.rowsDiffer)),
    Tampering("past_games", "UPDATE past_games SET is_casual = true, language = 'xx'", .unseen),
    Tampering("open_seats", "DELETE FROM open_seats", .named(.rowsDiffer)),
    Tampering("open_seats", "UPDATE open_seats SET rating = 1, since = now()", .unseen),
    Tampering("pairs", "DELETE FROM pairs", .named(.rowsDiffer)),
    Tampering("invitation_codes", "DELETE FROM invitation_codes", .named(.rowsDiffer)),
    Tampering(
      "invitation_codes", "UPDATE invitation_codes SET code = 'ABCD1234' \(ofOverMatches)",
      .named(.rowsDiffer)),
    // As workers did before schema 22.
    Tampering("invitation_codes", "DELETE FROM invitation_codes \(ofOverMatches)", .unseen),
    Tampering("rematch_offers", "DELETE FROM rematch_offers", .named(.rowsDiffer)),
    Tampering("daily_scores", "DELETE FROM daily_scores", .named(.rowsDiffer)),
    Tampering("daily_scores", "UPDATE daily_scores SET points = 99999", .named(.entryMissing)),
    Tampering("solo_scores", "DELETE FROM solo_scores", .named(.rowsDiffer)),
    Tampering("solo_scores", "UPDATE solo_scores SET points = 99999", .named(.rowsDiffer)),
    Tampering("boards", "DELETE FROM boards", .named(.rowsDiffer)),
    Tampering("board_places", "DELETE FROM board_places", .named(.rowsDiffer)),
    Tampering("board_counts", "DELETE FROM board_counts", .named(.rowsDiffer)),
    Tampering("board_buckets", "DELETE FROM board_buckets", .named(.rowsDiffer)),
    Tampering("rating_queue", "DELETE FROM rating_queue", .named(.ratingQueueDiffers)),
    Tampering(
      "rating_queue",
      "INSERT INTO rating_queue SELECT match, player, now(), 'won' FROM seats LIMIT 1",
      .named(.entryMissing)),
    Tampering("rating_results", "DELETE FROM rating_results", .named(.ratingQueueDiffers)),
    Tampering("rating_results", "UPDATE rating_results SET rating = 1", .named(.ratingDiffers)),
    Tampering("ratings", "DELETE FROM ratings", .named(.standingDiffers)),
    Tampering("ratings", "UPDATE ratings SET rating = 1", .named(.standingDiffers)),
    Tampering("events", "DELETE FROM events", .named(.replyMissing)),
    Tampering("events", "UPDATE events SET reply = ''", .named(.replyDiffers)),
    Tampering(
      "outbox",
      """
      INSERT INTO outbox (job, player, created_at, match, turn, kind)
      SELECT gen_random_uuid(), player, now(), match, 1, 'yourTurn' FROM seats LIMIT 1
      """, .named(.jobUnexpected)),
    Tampering(
      "held_jobs",
      """
      INSERT INTO held_jobs (job, player, held_at, until, match, turn, kind, reason)
      SELECT gen_random_uuid(), player, now(), now(), match, 1, 'yourTurn', 'bundle' FROM seats
      LIMIT 1
      """, .named(.jobUnexpected)),
    Tampering("deliveries", "DELETE FROM deliveries", .named(.jobMissing)),
    Tampering(
      "deliveries", "DELETE FROM deliveries WHERE kind = 'rematchRequested'",
      .jobNamed(.jobMissing)),
    Tampering(
      "owed_jobs",
      """
      INSERT INTO owed_jobs (job, player, owed_at, kind)
      SELECT gen_random_uuid(), id, now(), 'test' FROM players LIMIT 1
      """, .jobNamed(.jobMissing)),
    Tampering("owed_jobs", "DELETE FROM owed_jobs", .unseen),
    Tampering("deliveries", "UPDATE deliveries SET turn = 9", .named(.entryMissing)),
    Tampering(
      "deliveries", "UPDATE deliveries SET day = day - 1 WHERE kind = 'dailyReady'",
      .jobNamed(.jobUnexpected)),
    Tampering(
      "deliveries",
      """
      UPDATE players SET registered_at = registered_at - interval '3 days';
      DELETE FROM deliveries WHERE kind = 'dailyReady'
      """, .jobNamed(.jobMissing)),
    Tampering(
      "deliveries", "UPDATE deliveries SET player = gen_random_uuid() WHERE match IS NULL",
      .jobNamed(.jobUnexpected)),
    Tampering(
      "outbox",
      """
      INSERT INTO outbox (job, player, created_at, kind)
      SELECT gen_random_uuid(), id, now(), 'account' FROM players WHERE name = 'Bob'
      """, .jobNamed(.jobUnexpected)),
    Tampering(
      "held_jobs",
      """
      INSERT INTO held_jobs (job, player, held_at, until, day, kind, reason)
      SELECT gen_random_uuid(), id, now(), now(), now(), 'digest', 'quietHours' FROM players LIMIT 1
      """, .jobNamed(.jobUnexpected)),
    Tampering(
      "nudges", "INSERT INTO nudges SELECT match, 99, now() FROM seats LIMIT 1",
      .named(.entryMissing)),
    Tampering("deliveries", "UPDATE deliveries SET seen_at = now(), fate = 'failed'", .unseen),
  ]

  /// Rows that are in no record, so that nothing contradicts them.
  static let beside: [Tampering] = [
    Tampering("player_keys", "DELETE FROM player_keys", .named(.entryForged)),
    Tampering("player_keys", "UPDATE player_keys SET revoked_at = now()", .unseen),
    Tampering("player_keys", "UPDATE player_keys SET removed_by = key", .unseen),
    Tampering("player_keys", "UPDATE player_keys SET origin = NULL", .named(.entryForged)),
    Tampering(
      "player_keys",
      """
      UPDATE player_keys SET origin[2] = set_byte(origin[2], 40, get_byte(origin[2], 40) # 1)
      WHERE origin IS NOT NULL
      """,
      .named(.entryForged)),
    Tampering(
      "player_keys",
      """
      INSERT INTO player_keys (key, player, added_at)
      SELECT sha256(key), player, now() FROM player_keys LIMIT 1
      """,
      .recoveryNamed(.keyForged)),
    Tampering(
      "player_keys",
      """
      INSERT INTO player_keys (key, player, added_at, origin)
      SELECT sha256(key), player, now(), origin FROM player_keys WHERE origin IS NOT NULL
      """,
      .recoveryNamed(.keyForged)),
    Tampering("device_invitations", "DELETE FROM device_invitations", .unseen),
    Tampering("recoveries", "DELETE FROM recoveries", .unseen),
    Tampering(
      "recoveries", "UPDATE recoveries SET key = sha256(key)", .recoveryNamed(.namingForged)),
    Tampering(
      "recoveries", "UPDATE recoveries SET naming = '\\x00'", .recoveryNamed(.namingForged)),
    Tampering("players", "UPDATE players SET name = name || 'x' WHERE name <> 'gone'", .unseen),
    Tampering("player_settings", "UPDATE player_settings SET muted = 0", .unseen),
    Tampering(
      "player_settings",
      "UPDATE player_settings SET quiet_from = 0, quiet_until = 1, next_digest_at = now()", .unseen),
    Tampering("devices", "DELETE FROM devices", .unseen),
    Tampering("devices", "UPDATE devices SET token = 'x', arrived_at = now()", .unseen),
    Tampering("blocks", "DELETE FROM blocks", .unseen),
    Tampering("reports", "DELETE FROM reports", .unseen),
    Tampering(
      "bots", "DELETE FROM bots WHERE player NOT IN (SELECT player FROM departures)", .unseen),
    Tampering("bots", "DELETE FROM bots", .recoveryNamed(.goneRemains)),
    Tampering(
      "departures", "UPDATE departures SET asked_at = now() WHERE gone_at IS NULL", .unseen),
    Tampering(
      "departures", "UPDATE departures SET gone_at = now() WHERE gone_at IS NULL",
      .recoveryNamed(.goneRemains)),
    Tampering(
      "players", "UPDATE players SET name = 'Gina' WHERE name = 'gone'",
      .recoveryNamed(.goneRemains)),
    Tampering("reserved_names", "DELETE FROM reserved_names", .unseen),
    Tampering(
      "stranger_invitations",
      "INSERT INTO stranger_invitations SELECT now(), player, player, 9 FROM seats LIMIT 1", .unseen
    ),
    Tampering(
      "seats_left", "INSERT INTO seats_left SELECT player, now(), match FROM seats LIMIT 1", .unseen
    ),
    Tampering("shared_games", "DELETE FROM shared_games", .unseen),
    Tampering("daily_challenges", "UPDATE daily_challenges SET letters = 'x'", .unseen),
    Tampering("ranking_queue", "DELETE FROM ranking_queue", .unseen),
    Tampering("hidden_words", "INSERT INTO hidden_words VALUES ('en', 'WORD')", .unseen),
    Tampering("rating_clock", "UPDATE rating_clock SET last_no = 99", .unseen),
    Tampering("ladder_counts", "UPDATE ladder_counts SET players = 99", .unseen),
    Tampering("key_revocations", "UPDATE key_revocations SET last_no = 99", .unseen),
    Tampering("registration", "UPDATE registration SET mode = 'code'", .unseen),
    Tampering(
      "registration_codes", "INSERT INTO registration_codes VALUES ('ABCD', now())", .unseen),
    Tampering("dead_events", "DELETE FROM dead_events", .unseen),
    Tampering("dead_jobs", "DELETE FROM dead_jobs", .unseen),
    Tampering(
      "set_aside",
      "INSERT INTO set_aside (match, at, act, rows) SELECT match, now(), 'annulled', '{}' FROM seats",
      .named(.stateDiffers)),
    Tampering(
      "push_answers", "INSERT INTO push_answers VALUES (now(), 'webPush', '201', 1)", .unseen),
    Tampering("queue_layout", "INSERT INTO queue_layout (queues) VALUES (4)", .unseen),
    Tampering(
      "broker_claim", "INSERT INTO broker_claim (mark) VALUES (gen_random_uuid())", .unseen),
    Tampering("queue_clocks", "UPDATE queue_clocks SET credit_microseconds = 9", .unseen),
    Tampering("service_time", "UPDATE service_time SET added_microseconds = 9", .unseen),
    Tampering("workers", "DELETE FROM workers", .unseen),
    Tampering("roles", "DELETE FROM roles", .unseen),
    Tampering("trials", "DELETE FROM trials", .unseen),
    Tampering("housekeeping", "UPDATE housekeeping SET horizon = now()", .unseen),
    Tampering("problems", "DELETE FROM problems", .unseen),
    Tampering("operator_acts", "DELETE FROM operator_acts", .unseen),
    Tampering("service", "DELETE FROM service", .unseen),
    Tampering("schema_version", "INSERT INTO schema_version VALUES (999)", .unseen),
  ]

  private static let ofOverMatches =
    "WHERE match IN (SELECT id FROM matches WHERE turn IS NULL)"

  // Every fourth change each time.
  @Test(
    "Every table of the schema: a change is named by the check, or is listed as not seen",
    arguments: 0..<4)
  func tables(part: Int) async throws {
    try await ServiceLab.run(TableTamperTests.options) { lab in
      let answered = try TableTamperTests.fill(lab).answered
      let kept = try KeptTables(lab)
      defer { kept.close() }
      #expect(try TableTamperTests.check(lab) == [])
      #expect(try lab.recoveryViolations() == [])
      let unowed = try lab.jobViolations()
      #expect(unowed == [], "\(unowed)")
      let unanswered = try TableTamperTests.unanswered(answered, lab)
      let all = TableTamperTests.derived + [unanswered] + TableTamperTests.beside
      // A new table cannot be missed.
      #expect(Set(all.map(\.table)) == Set(kept.tables))
      for (number, tampering) in all.enumerated() where number % 4 == part {
        try kept.connection.script(tampering.sql)
        let found = Set(try TableTamperTests.check(lab).map(\.kind))
        let recoveries = Set(try lab.recoveryViolations().map(\.kind))
        let jobs = Set(try lab.jobViolations().map(\.kind))
        switch tampering.finding {
        case .named(let kind): #expect(found.contains(kind), "\(tampering.sql): \(found)")
        case .recoveryNamed(let kind):
          #expect(recoveries.contains(kind), "\(tampering.sql): \(recoveries)")
        case .jobNamed(let kind): #expect(jobs.contains(kind), "\(tampering.sql): \(jobs)")
        case .unseen:
          #expect(found.isEmpty, "\(tampering.sql) is seen: \(found)")
          #expect(recoveries.isEmpty, "\(tampering.sql) is seen: \(recoveries)")
          #expect(jobs.isEmpty, "\(tampering.sql) is seen: \(jobs)")
        }
        try kept.restore()
      }
      #expect(try TableTamperTests.check(lab) == [])
    }
  }

  /// The last turn can be answered again.
  private static func unanswered(_ match: MatchID, _ lab: ServiceLab) throws -> Tampering {
    var state = try lab.match(match)
    state.hasReaction = false
    let bytes = Hex.encode(state.encodedState())
    return Tampering(
      "matches", "UPDATE matches SET state = '\\x\(bytes)' WHERE id = '\(match)'",
      .named(.stateDiffers))
  }

  /// The traces of the end of a match that was cut off, and a way to make each fit the rest. As
  /// long as a trace other than the last is left, nothing is rebuilt.
  static func traces(_ match: MatchID, _ shorter: Match) -> [(name: String, sql: String)] {
    let id = "'\(match)'"
    let state = Hex.encode(shorter.encodedState())
    let due = shorter.deadline.map { "\($0.at.tenMinutes)" } ?? "NULL"
    let deadline =
      shorter.deadline.map {
        "'epoch'::timestamptz + \($0.at.microseconds) * interval '1 microsecond'"
      } ?? "NULL"
    return [
      (
        "state",
        """
        UPDATE matches SET state = '\\x\(state)', turn = \(shorter.turnNumber), due = \(due),
          deadline = \(deadline) WHERE id = \(id)
        """
      ),
      ("past games", "DELETE FROM past_games WHERE match = \(id)"),
      (
        "ratings",
        """
        DELETE FROM ratings WHERE player IN (SELECT player FROM rating_results WHERE match = \(id));
        DELETE FROM rating_results WHERE match = \(id)
        """
      ),
      (
        "push jobs",
        """
        DELETE FROM deliveries WHERE match = \(id)
          AND (kind = 'matchEnded' OR turn > \(shorter.turnNumber)
            OR kind = 'reacted' AND turn = \(shorter.turnNumber - 1))
        """
      ),
      (
        "replies",
        """
        DELETE FROM events WHERE payload_hash IN (
          SELECT sha256(payload) FROM kept.entries WHERE match = \(id)
            AND position >= \(shorter.entryCount))
        """
      ),
      (
        "seats",
        shorter.players.enumerated().map { seat, player in
          "INSERT INTO seats VALUES (\(id), '\(player)', \(seat), false);"
        }.joined()
      ),
    ]
  }

  // With every fourth choice of the traces that are left, each time.
  @Test(
    "A record that is cut is named as long as anything knows better, and is not made the truth",
    arguments: 0..<4)
  func cut(part: Int) async throws {
    try await ServiceLab.run(TableTamperTests.options) { lab in
      let (over, answered) = try TableTamperTests.fill(lab)
      let kept = try KeptTables(lab)
      defer { kept.close() }
      let ended = try TableTamperTests.shortened(over, by: 3, lab)
      try expectNamed(TableTamperTests.traces(over, ended), of: ended, part, lab, kept)
      // The last entry is an answer to a turn.
      let unanswered = try TableTamperTests.shortened(answered, by: 1, lab)
      let traces = TableTamperTests.traces(answered, unanswered).filter {
        ["state", "push jobs", "replies"].contains($0.name)
      }
      try expectNamed(traces, of: unanswered, part, lab, kept)
    }
  }

  /// Cuts the record of a match, and expects that it is named as long as one of the traces is left.
  private func expectNamed(
    _ traces: [(name: String, sql: String)], of shorter: Match, _ part: Int, _ lab: ServiceLab,
    _ kept: KeptTables
  ) throws {
    let match = shorter.id
    for fitted in 0..<(1 << traces.count) where fitted % 4 == part {
      try kept.connection.script(
        "DELETE FROM entries WHERE match = '\(match)' AND position >= \(shorter.entryCount)")
      let speaking = traces.enumerated().filter { fitted & 1 << $0.offset == 0 }
      for (index, trace) in traces.enumerated() where fitted & 1 << index != 0 {
        try kept.connection.script(trace.sql)
      }
      let names = speaking.map(\.element.name)
      let found = try TableTamperTests.check(lab).filter { $0.match == match }
      // If all traces are cut off, only a player who was told of more can see it.
      #expect(found.isEmpty == names.isEmpty, "left: \(names): \(found)")
      if names != ["seats"], !names.isEmpty {
        #expect(found.contains { $0.kind == .entryMissing }, "left: \(names): \(found)")
        let report = try RebuildTests.rebuild(lab)
        let finding = report.findings.first { $0.match == match }
        // A rebuild sees nothing wrong where only replies know better.
        #expect(finding?.mended ?? [] == [], "left: \(names): \(report.findings)")
      }
      try kept.restore()
    }
  }

  // MARK: The lab

  private static var options: ServiceLab.Options {
    var options = ServiceLab.Options()
    options.roles = []
    return options
  }

  /// A row in every table that a record has to do with.
  /// - Returns: a match that was played, is over and rated, and one whose last turn is answered.
  private static func fill(_ lab: ServiceLab) throws -> (over: MatchID, answered: MatchID) {
    let roles = try [RoleName.relay, .push, .scheduler].map { try lab.start($0) }
    try lab.waitUntilWorking()
    let (ann, bob) = try lab.pair()
    let over = try lab.begin(ann, bob)
    try ann.must(.turnPlayed(over, lab.firstWord(lab.match(over))))
    for player in [bob, ann] {
      try player.must(.turnPlayed(over, lab.turn(lab.match(over))))
    }
    try bob.must(.matchForfeited(over))
    let connection = try lab.connection()
    defer { connection.close() }
    _ = try Rater(store: .live(connection), clock: .live, log: ServiceLab.log).step()
    let other = try lab.begin(ann, bob, limit: 7_200)
    try ann.must(.turnPlayed(other, lab.turn(lab.match(other), fromEnd: false)))
    try bob.must(.turnPlayed(other, lab.firstWord(lab.match(other))))
    let (phone, code) = (try LabPlayer("phone", in: lab), DeviceCode(random: 1))
    try ann.must(.recoveryKeyNamed(LabPlayer("words", in: lab).key.publicKey))
    try ann.must(.deviceInvited(code.hash(at: lab.identity.service)))
    _ = try phone.send(phone.sign(.keyAdded(code), of: ann.id))
    _ = try phone.send(phone.sign(.matchForfeited(other), of: ann.id))
    try bob.must(.rematchRequested(other))
    let answered = try lab.begin(ann, bob, limit: 3_000)
    try ann.must(.turnPlayed(answered, lab.firstWord(lab.match(answered))))
    let word = try #require(try lab.match(answered).game.playedWords.first)
    try bob.must(.reacted(answered, turn: 1, word: word))
    let alone = try ann.sign(.matchRequested(MatchRequest(alone: .timed)))
    _ = try ann.send(alone)
    try ann.must(.turnPlayed(alone.newMatch, lab.turn(lab.match(alone.newMatch))))
    try ann.must(.matchForfeited(alone.newMatch))
    for opponent in [MatchRequest.Opponent.open, .player(bob.id), .random] {
      try ann.must(.matchRequested(MatchRequest(opponent: opponent, turnLimitSeconds: 600)))
    }
    let open = try ann.sign(
      .matchRequested(MatchRequest(opponent: .open, turnLimitSeconds: 600)))
    _ = try ann.send(open)
    try ann.must(.requestWithdrawn(open.newMatch))
    let key = DailyKey(day: Day(containing: WallClock.live.now()))
    try waitUntil("the daily is there") {
      if case .accepted = try ann.act(.dailyStarted(key)) { true } else { false }
    }
    let daily = MatchID(daily: key, player: ann.id)
    try ann.must(.turnPlayed(daily, lab.turn(lab.match(daily))))
    try ann.must(.settingsChanged(SettingsChange(reminders: false)))
    try ann.must(
      .deviceRegistered(
        Device(name: #require(DeviceName("phone")), token: nil, permission: .authorized)))
    try ann.must(.gameShared(alone.newMatch))
    try ann.must(.playerBlocked(lab.player("Mallory").id))
    try ann.must(.reported(answered, .conduct))
    try lab.player("Robot").must(.settingsChanged(SettingsChange(isBot: true)))
    // One player has asked for the end of the account, and one is gone.
    try lab.player("Lena").must(.settingsChanged(SettingsChange(isLeaving: true)))
    let gina = try lab.player("Gina").id
    #expect(
      try OperatorStore.live(connection).removePlayer(
        gina, ActRow(act: "account ended", detail: "\(gina)")))
    _ = try lab.jobs()
    try waitUntil("everybody is told of the daily") {
      try connection.query(
        "SELECT count(*) FROM daily_challenges WHERE mode = 'unlimited' AND fan_out_done"
      ).only[0].int64 > 0
    }
    try waitUntil("everybody is ranked") {
      try connection.query("SELECT count(*) FROM ranking_queue").only[0].int64 == 0
    }
    for role in roles { try role.stopAndWait() }
    try lab.stopWorkers()
    return (over, answered)
  }

  private static func check(_ lab: ServiceLab) throws -> [Violation] {
    try lab.looking { store in
      var check = StoreCheck(
        store, identity: lab.identity, lexicons: lab.lexicons, jobsAreComplete: true)
      return try check.run()
    }
  }

  /// The match that the record gives without its last entries.
  private static func shortened(
    _ match: MatchID, by count: Int, _ lab: ServiceLab
  ) throws -> Match {
    let stored = try lab.stored(match)
    var replay = Replay(id: match)
    for entry in stored.record.dropLast(count) {
      let content = try PayloadCodec.decodeContent(entry.signed.payload).replayed
      let lexicon = try #require(
        replay.match.map { lab.lexicons.named($0.lexicon) } ?? .everyWord)
      try replay.take(entry, content, words: lexicon)
    }
    var shorter = try #require(replay.match)
    shorter.restore(version: stored.version, rematch: Match.Rematch())
    return shorter
  }
}
