package import LibPQ
package import MatchInterfaces

/// The rights of each user: exactly those that the statements of its role need, as `GRANT` takes them.
///
/// A row lock needs the right to change some column of its row. Where a role only locks and deletes,
/// that column is the key.
package enum DatabaseRights {
  /// Makes a user that is missing, and gives one that is there a password.
  /// - Returns: Whether it was missing.
  @discardableResult
  package static func make(
    _ name: String, password: String?, _ connection: PostgreSQLConnection
  ) throws(StoreError) -> Bool {
    let session = StoreSession(connection)
    let isNew = try !exists(name, connection)
    var statement = "\(isNew ? "CREATE" : "ALTER") ROLE \(quoted(name)) LOGIN"
    if let password {
      do throws(PostgreSQLError) {
        statement += " PASSWORD '\(try connection.encryptedPassword(password, of: name))'"
      } catch { throw session.failed(error) }
    }
    try session.script(statement)
    // The owner sees what sessions of its members do.
    if isNew { try session.script("GRANT \(quoted(name)) TO CURRENT_USER") }
    return isNew
  }

  /// Whether the server has a user.
  package static func exists(
    _ name: String, _ connection: PostgreSQLConnection
  ) throws(StoreError) -> Bool {
    let rows = try StoreSession(connection).rows(SQL.userExists(.text(name)))
    return try reading(try rows.only[0].bool)
  }

  /// Those of the users whose sessions this connection's user may not see or end.
  package static func unseen(
    _ names: some Collection<String>, _ connection: PostgreSQLConnection
  ) throws(StoreError) -> [String] {
    let rows = try StoreSession(connection).rows(SQL.unseenUsers(.textArray(names.sorted())))
    return try reading(try rows.map { row throws(PostgreSQLError) in try row[0].text })
  }

  /// Gives users their rights, all in one transaction, and takes all others from them.
  /// - Parameter dropsGames: Whether games are not kept for ever. Only then may a user but the owner
  ///   delete records.
  package static func grant(
    _ users: [DatabaseUser: String], dropsGames: Bool = false, _ connection: PostgreSQLConnection
  ) throws(StoreError) {
    try StoreSession(connection).script(script(users, dropsGames: dropsGames))
  }

  /// The rights that the users would gain and lose if they were given their rights now; changes
  /// nothing. Users that the database does not have are left out.
  package static func differences(
    _ users: [DatabaseUser: String], dropsGames: Bool = false, _ connection: PostgreSQLConnection
  ) throws(StoreError) -> [DatabaseUser: Difference] {
    let session = StoreSession(connection)
    // As `grant` would: in a transaction that is undone.
    try session.run([], .begins())
    defer { session.rollBack() }
    var known: [DatabaseUser: String] = [:]
    for (user, name) in users where try exists(name, connection) { known[user] = name }
    let before = try rights(of: known, session)
    try session.script(script(known, dropsGames: dropsGames))
    let after = try rights(of: known, session)
    var differences: [DatabaseUser: Difference] = [:]
    for user in known.keys {
      let (has, due) = (before[user] ?? [], after[user] ?? [])
      let difference = Difference(
        // Nobody needs rights on the partitions of single days, which new ones lack.
        missing: due.subtracting(has).filter { !$0.isOfDay }.map(\.text).sorted(),
        superfluous: has.subtracting(due).map(\.text).sorted())
      if difference != Difference() { differences[user] = difference }
    }
    return differences
  }

  /// How the rights that a user has differ from those of its role, such as `INSERT ON entries`.
  package struct Difference: Hashable, Sendable {
    package var missing: [String] = []
    package var superfluous: [String] = []
  }

  private struct Right: Hashable {
    var text: String
    /// Whether it is on a partition of one day.
    var isOfDay: Bool
  }

  /// The rights of users themselves in the schema, and those of everybody to the functions that a
  /// housekeeper borrows, which count as the housekeeper's.
  private static func rights(
    of users: [DatabaseUser: String], _ session: StoreSession
  ) throws(StoreError) -> [DatabaseUser: Set<Right>] {
    let keys = users.sorted { $0.key.rawValue < $1.key.rawValue }
    var rights: [DatabaseUser: Set<Right>] = [:]
    for (user, name) in keys {
      let rows = try session.rows(SQL.rights(.text(name), .bool(user == .housekeeper)))
      rights[user] = try reading { () throws(PostgreSQLError) in
        var found: Set<Right> = []
        for row in rows {
          found.insert(Right(text: try row[0].text, isOfDay: try row[1].bool))
        }
        return found
      }
    }
    return rights
  }

  /// Whether the session's user owns the tables, and so may give rights on them.
  package static func ownsTables(_ connection: PostgreSQLConnection) throws(StoreError) -> Bool {
    let rows = try StoreSession(connection).rows(SQL.ownsTables())
    return try reading(try rows.only[0].bool)
  }

  /// Whether any user may make functions in the schema, which the owner might then call. PostgreSQL
  /// before version 15 lets them, and databases that were upgraded from it.
  package static func letsEverybodyCreate(
    _ connection: PostgreSQLConnection
  ) throws(StoreError) -> Bool {
    let rows = try StoreSession(connection).rows(SQL.schemaIsOpen())
    return try reading(try rows.only[0].bool)
  }

  private static func script(_ users: [DatabaseUser: String], dropsGames: Bool) -> String {
    var statements = [
      // Two setups at a time would change the same rows.
      "SELECT pg_advisory_xact_lock(hashtextextended('cubist/rights', 0))",
      // Of another owner's schema this revokes nothing, and is no error.
      "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
      revokingObjects,
    ]
    if users[.housekeeper] != nil { statements += lendsPartitions }
    for (user, name) in users.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      let name = quoted(name)
      statements += [
        "REVOKE ALL ON ALL TABLES IN SCHEMA public FROM \(name)",
        "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA public FROM \(name)",
        "REVOKE ALL ON SCHEMA public FROM \(name)",
        "GRANT USAGE ON SCHEMA public TO \(name)",
      ]
      let rights = of(user) + (dropsGames && user == .housekeeper ? droppingGames : [])
      statements += rights.map { "GRANT \($0) TO \(name)" }
    }
    return statements.joined(separator: ";\n")
  }

  /// Only the owner of a table makes and drops its partitions: these two functions do it as the
  /// owner, for the owner and the housekeeper alone.
  private static let lendsPartitions = [
    "cubist_add_partitions(timestamptz, integer)", "cubist_drop_partitions(text, date)",
  ].flatMap { function in
    [
      "ALTER FUNCTION \(function) SECURITY DEFINER",
      "ALTER FUNCTION \(function) SET search_path = public, pg_temp",
      "REVOKE ALL ON FUNCTION \(function) FROM PUBLIC",
    ]
  }

  /// A name as SQL takes it.
  package static func quoted(_ name: String) -> String {
    "\"" + name.replacing("\"", with: "\"\"").replacing("\0", with: "") + "\""
  }

  /// A user's rights.
  package static func of(_ user: DatabaseUser) -> [String] {
    switch user {
    case .worker: signs + worker
    case .scheduler: signs + scheduler
    case .steward: signs + steward
    case .housekeeper: signs + housekeeper
    case .relay: signs + relay
    case .reader: signs + reader
    case .push: signs + push
    case .rater: signs + rater
    case .lookout: ["SELECT ON ALL TABLES IN SCHEMA public"]
    }
  }

  /// Schema, layout, broker and service of the database, signs of life, and problems.
  private static let signs = [
    "SELECT ON schema_version, queue_layout, broker_claim, service, service_clock, set_aside",
    "SELECT, INSERT, DELETE, UPDATE (heartbeat_at, problem, started_at) ON roles",
    "SELECT, DELETE, UPDATE (heartbeat_at, started_at) ON workers",
    "SELECT, INSERT, DELETE, UPDATE (at, reason) ON problems",
  ]

  private static let worker = [
    """
    SELECT ON bots, daily_challenges, held_jobs, rating_results, ratings, registration, \
    registration_codes, reserved_names
    """,
    "INSERT ON bots, dead_events, ranking_queue, workers",
    // `ON CONFLICT` reads the columns that it names.
    "SELECT, INSERT ON entries, events, owed_jobs, players, ratings, shared_games",
    "SELECT, INSERT, DELETE, UPDATE (next_try_at) ON rating_queue",
    // Former workers delete the codes of matches that end.
    "SELECT, INSERT, DELETE ON invitation_codes, open_seats, pairs, rematch_offers, solo_scores",
    "SELECT, INSERT, DELETE, UPDATE (player) ON blocks",
    "SELECT, INSERT, DELETE, UPDATE (points) ON daily_scores",
    "SELECT, INSERT, UPDATE (asked_at) ON departures",
    "SELECT, UPDATE (seen_at) ON deliveries",
    "SELECT, INSERT, DELETE, UPDATE (used_by) ON device_invitations",
    """
    SELECT, INSERT, DELETE, UPDATE (answer, answered_at, arrived_at, key, permission, \
    registered_at, service, subscription_key, subscription_secret, token) ON devices
    """,
    "SELECT, UPDATE (last_no) ON key_revocations",
    """
    SELECT, INSERT, UPDATE (deadline, declined_at, declined_seat, due, remind_at, remind_due, state, \
    successor, turn, version) ON matches
    """,
    "SELECT, INSERT, DELETE, UPDATE (at, turn) ON nudges",
    "SELECT, INSERT, DELETE, UPDATE (job) ON outbox",
    "SELECT, INSERT, UPDATE (reason, result) ON past_games",
    "SELECT, INSERT, UPDATE (removed_by, revoked_at) ON player_keys",
    """
    SELECT, INSERT, UPDATE (digest_minute, display_name, is_bundled, language, muted, next_digest_at, \
    quiet_drops, quiet_from, quiet_until, review_weekday, seen_until, takes_nudges, time_zone) \
    ON player_settings
    """,
    """
    SELECT, INSERT, UPDATE (credit_microseconds, held_until, outage_from, outage_until, time) \
    ON queue_clocks
    """,
    """
    SELECT, INSERT, UPDATE (begun_at, due_at, due_credit, key, named_at, naming, new_key, next_at, \
    next_credit, next_key, next_naming, objector, recovery, request) ON recoveries
    """,
    "UPDATE (used_at, used_by) ON registration_codes",
    "SELECT, INSERT, DELETE, UPDATE (reason, text) ON reports",
    "SELECT, INSERT, DELETE, UPDATE (is_invited, player) ON seats",
    "SELECT, INSERT ON seats_left",
    "SELECT, INSERT, UPDATE (sent) ON stranger_invitations",
    "SELECT, INSERT, DELETE, UPDATE (at, lives) ON trials",
  ]

  private static let scheduler = [
    "SELECT ON departures, matches, queue_clocks, recoveries, seats",
    "SELECT, UPDATE (added_microseconds, jump_microseconds, jumped_at) ON service_time",
  ]

  private static let steward = [
    """
    SELECT ON blocks, bots, daily_scores, dead_events, dead_jobs, deliveries, departures, devices, \
    entries, hidden_words, held_jobs, housekeeping, nudges, open_seats, pairs, past_games, \
    player_keys, players, push_answers, queue_clocks, rating_queue, ratings, recoveries, registration, \
    rematch_offers, seats, service_time, solo_scores
    """,
    "UPDATE (claimed_at, former, mark) ON broker_claim",
    """
    SELECT, INSERT, UPDATE (fan_out_cursor, fan_out_done, reminder_cursor, reminder_done) \
    ON daily_challenges
    """,
    "SELECT, UPDATE (remind_at, remind_due) ON matches",
    "SELECT, UPDATE (next_digest_at) ON player_settings",
    "SELECT, INSERT ON boards, outbox, owed_jobs",
    "SELECT, INSERT, DELETE, UPDATE (players, scores) ON board_buckets",
    "SELECT, INSERT, DELETE, UPDATE (players) ON board_counts",
    "SELECT, INSERT, DELETE, UPDATE (ended_at, expires_at, match, points, word) ON board_places",
    "SELECT, INSERT, DELETE ON ranking_queue",
  ]

  private static let housekeeper = [
    "SELECT ON daily_challenges, matches, seats, solo_scores",
    "SELECT, UPDATE (horizon) ON housekeeping",
    "SELECT, DELETE ON events_default, dead_events_default",
    """
    SELECT, DELETE ON board_buckets, board_counts, board_places, boards, daily_scores, devices, \
    player_settings, recoveries
    """,
    "SELECT, INSERT ON bots, ranking_queue",
    // Deleted rows are locked first.
    "SELECT, DELETE, UPDATE (player) ON blocks",
    "SELECT, DELETE, UPDATE (hash) ON device_invitations",
    "SELECT, DELETE, UPDATE (id) ON dead_jobs, operator_acts",
    "SELECT, DELETE, UPDATE (job) ON deliveries, owed_jobs",
    "SELECT, DELETE, UPDATE (match) ON nudges, rematch_offers, reports, seats_left",
    "SELECT, DELETE, UPDATE (minute) ON push_answers",
    "SELECT, DELETE, UPDATE (day) ON stranger_invitations",
    "SELECT, DELETE, UPDATE (message) ON trials",
    "SELECT, INSERT, UPDATE (asked_at, gone_at, is_settled) ON departures",
    "SELECT, UPDATE (last_no) ON key_revocations",
    "SELECT, UPDATE (revoked_at) ON player_keys",
    "SELECT, UPDATE (name, name_key) ON players",
    "SELECT, INSERT, DELETE, UPDATE (until) ON reserved_names",
    "EXECUTE ON FUNCTION cubist_add_partitions(timestamptz, integer)",
    "EXECUTE ON FUNCTION cubist_drop_partitions(text, date)",
  ]

  private static let droppingGames = [
    "SELECT ON events, held_jobs, outbox, rating_queue",
    "SELECT, DELETE ON entries, past_games, set_aside",
    // Deleted rows are locked first.
    "SELECT, DELETE, UPDATE (id) ON matches",
  ]

  private static let relay = [
    "SELECT, DELETE, UPDATE (job) ON outbox, held_jobs"
  ]

  private static let reader = [
    """
    SELECT ON blocks, board_buckets, board_counts, board_places, boards, bots, daily_challenges, \
    daily_scores, deliveries, departures, device_invitations, devices, entries, hidden_words, \
    invitation_codes, ladder_counts, matches, nudges, past_games, player_keys, player_settings, \
    players, queue_clocks, rating_results, ratings, recoveries, registration, rematch_offers, \
    reports, seats, shared_games, solo_scores
    """
  ]

  private static let push = [
    """
    SELECT ON blocks, bots, daily_scores, departures, entries, matches, past_games, player_settings, \
    players, ratings, rematch_offers, seats
    """,
    "SELECT, INSERT, UPDATE (at, reason) ON dead_jobs",
    "SELECT, INSERT, UPDATE (fate, reason, recorded_at) ON deliveries",
    "SELECT, DELETE, UPDATE (answer, answered_at, arrived_at) ON devices",
    "SELECT, INSERT, DELETE, UPDATE (reason, until) ON held_jobs",
    "SELECT, INSERT, UPDATE (count) ON push_answers",
    "SELECT, INSERT, DELETE, UPDATE (at, lives) ON trials",
  ]

  private static let rater = [
    "SELECT ON board_places, boards, players",
    "SELECT, UPDATE (is_settled) ON bots",
    "SELECT, INSERT, UPDATE (players) ON ladder_counts",
    "SELECT, UPDATE (last_no) ON rating_clock",
    "SELECT, DELETE, UPDATE (next_try_at) ON rating_queue",
    "SELECT, INSERT ON rating_results",
    """
    SELECT, INSERT, UPDATE (deviation, is_bot, match_count, rated_at, rating, rating_no, volatility) \
    ON ratings
    """,
  ]
}

