package import LibPQ
internal import MatchCore
package import MatchInterfaces

extension SQL {
  static let judgedJobs = SQL(
    "judgedJobs",
    """
    SELECT j.job,
      (SELECT d.fate FROM deliveries AS d WHERE d.job = j.job AND d.fate <> 'failed'),
      CASE
        WHEN \(isGone("j.player")) THEN 'gone'
        WHEN EXISTS (
          SELECT FROM player_settings AS s WHERE s.player = j.player
            AND (s.muted & j.mask <> 0 OR j.is_nudge AND NOT s.takes_nudges))
          THEN 'muted'
        WHEN EXISTS (SELECT FROM devices AS d WHERE d.player = j.player)
          AND NOT EXISTS (
            SELECT FROM devices AS d WHERE d.player = j.player AND d.permission = ANY($9))
          THEN 'noPermission'
        WHEN j.is_of_match AND m.turn IS NULL THEN 'matchOver'
        WHEN j.is_of_match AND m.turn <> j.turn THEN 'answered'
        WHEN DATE '1970-01-01' + j.day < (\(statementTime) AT TIME ZONE 'UTC')::date
          THEN 'dayOver'
      END,
      other.id, other.name,
      CASE
        WHEN j.day IS NOT NULL THEN (DATE '1970-01-01' + j.day + 1)::timestamp AT TIME ZONE 'UTC'
        WHEN m.deadline > \(statementTime) THEN m.deadline
      END
    FROM unnest($1, $2, $3, $4, $5, $6, $7, $8)
      AS j (job, player, mask, is_nudge, is_of_match, match, turn, day)
    LEFT JOIN matches AS m ON m.id = j.match AND j.is_of_match
    LEFT JOIN LATERAL (
      SELECT p.id, \(calledName) AS name
      FROM seats AS o JOIN players AS p ON p.id = o.player
        LEFT JOIN player_settings AS s ON s.player = p.id
      WHERE o.match = j.match AND o.player <> j.player AND NOT o.is_invited LIMIT 1
    ) AS other ON true
    """)
  static let devicesOfPlayers = SQL(
    "devicesOfPlayers",
    """
    SELECT \(deviceColumns) FROM devices
    WHERE player = ANY($1) AND permission = ANY($2) ORDER BY player, name
    """)
  // A player with very many matches has at least this number of them.
  static let toldPlayers = SQL(
    "toldPlayers",
    """
    SELECT u.player, \(statementTime), w.turns, w.invitations,
      (SELECT count(*) FROM (
        SELECT FROM rematch_offers AS r
        WHERE r.to_player = u.player
          AND r.at > \(statementTime) - $2 * interval '1 second' LIMIT 99) AS a),
      l.any_at, l.turn_at, \(preferences)
    FROM unnest($1) AS u (player) LEFT JOIN player_settings AS s ON s.player = u.player
      CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE NOT a.is_invited) AS turns,
          count(*) FILTER (WHERE a.is_invited) AS invitations
        FROM (
          SELECT t.is_invited FROM seats AS t
          WHERE t.player = u.player AND (t.is_invited
            OR EXISTS (
              SELECT FROM matches AS m WHERE m.id = t.match AND (m.turn - 1) % 2 = t.seat)
              AND EXISTS (SELECT FROM seats AS o WHERE o.match = t.match AND o.seat <> t.seat))
          LIMIT 99) AS a) AS w
      CROSS JOIN LATERAL (
        SELECT max(d.recorded_at) AS any_at,
          max(d.recorded_at) FILTER (WHERE d.kind = ANY($5)) AS turn_at
        FROM deliveries AS d
        WHERE d.player = u.player AND d.fate = 'delivered' AND d.seen_at IS NULL
          AND d.recorded_at > greatest(
            s.seen_until, \(statementTime) - $3 * interval '1 second')
          AND d.kind = ANY($4) AND d.reason IS DISTINCT FROM 'silent'
          AND (d.kind <> ALL($5)
            OR EXISTS (SELECT FROM matches AS m WHERE m.id = d.match AND m.turn = d.turn))) AS l
    """)
  static let calledNames = SQL(
    "calledNames",
    """
    SELECT p.id, \(calledName)
    FROM players AS p LEFT JOIN player_settings AS s ON s.player = p.id WHERE p.id = ANY($1)
    """)
  static let playerRows = SQL(
    "playerRows", players(where: "p.id = ANY($1)"))
  // In the order of the jobs, so that no two push workers wait for each other.
  static let recordFates = SQL(
    "recordFates",
    """
    INSERT INTO deliveries (job, kind, player, match, turn, day, fate, reason, recorded_at)
    SELECT job, kind, player, match, turn, DATE '1970-01-01' + day, fate, reason, \(statementTime)
    FROM unnest($1, $2, $3, $4, $5, $6, $7, $8)
      AS u (job, kind, player, match, turn, day, fate, reason)
    ORDER BY job
    ON CONFLICT (job) DO UPDATE SET fate = excluded.fate, reason = excluded.reason,
      recorded_at = excluded.recorded_at
    WHERE deliveries.fate = 'failed'
    """)
  // A row that a relay has is the relay's to delete. Nobody waits for it here.
  static let releaseJobs = SQL(
    "releaseJobs",
    """
    DELETE FROM held_jobs WHERE job IN (
      SELECT job FROM held_jobs WHERE job = ANY($1) ORDER BY job FOR UPDATE SKIP LOCKED)
    """)
  // In the order of the jobs too. A relay that has published a row deletes it before the job can be
  // held once more.
  static let holdJobs = SQL(
    "holdJobs",
    """
    INSERT INTO held_jobs (job, kind, player, match, turn, day, reason, until, held_at)
    SELECT job, kind, player, match, turn, DATE '1970-01-01' + day, reason, until,
      \(statementTime)
    FROM unnest($1, $2, $3, $4, $5, $6, $7, $8)
      AS u (job, kind, player, match, turn, day, reason, until)
    WHERE NOT EXISTS (
      SELECT FROM deliveries AS d WHERE d.job = u.job AND d.fate <> 'failed')
    ORDER BY job
    ON CONFLICT (job) DO UPDATE SET reason = excluded.reason, until = excluded.until
    """)
  // In the order of the keys, for the same reason.
  static let buryJobs = SQL(
    "buryJobs",
    """
    INSERT INTO dead_jobs (id, at, reason, body)
    SELECT id, \(statementTime), reason, body FROM unnest($1, $2, $3) AS u (id, reason, body)
    ORDER BY id
    ON CONFLICT (id) DO UPDATE SET at = excluded.at, reason = excluded.reason
    """)

