package import LibPQ
package import MatchInterfaces

/// The parameters of sessions on which the statements of the stores rely.
///
/// Any user may set most of them for all its later sessions (`ALTER ROLE … SET`), and a new password
/// does not change that. A value that a session states as it connects wins over such a setting.
package enum SessionParameters {
  /// The values that each session states. All versions from 14 on have these parameters, and every
  /// user may set them.
  ///
  /// Some are the reasons for this: `off` as `synchronous_commit` loses turns that were answered, a
  /// library that is not there keeps its user out, and `exit_on_error` ends a session with each
  /// conflict.
  package static let stated: [String: String] = [
    "DateStyle": "ISO, MDY",
    "IntervalStyle": "postgres",
    "TimeZone": "UTC",
    "array_nulls": "on",
    "bytea_output": "hex",
    "client_min_messages": "notice",
    "default_transaction_deferrable": "off",
    "default_transaction_isolation": "read committed",
    "default_transaction_read_only": "off",
    "enable_bitmapscan": "on",
    "enable_indexonlyscan": "on",
    "enable_indexscan": "on",
    "enable_nestloop": "on",
    "enable_partition_pruning": "on",
    "enable_seqscan": "off",
    "exit_on_error": "off",
    "extra_float_digits": "1",
    "gin_fuzzy_search_limit": "0",
    "idle_session_timeout": "0",
    "jit": "off",
    "local_preload_libraries": "",
    "max_parallel_workers_per_gather": "0",
    "plan_cache_mode": "force_generic_plan",
    "quote_all_identifiers": "off",
    "row_security": "on",
    // Temporary tables, which anybody may make, come last.
    "search_path": "public, pg_temp",
    "standard_conforming_strings": "on",
    "synchronous_commit": "on",
    "transform_null_equals": "off",
  ]

  /// Further ones that no user is to set for itself: a connection states them by itself, an
  /// administrator may want them otherwise for all, or not every version has them.
  private static let others: Set<String> = [
    "client_connection_check_interval", "client_encoding", "debug_print_parse",
    "debug_print_plan", "debug_print_rewritten", "default_table_access_method",
    "default_tablespace", "idle_in_transaction_session_timeout", "lock_timeout",
    "log_parameter_max_length_on_error", "restrict_nonsystem_relation_kind", "role",
    "statement_timeout", "tcp_keepalives_count", "tcp_keepalives_idle",
    "tcp_keepalives_interval", "tcp_user_timeout", "temp_tablespaces",
    "transaction_deferrable", "transaction_isolation", "transaction_read_only",
    "transaction_timeout",
  ]

  private static let relied = Set(others.union(stated.keys).map { $0.lowercased() })

  /// A setting that a user has besides those of the server and of the database.
  package struct Setting: Hashable, Sendable {
    package var user: String
    package var parameter: String
    package var value: String
    /// The database in which alone it holds; nil: in all of them.
    package var database: String?

    package init(user: String, parameter: String, value: String, database: String? = nil) {
      (self.user, self.parameter, self.value) = (user, parameter, value)
      self.database = database
    }

    /// Whether the service relies on the parameter.
    package var isRelied: Bool { relied.contains(parameter.lowercased()) }

    /// The statement that takes it away.
    package var removal: String {
      let place = database.map { " IN DATABASE \(DatabaseRights.quoted($0))" } ?? ""
      // PostgreSQL takes quoted names of extensions' parameters, too.
      return "ALTER ROLE \(DatabaseRights.quoted(user))\(place) RESET "
        + DatabaseRights.quoted(parameter)
    }
  }

  /// The settings that users and the session's own user have, in all databases and in this one.
  package static func settings(
    of users: some Collection<String>, _ connection: PostgreSQLConnection
  ) throws(StoreError) -> [Setting] {
    let rows = try StoreSession(connection).rows(SQL.userSettings(.textArray(users.map { $0 })))
    return try reading(
      try rows.map { row throws(PostgreSQLError) in
        Setting(
          user: try row[0].text, parameter: try row[2].text, value: try row[3].text,
          database: try row[1].ifPresent?.text)
      })
  }

  /// Takes a setting away.
  package static func remove(
    _ setting: Setting, _ connection: PostgreSQLConnection
  ) throws(StoreError) {
    try StoreSession(connection).script(setting.removal)
  }
}

extension SQL {
  fileprivate static let userSettings = SQL(
    "userSettings",
    """
    SELECT r.rolname::text, d.datname::text, split_part(c, '=', 1), substr(c, strpos(c, '=') + 1)
    FROM pg_db_role_setting AS s JOIN pg_roles AS r ON r.oid = s.setrole
      LEFT JOIN pg_database AS d ON d.oid = s.setdatabase
      CROSS JOIN unnest(s.setconfig) AS c
    WHERE r.rolname = ANY ($1::text[] || session_user::text)
      AND (s.setdatabase = 0 OR d.datname = current_database())
    ORDER BY 1, 2 NULLS FIRST, 3
    """)
}