extension SQL {
  fileprivate static let ownsTables = SQL(
    "ownsTables",
    "SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = 'entries'::regclass")
  fileprivate static let unseenUsers = SQL(
    "unseenUsers",
    """
    SELECT rolname FROM pg_roles
    WHERE rolname = ANY($1) AND NOT pg_has_role(oid, 'USAGE')
      AND NOT (pg_has_role('pg_read_all_stats', 'USAGE')
        AND pg_has_role('pg_signal_backend', 'USAGE'))
    ORDER BY rolname
    """)
  fileprivate static let userExists = SQL(
    "userExists", "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)")
  /// The grantee 0 is everybody. A function without rights of its own has those of its kind.
  fileprivate static let rights = SQL(
    "rights",
    """
    WITH who AS (SELECT oid FROM pg_roles WHERE rolname = $1),
    tables AS (
      SELECT oid, relname, relacl,
        relispartition AND pg_get_expr(relpartbound, oid) <> 'DEFAULT' AS is_of_day
      FROM pg_class WHERE relnamespace = 'public'::regnamespace),
    functions AS (
      SELECT oid::regprocedure::text AS name, prosecdef, proconfig,
        coalesce(proacl, acldefault('f', proowner)) AS acl
      FROM pg_proc WHERE pronamespace = 'public'::regnamespace),
    lent AS (
      SELECT * FROM functions
      WHERE $2 AND name ~ '^cubist_(add|drop)_partitions\\(')
    SELECT r.privilege_type || ' ON ' || t.relname, t.is_of_day
      FROM who, tables AS t, aclexplode(t.relacl) AS r WHERE r.grantee = who.oid
    UNION
    SELECT r.privilege_type || ' (' || a.attname || ') ON ' || t.relname, t.is_of_day
      FROM who, tables AS t JOIN pg_attribute AS a ON a.attrelid = t.oid AND NOT a.attisdropped,
        aclexplode(a.attacl) AS r
      WHERE r.grantee = who.oid
    UNION
    SELECT r.privilege_type || ' ON FUNCTION ' || f.name, false
      FROM who, functions AS f, aclexplode(f.acl) AS r WHERE r.grantee = who.oid
    UNION
    SELECT r.privilege_type || ' ON SCHEMA public', false
      FROM who, pg_namespace AS n, aclexplode(n.nspacl) AS r
      WHERE n.nspname = 'public' AND r.grantee = who.oid
    UNION
    SELECT r.privilege_type || ' ON FUNCTION ' || f.name || ' for everybody', false
      FROM lent AS f, aclexplode(f.acl) AS r WHERE r.grantee = 0
    UNION
    SELECT 'the owner''s rights in ' || f.name, false
      FROM lent AS f WHERE f.prosecdef AND f.proconfig IS NOT NULL
    """)
  /// The name `public` stands for everybody.
  fileprivate static let schemaIsOpen = SQL(
    "schemaIsOpen", "SELECT has_schema_privilege('public', 'public', 'CREATE')")
}
