package import LibPQ
package import MatchInterfaces

// What a thief with a user's password may leave behind, so that it outlives a new password.
extension DatabaseRights {
  /// The functions that make a large object, of which PostgreSQL lets everybody make any number.
  fileprivate static let makers = "'lo_creat', 'lo_create', 'lo_from_bytea', 'lo_import'"

  /// Takes the right to make large objects from everybody, where the owner may: it belongs to a
  /// superuser. Without any right of its own, a user may not even try to revoke one.
  static let revokingObjects = """
    DO $$
    DECLARE maker regprocedure;
    BEGIN
      FOR maker IN
        SELECT oid FROM pg_proc
        WHERE pronamespace = 'pg_catalog'::regnamespace AND proname IN (\(makers))
          AND has_function_privilege('public', oid, 'EXECUTE')
      LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', maker);
      END LOOP;
    END $$
    """

  /// The statement with which a superuser takes the right to make large objects from everybody; nil
  /// where nobody has it any more.
  package static func objectRemedy(
    _ connection: PostgreSQLConnection
  ) throws(StoreError) -> String? {
    let rows = try StoreSession(connection).rows(SQL.objectMakers())
    let list = try reading(try rows.only[0].ifPresent?.text)
    return list.map { "REVOKE EXECUTE ON FUNCTION \($0) FROM PUBLIC" }
  }

  /// More large objects are not counted.
  package static let mostObjects = 100_000

  /// Something of a user that its role has no use for.
  package enum Trace: Hashable, Sendable {
    /// So many large objects, which belong to the user.
    case largeObjects(user: String, count: Int)
    /// A member has all rights of the user, whatever the user's password is.
    case member(String, of: String)
  }

  /// The traces of users and of the session's own user. Superusers, the owner and others who make
  /// users may be members.
  package static func traces(
    of users: some Collection<String>, _ connection: PostgreSQLConnection
  ) throws(StoreError) -> [Trace] {
    let names = Value.textArray(users.map { $0 })
    let rows = try StoreSession(connection).run([SQL.ownObjects(names), SQL.members(names)])
    return try reading { () throws(PostgreSQLError) in
      let objects = try rows[0].map { row throws(PostgreSQLError) in
        Trace.largeObjects(user: try row[0].text, count: try row[1].int)
      }
      return try objects
        + rows[1].map { row throws(PostgreSQLError) in
          Trace.member(try row[0].text, of: try row[1].text)
        }
    }
  }
}

extension SQL {
  fileprivate static let objectMakers = SQL(
    "objectMakers",
    """
    SELECT string_agg(oid::regprocedure::text, ', ' ORDER BY proname)
    FROM pg_proc
    WHERE pronamespace = 'pg_catalog'::regnamespace
      AND proname IN (\(DatabaseRights.makers))
      AND has_function_privilege('public', oid, 'EXECUTE')
    """)
  fileprivate static let ownObjects = SQL(
    "ownObjects",
    """
    SELECT r.rolname::text, count(*)
    FROM (
      SELECT lomowner FROM pg_largeobject_metadata
      WHERE lomowner IN (
        SELECT oid FROM pg_roles WHERE rolname = ANY ($1::text[] || session_user::text))
      LIMIT \(DatabaseRights.mostObjects)
    ) AS o JOIN pg_roles AS r ON r.oid = o.lomowner
    GROUP BY 1 ORDER BY 1
    """)
  fileprivate static let members = SQL(
    "members",
    """
    SELECT m.rolname::text, r.rolname::text
    FROM pg_auth_members AS a JOIN pg_roles AS r ON r.oid = a.roleid
      JOIN pg_roles AS m ON m.oid = a.member
    WHERE (r.rolname = ANY ($1::text[] || session_user::text)
        AND NOT m.rolsuper AND NOT m.rolcreaterole AND m.rolname <> current_user)
      OR m.rolname = ANY ($1::text[])
    ORDER BY 1, 2
    """)
}
