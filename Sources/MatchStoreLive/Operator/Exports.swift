internal import LibPQ
internal import MatchCore
internal import MatchInterfaces
internal import MatchWire

extension SQL {
  /// The question for a section's rows as JSON, in an order that stays. It finds them by an index.
  ///
  /// - Parameter isWhole: Whether the columns are there that no player is shown.
  static func export(_ section: AccountSection, isWhole: Bool) -> SQL {
    func table(_ name: String, by column: String = "player", order: String) -> String {
      "\(name) AS t WHERE \(column) = $1 ORDER BY \(order)"
    }
    let rows =
      switch section {
      case .player: table("players", by: "id", order: "id")
      case .keys: table("player_keys", order: "added_at, key")
      case .deviceInvitations:
        "device_invitations AS t WHERE player = $1 AND used_by IS NULL ORDER BY until, hash"
      case .recovery: table("recoveries", order: "player")
      case .settings: table("player_settings", order: "player")
      case .devices: table("devices", order: "name")
      case .blocks: table("blocks", order: "blocked")
      case .reports: table("reports", order: "at, match")
      case .departure: table("departures", order: "player")
      case .bot: table("bots", order: "player")
      case .runningMatches:
        // An index in the order of matches would lead past everybody's rows.
        "(SELECT * FROM seats WHERE player = $1 OFFSET 0) AS t ORDER BY match, seat"
      case .pastGames: table("past_games", order: "ended_at, match")
      case .dailyScores:
        """
        (SELECT s.* FROM daily_challenges AS c CROSS JOIN LATERAL (
          SELECT * FROM daily_scores
          WHERE day = c.day AND mode = c.mode AND language = c.language AND player = $1 OFFSET 0
        ) AS s) AS t ORDER BY day, mode, language
        """
      case .soloScores: table("solo_scores", order: "ended_at, match")
      case .boardPlaces:
        """
        (SELECT b.kind, b.mode, b.language, b.day, b.measure, b.time_window, p.*
          FROM boards AS b CROSS JOIN LATERAL (
            SELECT * FROM board_places WHERE board = b.id AND player = $1 OFFSET 0
          ) AS p) AS t ORDER BY kind, mode, language, day, measure, time_window
        """
      case .rating: table("ratings", order: "player")
      case .ratingResults: table("rating_results", order: "rating_no")
      case .notifications:
        """
        deliveries AS t WHERE player = $1 AND fate = 'delivered' AND seen_at IS NULL
        ORDER BY recorded_at, job
        """
      }
    let hidden = isWhole ? [] : section.hiddenColumns.map { " - '\($0)'" }
    return SQL(
      "\(hidden.isEmpty ? "export" : "shown")-\(section.rawValue)",
      "SELECT (to_jsonb(t)\(hidden.joined()))::text FROM \(rows) OFFSET $2 LIMIT $3")
  }
}

extension StoreSession {
  /// The next rows of a section as JSON objects, after so many, with all columns.
  func export(
    _ player: PlayerID, _ section: AccountSection, after count: Int
  ) throws(StoreError) -> [String] {
    try export(player, section, after: count, isWhole: true)
  }

  /// The same as the player may see them. A user that may not read the table yet, since setup was
  /// not run, can answer everything else.
  func shown(
    _ player: PlayerID, _ section: AccountSection, after count: Int
  ) throws(StoreError) -> [String] {
    do throws(StoreError) {
      return try export(player, section, after: count, isWhole: false)
    } catch {
      if case .unusable(let reason) = error { throw .failed(reason) }
      throw error
    }
  }

  private func export(
    _ player: PlayerID, _ section: AccountSection, after count: Int, isWhole: Bool
  ) throws(StoreError) -> [String] {
    let sql = SQL.export(section, isWhole: isWhole)
    let rows = try rows(sql(.id(player), .int(count), .int(AccountSection.pageSize)))
    return try reading(try rows.map { row throws(PostgreSQLError) in try row[0].text })
  }
}
