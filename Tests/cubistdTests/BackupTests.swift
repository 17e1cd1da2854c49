import Foundation
import LibPQ
import MatchCore
import MatchService
import Testing

@testable import cubistd

@Suite("Backups")
struct BackupTests {
  /// A folder with programs that only say their version.
  private func tools(_ folder: String, saying version: String) throws -> String {
    for name in ["pg_dump", "pg_restore"] {
      let path = "\(folder)/\(name)"
      try Data("#!/bin/sh\necho \"\(name) (PostgreSQL) \(version)\"\n".utf8)
        .write(to: URL(fileURLWithPath: path))
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
    return folder
  }

  @Test("An older pg_dump than the server is refused, with both versions; a newer one will do")
  func versions() throws {
    try withFolder { folder in
      let server = try #require(PostgreSQLTools.ServerVersion("15.18 (Debian 15.18-0+deb12u1)"))
      let old = try tools(folder, saying: "14.9")
      let failure = #expect(throws: OperatorFailure.self) {
        try PostgreSQLTools.find(server: server, in: old)
      }
      let text = "\(try #require(failure))"
      #expect(text.contains("14.9") && text.contains("15.18") && text.contains("--tools"))
      let new = try tools(folder, saying: "17beta1")
      #expect(try PostgreSQLTools.find(server: server, in: new).version == "17beta1")
    }
  }

  @Test("Programs that are not there are named, with the package that has them")
  func noPrograms() throws {
    try withFolder { folder in
      let server = try #require(PostgreSQLTools.ServerVersion("15.18"))
      let failure = #expect(throws: OperatorFailure.self) {
        try PostgreSQLTools.find(server: server, in: folder)
      }
      #expect("\(try #require(failure))".contains("postgresql-client-15"))
    }
  }

  @Test("A program that fails is quoted")
  func failing() throws {
    let shell = PostgreSQLTools(folder: "/bin", version: "")
    let failure = #expect(throws: OperatorFailure.self) {
      try shell.run("sh", ["-c", "echo the disk is full >&2; exit 3"])
    }
    #expect(failure == .wrong("sh failed (3): the disk is full"))
    #expect(try shell.run("sh", ["-c", "echo $PGPASSWORD"], password: "secret") == "secret\n")
  }

  @Test("Keys are not written beside the dump, below it or above it", arguments: ["", "/a", "/.."])
  func beside(place: String) throws {
    try withFolder { folder in
      // Nothing is asked of any server before that.
      let settings = ServiceSettings(
        database: "host=127.0.0.1 port=1 dbname=x", broker: "", serviceKeys: "\(folder)/keys.json")
      let dumps = "\(folder)/dumps"
      let failure = #expect(throws: OperatorFailure.self) {
        try Backup(settings: settings).run(into: dumps, keysInto: dumps + place)
      }
      let text = "\(try #require(failure))"
      #expect(text.contains("The keys would lie beside the dump"))
      let written = try FileManager.default.contentsOfDirectory(atPath: dumps)
      #expect(written.allSatisfy { $0 == "a" })
    }
  }

  @Test("The password is no part of the connection string for programs, and quotes are kept")
  func secrets() throws {
    let settings = try PostgreSQLSettings(
      connectionString:
        "host=one,two port=5432,5433 user=cubist password='s e' dbname='o\\'k' sslpassword=x")
    #expect(
      settings.withoutPassword
        == #"dbname='o\'k' host='one,two' port='5432,5433' target_session_attrs='read-write' "#
        + "user='cubist'")
  }

  @Test("The tables of a dump are read from the list of pg_restore")
  func list() {
    let list = """
      ;     TOC Entries: 413
      229; 1259 16518 TABLE public events postgres
      3891; 0 16699 TABLE DATA public blocks postgres
      3905; 0 16797 TABLE DATA public board_buckets postgres
      """
    #expect(Backup.tables(in: list) == ["blocks", "board_buckets"])
  }

  @Test("A time makes a file's name")
  func stamp() {
    #expect(Backup.stamp(of: Instant(microseconds: 1_777_636_800_123_000)) == "20260501T120000Z")
  }
}
