internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

extension SQL {
  static let reportsOfDay = SQL(
    "reportsOfDay",
    """
    SELECT u.player, r.match, r.at FROM unnest($1) AS u (player)
    CROSS JOIN LATERAL (
      SELECT match, at FROM reports
      WHERE player = u.player AND at > \(statementTime) - interval '1 day'
      ORDER BY at DESC LIMIT $2) AS r
    """)
  static let putReports = SQL(
    "putReports",
    """
    INSERT INTO reports AS r (player, match, other, reason, text, at)
    SELECT * FROM unnest($1, $2, $3, $4, $5, $6) AS u (player, match, other, reason, text, at)
    ORDER BY player, match
    ON CONFLICT (player, match) DO UPDATE SET reason = excluded.reason, text = excluded.text
    """)
  /// Whether fewer than three reports of the same two players come before `r` in a list.
  private static let isOfFew = """
    (SELECT count(*) FROM (
      SELECT FROM reports AS n
      WHERE n.player = r.player AND n.other = r.other
        AND n.at >= r.at AND (n.at > r.at OR n.match < r.match)
      LIMIT \(KeptReport.limit)) AS newer) < \(KeptReport.limit)
    """
  /// Whether `r` is the newest report about its player.
  private static let isNewest = """
    (SELECT count(*) FROM (
      SELECT FROM reports AS n
      WHERE n.other = r.other
        AND n.at >= r.at AND (n.at > r.at OR (n.player, n.match) < (r.player, r.match))
      LIMIT 1) AS newer) = 0
    """
  /// The rows of `found`, each with the number of players who have reported the same player.
  private static let counted = """
    SELECT found.*, counts.reporters FROM found JOIN (
      SELECT o.other, (
        SELECT count(DISTINCT n.player) FROM reports AS n WHERE n.other = o.other) AS reporters
      FROM (SELECT DISTINCT other FROM found) AS o) AS counts ON counts.other = found.other
    ORDER BY found.at DESC, found.player, found.match
    """
  static let reportsAbout = SQL(
    "reportsAbout",
    """
    WITH found AS (
      SELECT player, match, other, reason, text, at FROM reports AS r
      WHERE other = $1 AND \(isOfFew)
      ORDER BY at DESC, player, match LIMIT $2)
    \(counted)
    """)
  static let lateReports = SQL(
    "lateReports",
    """
    WITH found AS (
      SELECT player, match, other, reason, text, at FROM reports AS r
      WHERE \(isNewest)
      ORDER BY at DESC, player, match LIMIT $1)
    \(counted)
    """)
  static let reportCounts = SQL(
    "reportCounts",
    """
    SELECT count(*), count(*) FILTER (WHERE at > \(statementTime) - interval '30 days'),
      count(DISTINCT player),
      count(DISTINCT player) FILTER (WHERE at > \(statementTime) - interval '30 days')
    FROM reports WHERE other = $1
    """)
  static let deleteOldReports = SQL(
    "deleteOldReports",
    """
    DELETE FROM reports WHERE (player, match) IN (
      SELECT player, match FROM reports WHERE at < $1 - $3::integer * interval '1 day'
      ORDER BY at LIMIT $2 FOR UPDATE SKIP LOCKED)
    """)
}

extension BatchWrite {
  var reportCalls: [Call] {
    guard !reports.isEmpty else { return [] }
    let rows = lastReports
    return [
      SQL.putReports(
        rows.uuids(\.player), rows.uuids(\.match), rows.uuids(\.other),
        rows.texts(\.reason.rawValue),
        rows.texts(\.text?.text), rows.instants(\.at))
    ]
  }
}

extension StoreSession {
  /// Reads player, match and time.
  static func reports(_ rows: Rows) throws(PostgreSQLError) -> [PlayerID: [MatchID: Instant]] {
    var reports: [PlayerID: [MatchID: Instant]] = [:]
    for row in rows { reports[try row[0].id(), default: [:]][try row[1].id()] = try row[2].instant }
    return reports
  }

  /// The reports about a player, or the newest one about each player, the newest first.
  func reports(about player: PlayerID?, limit: Int) throws(StoreError) -> [KeptReport] {
    let rows = try rows(
      player.map { SQL.reportsAbout(.id($0), .int(limit)) } ?? SQL.lateReports(.int(limit)))
    return try reading(
      try rows.map { row throws(PostgreSQLError) in
        let text = try row[4].ifPresent?.text
        let report = Report(
          try row[0].id(), in: try row[1].id(), about: try row[2].id(), reason: try row[3].case(),
          text: text.flatMap { Report.Text($0) }, at: try row[5].instant)
        return KeptReport(report, reporterCount: try row[6].int)
      })
  }
}
