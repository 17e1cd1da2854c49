package import LibPQ
internal import MatchCore
package import MatchInterfaces

/// The partitions of the days ahead.
package enum Partitions {
  /// Rows that are moved or deleted in one transaction, so that no lock is held for long.
  static let portion = 5_000

  /// Makes the missing ones, a transaction each, and drops none.
  ///
  /// A session that waits for a table in use makes every later session wait behind it. So it waits
  /// for half a second only, lets the others through and tries again.
  /// - Returns: whether none is missing now.
  package static func add(
    _ connection: PostgreSQLConnection, attempts: Int = 5, clock: WallClock = .live
  ) throws(StoreError) -> Bool {
    let session = StoreSession(connection)
    for attempt in 1...max(1, attempts) {
      do throws(StoreError) {
        while try session.addPartition(session.now()) {}
        return true
      } catch {
        guard case .conflict = error else { throw error }
        if attempt < attempts { clock.sleep(.seconds(4)) }
      }
    }
    return false
  }

  /// The partitions of today and the days ahead that are missing, by name.
  package static func missing(_ connection: PostgreSQLConnection) throws(StoreError) -> [String] {
    let rows = try StoreSession(connection).rows(SQL.missingPartitions())
    return try reading(try rows.map { row throws(PostgreSQLError) in try row[0].text })
  }
}

extension SQL {
  fileprivate static let addPartition = SQL(
    "addPartition", "SELECT cubist_add_partitions($1, $2)")
  fileprivate static let missingPartitions = SQL(
    "missingPartitions",
    """
    SELECT p.name FROM (
      SELECT parent, parent || to_char(
        (\(statementTime) AT TIME ZONE 'UTC')::date + ahead, '_YYYYMMDD') AS name
      FROM unnest(ARRAY['events', 'dead_events']) AS a (parent), generate_series(0, 2) AS b (ahead)
    ) AS p
    WHERE NOT EXISTS (
      SELECT FROM pg_inherits
      WHERE inhrelid = to_regclass(p.name) AND inhparent = to_regclass(p.parent))
    ORDER BY 1
    """)
}

extension StoreSession {
  /// Makes one partition, or moves a portion of the rows that lie in the wrong table.
  /// - Returns: false if there was nothing to do.
  func addPartition(_ now: Instant) throws(StoreError) -> Bool {
    let rows = try rows(
      SQL.addPartition(.instant(now), .int32(Int32(clamping: Partitions.portion))))
    return try reading(try rows.only[0].bool)
  }
}
