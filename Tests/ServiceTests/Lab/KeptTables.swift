import LibPQ
import TestedService

/// All tables as they were, to be put back.
struct KeptTables {
  let connection: PostgreSQLConnection
  let tables: [String]
  private let restoring: String

  init(_ lab: ServiceLab) throws {
    connection = try lab.connection()
    tables = try connection.query(
      """
      SELECT relname::text FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition
        AND relnamespace = current_schema()::regnamespace ORDER BY 1
      """
    ).map { try $0[0].text }
    var (keeping, restoring) = ("CREATE SCHEMA kept;", "")
    for table in tables {
      let columns = try connection.query(
        """
        SELECT string_agg(quote_ident(column_name), ', ') FROM information_schema.columns
        WHERE table_schema = current_schema() AND table_name = $1 AND is_generated = 'NEVER'
        """, [.text(table)]
      ).only[0].text
      keeping += "CREATE TABLE kept.\(table) AS SELECT * FROM \(table);"
      restoring += """
        TRUNCATE \(table);
        INSERT INTO \(table) (\(columns)) OVERRIDING SYSTEM VALUE
          SELECT \(columns) FROM kept.\(table);
        """
    }
    // A trigger writes these rows where words are hidden again.
    restoring += "TRUNCATE ranking_queue;"
    self.restoring = "BEGIN;\(restoring)COMMIT;"
    try connection.script(keeping)
  }

  func restore() throws { try connection.script(restoring) }

  func close() { connection.close() }
}
