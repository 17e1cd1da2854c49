import Foundation
import Glibc
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService

/// A dump of the database by PostgreSQL's own programs, and copies of the keys apart from it.
struct Backup {
  /// The files that were written.
  struct Report: Hashable, Sendable, Encodable {
    var schema = "cubistd.backup/1"
    /// The path of the dump.
    var dump: String
    var bytes: Int
    /// How many tables are in it.
    var tables: Int
    /// The versions of the server and of `pg_dump`.
    var server, tool: String
    /// The paths of the copied keys.
    var keys: [String] = []
    /// Keys that were not copied.
    var missingKeys: [String] = []
  }

  let settings: ServiceSettings
  var clock = WallClock.live
  /// The folder of PostgreSQL's programs; nil: they are looked for.
  var tools: String?

  /// Writes a dump into a folder, and reads it again from beginning to end.
  /// - Parameter keyFolder: Where keys are copied to; nil: nowhere.
  func run(
    into folder: String, keysInto keyFolder: String? = nil
  ) throws(OperatorFailure) -> Report {
    try Files.makeFolder(folder)
    let folder = try Files.absolute(folder)
    var keysInto: String?
    if let keyFolder {
      try Files.makeFolder(keyFolder)
      keysInto = try Files.absolute(keyFolder)
    }
    try keysInto.map { keys throws(OperatorFailure) in try Backup.checkApart(folder, keys) }
    let database = try settings.databaseSettings()
    let (server, tables) = try look()
    let programs = try PostgreSQLTools.find(server: server, in: tools)
    let stamp = Backup.stamp(of: clock.now())
    let path = "\(folder)/cubist-\(stamp).dump"
    guard !Files.exists(path) else { throw .file(path: path, reason: "it is there already") }
    // Only its owner may read it.
    let mask = umask(0o077)
    defer { umask(mask) }
    let partial = "\(path).partial"
    // pg_dump would write through a link that somebody has put there.
    try Files.makeNew(partial)
    try programs.run(
      "pg_dump",
      [
        // The service has no large objects; anybody may have left some that its owner cannot read.
        "--format=custom", "--no-blobs", "--no-password", "--lock-wait-timeout=60000",
        "--file=\(partial)",
        "--dbname=\(database.withoutPassword)",
      ], password: database.password)
    let listed = Backup.tables(in: try programs.run("pg_restore", ["--list", partial]))
    let missing = tables.filter { !listed.contains($0) }
    guard missing.isEmpty else {
      let names = missing.joined(separator: ", ")
      throw .wrong("\(partial) lacks the tables \(names): it is no backup")
    }
    // The list stands at the beginning: a dump whose end is missing may have it, too.
    try programs.run("pg_restore", ["--file=/dev/null", partial])
    try Files.rename(partial, to: path)
    var report = Report(
      dump: path, bytes: Backup.size(of: path), tables: listed.count, server: server.text,
      tool: programs.version)
    if let keysInto {
      for key in keyPaths {
        let copy = "\(keysInto)/\(stamp)-\(URL(fileURLWithPath: key).lastPathComponent)"
        guard !Files.exists(copy) else { throw .file(path: copy, reason: "it is there already") }
        try Files.write(Files.read(key), to: copy, mode: 0o600)
        report.keys.append(copy)
      }
    } else {
      report.missingKeys = keyPaths
    }
    return report
  }

  /// The files without which a restored database is of no use. The root key is not among them: it
  /// does not belong on a machine that runs the service.
  private var keyPaths: [String] {
    ([settings.serviceKeys] + settings.push.chosen.compactMap(\.keyFile)).filter { !$0.isEmpty }
  }

  /// A thief of a dump with its keys has the whole service.
  private static func checkApart(_ dump: String, _ keys: String) throws(OperatorFailure) {
    guard "\(keys)/".hasPrefix("\(dump)/") || "\(dump)/".hasPrefix("\(keys)/") else { return }
    throw .wrong(
      "The keys would lie beside the dump, in \(keys). Nothing was written. Name a folder for the "
        + "keys that is not in the dump's folder, best on another disk: with both anybody can act as "
        + "the service.")
  }

  /// The server's version, and the names of the tables that a dump has to have. Partitions of days
  /// come and go.
  private func look() throws(OperatorFailure) -> (PostgreSQLTools.ServerVersion, [String]) {
    let connection = try OperatorConnection.openAnySchema(settings, as: "backup", reads: true)
    defer { connection.close() }
    let (said, tables): (String, [String])
    do throws(PostgreSQLError) {
      said = try connection.query("SHOW server_version").only[0].text
      let rows = try connection.query(
        """
        SELECT relname::text FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
          AND NOT relispartition ORDER BY 1
        """)
      tables = try rows.map { row throws(PostgreSQLError) in try row[0].text }
    } catch {
      throw .store(.unusable("\(error)"))
    }
    guard let version = PostgreSQLTools.ServerVersion(said) else {
      throw .store(.unusable("the server does not say its version, but \(said)"))
    }
    guard tables.contains("entries") else {
      throw .wrong("The database has no table of records. Is CUBIST_DATABASE the right one?")
    }
    return (version, tables)
  }

  /// The tables whose rows a list of `pg_restore` names, as in
  /// `3891; 0 16699 TABLE DATA public blocks cubist`.
  static func tables(in list: String) -> Set<String> {
    var tables: Set<String> = []
    for line in list.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard let place = words.firstIndex(of: "TABLE"), place + 3 < words.count,
        words[place + 1] == "DATA"
      else { continue }
      tables.insert(String(words[place + 3]))
    }
    return tables
  }

  /// A time as a part of a file's name, such as `20260501T120000Z`.
  static func stamp(of time: Instant) -> String {
    String("\(time)".prefix(19)).filter { $0 != "-" && $0 != ":" } + "Z"
  }

  private static func size(of path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }
}

extension Backup.Report {
  /// The report for a person.
  var text: String {
    var lines = [
      "\(dump): \(bytes) bytes, \(tables) tables with their rows, by pg_dump \(tool) from PostgreSQL "
        + "\(server). It was read again to its end."
    ]
    lines += keys.map { "\($0): keep it apart from the dump" }
    if keys.isEmpty {
      lines.append(
        "Keys were not copied: \(missingKeys.isEmpty ? "none is set" : missingKeys.joined(separator: ", ")). "
          + "--keys FOLDER copies them, to a folder apart from the dump.")
    }
    return lines.joined(separator: "\n")
  }
}
