import Glibc
import LargeStore
import LibPQ
import MatchCore
import MatchLoad

/// Fills a site's database with matches that are copies of real ones, and with everything else that
/// two years leave.
///
/// The rows of a match: one that is over leaves its row in matches, its entries, and for each
/// player a past game and a rating result. One that is being played has its row with deadline and
/// reminder, its entries and two seats. Invitations, pairs, codes and offers go when they are
/// answered. Some rows are kept for a time: the replies to the events of eight days, and the
/// deliveries of thirty. A copy has its template's bytes, so that sizes are real. Its ids, players
/// and times are its own; ids grow with time as real ones do.
final class GrownFill {
  private let servers: Servers
  private let size: GrownSize
  private let connection: PostgreSQLConnection
  /// The connection that cancels statements: the other one waits for them.
  private let canceller: PostgreSQLConnection
  private let began: String

  /// Matches of one transaction.
  private static let portion = 20_000
  /// These tables are filled without their indexes. Making the indexes afterwards takes a tenth of
  /// the time.
  private static let bare = [
    "matches", "entries", "past_games", "rating_results", "deliveries",
  ]

  init(_ site: Site, _ size: GrownSize) throws {
    servers = site.servers
    self.size = size
    connection = try site.connectToDatabase()
    canceller = try site.connectToDatabase()
    began = try connection.query("SELECT now()::text").only[0].text
    let process = connection.serverProcessID
    connection.waitHook = WaitHook(every: .milliseconds(500)) { [canceller] in
      guard Interruption.isPending else { return }
      _ = try? canceller.query("SELECT pg_cancel_backend($1)", [.int32(process)])
    }
  }

  func run(_ templates: Templates) throws {
    // A fill that breaks off is begun anew, so that nothing has to be durable before its end.
    let relaxed = [
      ("fsync", "off"), ("full_page_writes", "off"), ("autovacuum", "off"),
      ("max_wal_size", "'4GB'"),
    ]
    var before: [(String, String)] = []
    for (name, value) in relaxed {
      before.append((name, "'\(try connection.query("SHOW \(name)").only[0].text)'"))
      try servers.set(name, value)
    }
    defer {
      for (name, value) in before { try? servers.set(name, value) }
      connection.close()
      canceller.close()
    }
    do {
      try fill(templates)
    } catch {
      try Interruption.check()
      throw error
    }
    for (name, value) in before { try servers.set(name, value) }
    try step("what is not on disk yet", "CHECKPOINT")
    sync()
    try connection.script(GrownStore.marking(size))
  }

  private func fill(_ templates: Templates) throws {
    try connection.script(
      """
      SET synchronous_commit = off; SET work_mem = '256MB'; SET maintenance_work_mem = '512MB';
      SET jit = off
      """)
    try keep(templates)
    let indexes = try dropIndexes()
    try StoreFill(connection, size.store, boardDays: 3_650) { what in
      try Interruption.check()
      Progress.say("filling: \(what)")
    }.lasting()
    try connection.script(FillSQL.portion)
    let tenth = max(GrownFill.portion, size.matches / 10)
    for start in stride(from: 0, to: size.matches, by: GrownFill.portion) {
      if start.isMultiple(of: tenth) {
        Progress.say("filling: matches from \(start) on, of \(size.matches)")
      }
      try Interruption.check()
      let sql = FillSQL(size: size, began: began)
      try connection.script(
        sql.matches(start..<min(start + GrownFill.portion, size.matches)))
    }
    try step("keys of players", FillSQL.keys)
    for index in indexes { try step(index.name, index.sql) }
    try step("statistics", "VACUUM (FREEZE, ANALYZE)")
  }

  private func step(_ what: String, _ sql: String) throws {
    try Interruption.check()
    Progress.say("filling: \(what)")
    try connection.script(sql)
  }

  /// Keeps the rows of the templates beside the tables, and empties these.
  private func keep(_ templates: Templates) throws {
    try connection.script(FillSQL.templates)
    for (isOver, matches) in [(true, templates.ended), (false, templates.running)] {
      for (number, match) in matches.enumerated() {
        guard match.number == Templates.turns(number) + 1 else {
          throw BenchFailure("template \(number) has \(match.number - 1) turns")
        }
        try connection.query(
          "INSERT INTO template VALUES ($1, $2, $3, $4)",
          [
            .uuid(match.id.rawValue), .bool(isOver), .int32(Int32(number)),
            .int32(Int32(match.number - 1)),
          ])
      }
    }
    try connection.script(FillSQL.templateRows)
    let missing = try connection.query(FillSQL.missingTemplateRows).only[0].int64
    guard missing == 0 else {
      throw BenchFailure("\(missing) templates lack entries, past games, ratings or seats")
    }
  }

  private func dropIndexes() throws -> [(name: String, sql: String)] {
    let tables = Value.textArray(GrownFill.bare)
    var indexes: [(name: String, sql: String)] = []
    for row in try connection.query(FillSQL.primaryKeys, [tables]) {
      let (table, name) = (try row[0].text, try row[1].text)
      indexes.append((name, "ALTER TABLE \(table) ADD CONSTRAINT \(name) \(try row[2].text)"))
      try connection.script("ALTER TABLE \(table) DROP CONSTRAINT \(name)")
    }
    for row in try connection.query(FillSQL.otherIndexes, [tables]) {
      let name = try row[0].text
      indexes.append((name, try row[1].text))
      try connection.script("DROP INDEX \(name)")
    }
    return indexes
  }
}
