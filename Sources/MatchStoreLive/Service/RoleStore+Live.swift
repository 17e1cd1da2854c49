package import LibPQ
internal import MatchCore
package import MatchInterfaces

extension SQL {
  static let beat = SQL(
    "beat",
    """
    INSERT INTO roles (id, started_at, heartbeat_at, role, process, problem, schema)
    VALUES ($1, clock_timestamp(), clock_timestamp(), $2, $3, $4, $5)
    ON CONFLICT (id) DO UPDATE
    SET heartbeat_at = excluded.heartbeat_at, problem = excluded.problem
    """)
  // If the clock was set back, roles that died before would live on for as long. Nobody waits for a
  // row that somebody else has just now.
  static let clampRoles = SQL(
    "clampRoles",
    """
    UPDATE roles SET heartbeat_at = least(heartbeat_at, clock_timestamp()),
      started_at = least(started_at, clock_timestamp())
    WHERE id IN (
      SELECT id FROM roles
      WHERE greatest(heartbeat_at, started_at) > clock_timestamp() + interval '2 seconds'
      FOR UPDATE SKIP LOCKED)
    """)
  static let forgetRoles = SQL(
    "forgetRoles",
    """
    DELETE FROM roles WHERE id IN (
      SELECT id FROM roles WHERE heartbeat_at < clock_timestamp() - interval '10 minutes'
      FOR UPDATE SKIP LOCKED)
    """)
  static let forgetWorkers = SQL(
    "forgetWorkers",
    """
    DELETE FROM workers WHERE id IN (
      SELECT id FROM workers WHERE heartbeat_at < clock_timestamp() - interval '10 minutes'
      FOR UPDATE SKIP LOCKED)
    """)
  // A role of a build before schema 22 does not say which one it knows.
  static let formerRoles = SQL(
    "formerRoles",
    """
    SELECT EXISTS (SELECT FROM roles
      WHERE schema IS NULL AND heartbeat_at > clock_timestamp() - $1 * interval '1 second')
    """)
  static let leaveRole = SQL("leaveRole", "DELETE FROM roles WHERE id = $1")
}

extension RoleStore {
  /// The store on PostgreSQL, over the connection that the role works with.
  package static func live(_ connection: PostgreSQLConnection) -> RoleStore {
    let session = StoreSession(connection)
    var store = RoleStore.failing
    store.beat.answer { sign throws(StoreError) in
      try session.run([
        SQL.beat(
          .id(sign.id), .text(sign.role), .text(sign.process),
          // A server's words may hold a NUL character, which no text of the database can hold.
          .text(sign.problem?.replacing("\0", with: "")), .int(Schema.requiredVersion)),
        SQL.clampRoles(), SQL.clampHeartbeats(), SQL.forgetRoles(), SQL.forgetWorkers(),
      ])
    }
    store.leave.answer { id throws(StoreError) in try session.run([SQL.leaveRole(.id(id))]) }
    return store
  }
}
