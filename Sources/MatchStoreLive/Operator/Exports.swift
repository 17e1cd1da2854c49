internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

extension SQL {
  /// The rows of the table `t` of the player $1 as JSON, in an order that stays.
  private static func export(_ section: ExportSection, _ rows: String) -> SQL {
    SQL(
      "export-\(section.rawValue)",
      "SELECT to_jsonb(t)::text FROM \(rows) OFFSET $2 LIMIT $3")
  }

  private static func export(
    _ section: ExportSection, table: String, by column: String = "player", order: String
  ) -> SQL {
    export(section, "\(table) AS t WHERE \(column) = $1 ORDER BY \(order)")
  }

  /// The question for a section. Each finds its rows by an index.
  static let exports: [ExportSection: SQL] = {
    let all = ExportSection.allCases.map { section in
      let sql: SQL =
        switch section {
        case .player: export(section, table: "players", by: "id", order: "id")
        case .keys: export(section, table: "player_keys", order: "added_at, key")
        case .deviceInvitations: export(section, table: "device_invitations", order: "until, hash")
        case .recovery: export(section, table: "recoveries", order: "player")
        case .settings: export(section, table: "player_settings", order: "player")
        case .devices: export(section, table: "devices", order: "name")
        case .blocks: export(section, table: "blocks", order: "blocked")
        case .reports: export(section, table: "reports", order: "at, match")
        case .departure: export(section, table: "departures", order: "player")
        case .bot: export(section, table: "bots", order: "player")
        case .runningMatches: export(section, table: "seats", order: "match, seat")
        case .pastGames: export(section, table: "past_games", order: "ended_at, match")
        case .dailyScores:
          export(
            section,
            """
            (SELECT s.* FROM daily_challenges AS c JOIN daily_scores AS s
              ON s.day = c.day AND s.mode = c.mode AND s.language = c.language AND s.player = $1
            ) AS t ORDER BY day, mode, language
            """)
        case .soloScores: export(section, table: "solo_scores", order: "ended_at, match")
        case .rating: export(section, table: "ratings", order: "player")
        case .ratingResults: export(section, table: "rating_results", order: "rating_no")
        case .notifications:
          export(
            section,
            """
            deliveries AS t WHERE player = $1 AND fate = 'delivered' AND seen_at IS NULL
            ORDER BY recorded_at, job
            """)
        }
      return (section, sql)
    }
    return Dictionary(uniqueKeysWithValues: all)
  }()
}

extension StoreSession {
  /// The next rows of a section as JSON objects, after so many.
  func export(
    _ player: PlayerID, _ section: ExportSection, after count: Int
  ) throws(StoreError) -> [String] {
    guard let sql = SQL.exports[section] else { return [] }
    let rows = try rows(sql(.id(player), .int(count), .int(ExportSection.pageSize)))
    return try reading(try rows.map { row throws(PostgreSQLError) in try row[0].text })
  }
}
