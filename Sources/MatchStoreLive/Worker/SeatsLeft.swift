internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

extension SQL {
  static let seatsLeftLately = SQL(
    "seatsLeftLately",
    """
    SELECT u.player, l.at FROM unnest($1) AS u (player)
    CROSS JOIN LATERAL (
      SELECT at FROM seats_left
      WHERE player = u.player AND at > \(statementTime) - $2 * interval '1 second'
      ORDER BY at DESC LIMIT $3) AS l
    """)
  static let putSeatsLeft = SQL(
    "putSeatsLeft",
    """
    INSERT INTO seats_left (player, at, match)
    SELECT * FROM unnest($1, $2, $3) AS u (player, at, match) ORDER BY player, at, match
    """)
  static let deleteOldSeatsLeft = SQL(
    "deleteOldSeatsLeft",
    """
    DELETE FROM seats_left WHERE (player, at, match) IN (
      SELECT player, at, match FROM seats_left WHERE at < $1 - $3 * interval '1 second'
      ORDER BY at LIMIT $2 FOR UPDATE SKIP LOCKED)
    """)
  static let frequentLeavers = SQL(
    "frequentLeavers",
    """
    SELECT p.id, p.name, l.seats FROM (
      SELECT player, count(*) AS seats FROM seats_left
      WHERE at > \(statementTime) - $1 * interval '1 second'
      GROUP BY player HAVING count(*) >= $2 ORDER BY count(*) DESC, player LIMIT $3) AS l
    JOIN players AS p ON p.id = l.player
    WHERE NOT \(isGone("p.id")) ORDER BY l.seats DESC, p.id
    """)
}

extension BatchWrite {
  var leavingCalls: [Call] {
    let rows = seatsLeft
    guard !rows.isEmpty else { return [] }
    return [
      SQL.putSeatsLeft(
        rows.uuids(\.leaving.player), rows.instants(\.leaving.at), rows.uuids(\.match))
    ]
  }
}

extension StoreSession {
  /// Reads player and time.
  static func leavings(_ rows: Rows) throws(PostgreSQLError) -> [PlayerID: [Instant]] {
    var leavings: [PlayerID: [Instant]] = [:]
    for row in rows { leavings[try row[0].id(), default: []].append(try row[1].instant) }
    return leavings
  }
}
