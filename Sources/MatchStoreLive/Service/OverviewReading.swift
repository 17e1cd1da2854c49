internal import LibPQ
internal import MatchCore
internal import MatchInterfaces
internal import MatchWire

extension SQL {
  // One walk along an index for each list of each player, however many matches there are. Only one
  // index has the order by player and time, so that no planner walks through everybody's
  // notifications. The fingerprint covers everything about the player that the queries
  // for settings and blocks show.
  static let overviews = SQL(
    "overviews",
    """
    SELECT u.player, m.ids, m.versions, d.job, d.recorded_at, (
      SELECT left(encode(sha256(convert_to(jsonb_build_array(
        coalesce((SELECT s.muted FROM player_settings AS s WHERE s.player = u.player), 0),
        (SELECT s.display_name FROM player_settings AS s WHERE s.player = u.player),
        coalesce(
          (SELECT jsonb_build_array(\(preferences)) FROM player_settings AS s
            WHERE s.player = u.player),
          '[null, null, null, null, false, true, true, null, null]'),
        EXISTS (SELECT FROM bots AS b WHERE b.player = u.player),
        (SELECT extract(epoch FROM l.asked_at) FROM departures AS l WHERE l.player = u.player),
        (SELECT jsonb_agg(
            jsonb_build_array(v.name, v.service, v.token, v.permission,
              extract(epoch FROM v.arrived_at), extract(epoch FROM v.answered_at), v.answer)
            ORDER BY v.name)
          FROM devices AS v WHERE v.player = u.player),
        (SELECT jsonb_agg(
            jsonb_build_array(b.blocked, extract(epoch FROM b.since)) ORDER BY b.blocked)
          FROM blocks AS b WHERE b.player = u.player)
      )::text, 'UTF8')), 'hex'), 32)) AS settings
    FROM (SELECT DISTINCT player FROM unnest($1) AS u (player)) AS u
    CROSS JOIN LATERAL (
      SELECT array_agg(v.id ORDER BY v.id DESC) AS ids,
        array_agg(v.version ORDER BY v.id DESC) AS versions
      FROM (
        (SELECT match FROM seats WHERE player = u.player AND is_invited = false
          ORDER BY match DESC LIMIT $2)
        UNION
        (SELECT match FROM seats WHERE player = u.player AND is_invited = true
          ORDER BY match DESC LIMIT $2)
        UNION
        (SELECT match FROM rematch_offers
          WHERE (from_player = u.player OR to_player = u.player)
            AND at > \(statementTime) - $4 * interval '1 second'
          ORDER BY at DESC, match DESC LIMIT $3)
        UNION
        (SELECT match FROM past_games WHERE player = u.player
          ORDER BY ended_at DESC, match DESC LIMIT $3)
      ) AS l CROSS JOIN LATERAL (
        SELECT id, version FROM matches WHERE id = l.match OFFSET 0) AS v
    ) AS m
    LEFT JOIN LATERAL (
      SELECT recorded_at FROM deliveries
      WHERE fate = 'delivered' AND seen_at IS NULL AND (player, recorded_at) <= (u.player, 'infinity')
        AND (player, recorded_at) > (
          u.player, greatest(\(statementTime) - interval '30 days', (
            SELECT s.seen_until FROM player_settings AS s WHERE s.player = u.player)))
      ORDER BY player DESC, recorded_at DESC LIMIT 1
    ) AS n ON true
    LEFT JOIN LATERAL (
      SELECT job, recorded_at FROM (
        SELECT job, recorded_at FROM deliveries
        WHERE fate = 'delivered' AND seen_at IS NULL AND player = u.player
          AND recorded_at = n.recorded_at OFFSET 0
      ) AS newest ORDER BY job LIMIT 1
    ) AS d ON true
    """)
}

extension StoreSession {
  /// The overviews of players.
  func overviews(_ players: [PlayerID]) throws(StoreError) -> [PlayerID: Overview] {
    let rows = try rows(
      SQL.overviews(
        .ids(players), .int(Overview.currentLimit), .int(Overview.endedLimit),
        .int64(Match.invitationSeconds)))
    return try reading { () throws(PostgreSQLError) in
      var overviews: [PlayerID: Overview] = [:]
      for row in rows { overviews[try row[0].id()] = try Overview(row) }
      return overviews
    }
  }
}

extension Overview {
  /// Reads matches, their versions, the newest notification and the fingerprint of settings from
  /// the second column on.
  fileprivate init(_ row: Rows.Row) throws(PostgreSQLError) {
    // A player without matches has no arrays.
    let ids = try row[1].ifPresent?.uuidArray.compactMap(\.self) ?? []
    let versions = try row[2].ifPresent?.int64Array.compactMap(\.self) ?? []
    let newest = try row[3].ifPresent.map { cell throws(PostgreSQLError) in
      Newest(id: try cell.id(), sentAt: try row[4].instant)
    }
    self.init(
      matches: zip(ids, versions).map { Version(match: MatchID(rawValue: $0), version: $1) },
      inbox: newest, settings: try row[5].text)
  }
}
