import Foundation
import Glibc
import LargeStore
import LibPQ
import MatchCore

/// The site whose database is grown. It is kept from run to run.
struct GrownStore {
  let servers: Servers
  let cubistd: String
  let size: GrownSize

  private static let site = "grown"
  private var database: String { "bench_\(GrownStore.site)" }

  /// The site, filled: an earlier fill of the same size is used again, and the rest of one that
  /// broke off is removed.
  ///
  /// A fill outlives changes of the schema, because `cubistd setup` migrates it; it does not
  /// outlive changes of the stored form of a match, or of the fill.
  func open() throws -> Site {
    if let date = try filledAt() {
      Progress.say("the database filled at \(date) is used again")
      do {
        return try Site(GrownStore.site, on: servers, cubistd: cubistd, isKept: true)
      } catch let failure as BenchFailure {
        throw BenchFailure("\(failure)\nTo fill a new database, remove \(servers.folder).")
      }
    }
    let administration = try servers.connect()
    defer { administration.close() }
    try administration.script("DROP DATABASE IF EXISTS \(database) WITH (FORCE)")
    try checkSpace()
    Progress.say("filling: matches to copy, played by the service")
    let site = try Site(GrownStore.site, on: servers, cubistd: cubistd)
    let templates = try Templates.play(on: site)
    let began = monotonic()
    try GrownFill(site, size).run(templates)
    Progress.say("filled in \(Int(seconds(from: began, to: monotonic()))) s")
    return site
  }

  /// Written last of all: a fill that broke off has none.
  static func marking(_ size: GrownSize) -> String {
    """
    CREATE SCHEMA bench;
    CREATE TABLE bench.fill AS
    SELECT \(GrownSize.format) AS format, \(Match.stateFormat) AS state_format,
      \(size.percent) AS percent, now() AS filled_at
    """
  }

  /// When the database was filled; nil if there is none that can be used.
  private func filledAt() throws -> String? {
    let keys = "\(servers.folder)/\(GrownStore.site)/keys.json"
    guard try servers.hasDatabase(database), FileManager.default.fileExists(atPath: keys) else {
      return nil
    }
    let connection = try servers.connect(database)
    defer { connection.close() }
    guard try connection.query("SELECT to_regclass('bench.fill') IS NOT NULL").only[0].bool else {
      return nil
    }
    let rows = try connection.query(
      """
      SELECT to_char(filled_at, 'YYYY-MM-DD HH24:MI') FROM bench.fill
      WHERE format = $1 AND state_format = $2 AND percent = $3
      """,
      [
        .int32(Int32(GrownSize.format)), .int32(Int32(Match.stateFormat)),
        .int32(Int32(size.percent)),
      ])
    return try rows.first.map { try $0[0].text }
  }

  private func checkSpace() throws {
    let path = servers.postgresData
    var disk = statvfs()
    guard statvfs(path, &disk) == 0 else {
      throw BenchFailure("\(path) cannot be looked at: \(String(cString: strerror(errno)))")
    }
    let free = Double(disk.f_bavail) * Double(disk.f_frsize) / 1e9
    let needed = size.gigabytes
    Progress.say("the fill takes up to \(Int(needed.rounded(.up))) GB; \(Int(free)) GB are free")
    guard free > needed else {
      throw BenchFailure(
        "\(path) has \(Int(free)) GB free, and the fill needs \(Int(needed.rounded(.up))): free "
          + "some, name another --folder, or fill less with --percent")
    }
  }

  // MARK: Before a run

  /// Does the maintenance that a kept database has missed, as the service would have done in the
  /// meantime, so that no measured turn pays for it.
  func tidy(_ site: Site) throws {
    let connection = try site.connectToDatabase()
    defer { connection.close() }
    let isToday = try connection.query(
      "SELECT EXISTS (SELECT FROM daily_scores WHERE day = current_date)"
    ).only[0].bool
    if !isToday {
      try StoreFill(connection, size.store) { Progress.say("filling: \($0)") }.dailies()
    }
    // During a run no daily is announced, neither today's nor tomorrow's, and no match of an
    // earlier run runs out of time.
    try connection.script(
      """
      INSERT INTO daily_challenges (day, mode, language, lexicon, letters)
      SELECT current_date + 1, mode, 'en', '', ''
      FROM unnest(ARRAY['timed', 'unlimited']) AS m (mode) ON CONFLICT DO NOTHING;
      UPDATE daily_challenges SET fan_out_done = true, reminder_done = true;
      UPDATE matches SET deadline = d.deadline, remind_at = NULL, remind_due = NULL,
        due = extract(epoch FROM d.deadline)::bigint / 600
      FROM (SELECT \(FillSQL.farDeadline("0")) AS deadline) AS d
      WHERE due < extract(epoch FROM now() + interval '2 days') / 600;
      DELETE FROM deliveries
      WHERE recorded_at < now() - interval '\(FillSQL.deliveryDays) days' + interval '1 hour';
      TRUNCATE open_seats, outbox;
      SELECT cubist_add_partitions(current_date);
      SELECT cubist_drop_partitions('events', current_date - \(FillSQL.eventDays))
      """)
    if !isToday { try connection.script("VACUUM (ANALYZE)") }
    try connection.script("CHECKPOINT")
  }

  /// The milliseconds that the queries of readers, the ranker and pairing take.
  func ask(_ site: Site) throws -> [String: Double] {
    let connection = try servers.connect(database, asStore: true)
    defer { connection.close() }
    // Only here do seats wait although others fit them: the service never leaves such a state.
    try StoreFill(connection, size.store) { Progress.say("filling: \($0)") }.openSeats()
    try connection.script("ANALYZE open_seats")
    defer { try? connection.script("TRUNCATE open_seats") }
    var figures: [String: Double] = [:]
    Progress.say("questions")
    try StoreQuestions(connection, size.store) { answer in
      try Interruption.check()
      figures["\(answer.question), ms"] = Double(answer.median) / 1e6
    }.ask()
    return figures
  }
}