  /// The name of the player p, with the settings s, in a notification: as
  /// `DisplayName.text(beside:)`.
  private static let calledName = """
    CASE WHEN s.display_name IS NULL OR lower(s.display_name) = p.name_key
      THEN coalesce(s.display_name, p.name) ELSE s.display_name || ' (' || p.name || ')' END
    """

  /// Whether a player is declared a bot's. A player who is gone is shown as nothing but that.
  static func isBot(_ player: String) -> String {
    "EXISTS (SELECT FROM bots AS b WHERE b.player = \(player)) AND NOT \(isGone(player))"
  }

  /// The columns that `StoreSession.players` reads.
  static func players(where condition: String) -> String {
    """
    SELECT p.id, p.name, p.registered_at, r.rating, r.deviation, r.volatility, r.rated_at,
      r.match_count, \(isBot("p.id"))
    FROM players AS p LEFT JOIN ratings AS r ON r.player = p.id WHERE \(condition)
    """
  }
}

extension PushStore {
  /// The store on PostgreSQL, over a connection that nobody else uses.
  ///
  /// After `StoreError.unavailable` the connection is closed, until `reconnect`.
  package static func live(_ connection: PostgreSQLConnection) -> PushStore {
    let briefing = JobBriefing(StoreSession(connection))
    var store = PushStore.failing
    store.brief.answer(with: briefing.brief)
    store.record.answer(with: briefing.session.record)
    store.bury.answer(with: briefing.session.bury)
    store.reconnect.answer(with: briefing.session.reconnect)
    store.trial.answer(with: briefing.session.trial)
    return store
  }
}

extension StoreSession {
  fileprivate func record(_ results: PushStore.Results) throws(StoreError) {
    var calls: [Call] = []
    let (outcomes, held) = (results.outcomes, results.held)
    if !outcomes.isEmpty {
      calls += [
        SQL.recordFates(
          outcomes.uuids(\.job.id), outcomes.texts(\.job.kind.rawValue),
          outcomes.uuids(\.job.player), outcomes.uuids(\.job.match), outcomes.int32s(\.job.turn),
          outcomes.int32s { $0.job.day.map { Int($0.number) } },
          outcomes.texts(\.fate.rawValue), outcomes.texts(\.reason?.rawValue)),
        SQL.releaseJobs(.ids(outcomes.map(\.job.id))),
      ]
    }
    if !held.isEmpty {
      calls.append(
        SQL.holdJobs(
          held.uuids(\.job.id), held.texts(\.job.kind.rawValue), held.uuids(\.job.player),
          held.uuids(\.job.match), held.int32s(\.job.turn),
          held.int32s { $0.job.day.map { Int($0.number) } }, held.texts(\.reason.rawValue),
          held.instants(\.until)))
    }
    calls += results.answers.calls
    guard !calls.isEmpty else { return }
    try run(calls)
  }

  fileprivate func bury(_ jobs: [DeadJob]) throws(StoreError) {
    let jobs = Dictionary(jobs.map { ($0.id, $0) }) { $1 }
    guard !jobs.isEmpty else { return }
    // A provider's words may hold a NUL character, which no text of the database can hold.
    let rows = jobs.map { (id: $0, reason: $1.reason.replacing("\0", with: ""), body: $1.body) }
    try run([SQL.buryJobs(rows.uuids(\.id), rows.texts(\.reason), rows.blobs(\.body))])
  }

  /// Reads id, name, time of registration, rating, and whether it is a bot.
  func players(_ rows: Rows) throws(StoreError) -> [ReaderStore.PlayerRow] {
    try reading(
      try rows.map { row throws(PostgreSQLError) in
        var player = try ReaderStore.PlayerRow(row)
        player.isBot = try row[8].bool
        return player
      })
  }
}

extension ReaderStore.PlayerRow {
  /// Reads id, name, time of registration and, if there is one, rating.
  init(_ row: Rows.Row) throws(PostgreSQLError) {
    self.init(id: try row[0].id(), name: try row[1].name, registeredAt: try row[2].instant)
    if try row[3].ifPresent != nil { rating = try PlayerRating(row, at: 3) }
  }
}
