import Foundation
import LibPQ
import MatchInterfaces
import MatchService
import MatchStoreLive
import RealServers
import Testing

@testable import cubistd

@Suite("Answers of setup and the other commands to an operator's mistakes")
struct SetupMistakeTests {
  /// A folder that is gone afterwards.
  private func withFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("cubist-setup-\(UInt64.random(in: .min ... .max))").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder)
  }

  // Failure: OperatorFailure.databaseRefuses: The database runs and refuses the user or the
  //   password.
  @Test("A user or password that PostgreSQL refuses is told from a server that is down")
  func wrongPassword() async throws {
    try await onDatabase { database in
      for wrong in ["password=hunter2", "user=nobody_by_that_name password=hunter2"] {
        let settings = ServiceSettings(
          database: "\(database.connectionString) \(wrong)", broker: "amqp://x@127.0.0.1:1/",
          serviceKeys: "/nowhere/keys.json")
        try expectRefused { () throws(OperatorFailure) in
          _ = try OperatorConnection.open(settings, as: "test")
        }
        let setup = DatabaseSetup(
          settings: try settings.databaseSettings(), identity: nil, layout: settings.layout)
        try expectRefused { () throws(OperatorFailure) in _ = try setup.problems() }
        try expectRefused { () throws(OperatorFailure) in try setup.run { _ in } }
      }
    }
  }

  // Failure: OperatorFailure.databaseMissing: The server runs and has no database of that name.
  @Test("A database that the server does not have is named, with the command that makes it")
  func missingDatabase() async throws {
    try await onDatabase { database in
      let settings = ServiceSettings(
        database: "\(database.connectionString) dbname=nope_by_that_name", broker: "",
        serviceKeys: "")
      let failure = #expect(throws: OperatorFailure.self) {
        _ = try OperatorConnection.open(settings, as: "test")
      }
      let text = try #require(failure).description
      #expect(failure?.exitCode == 3)
      #expect(text.contains("nope_by_that_name") && text.contains("createdb"), "\(text)")
      #expect(!text.contains("Start it"), "\(text)")
      let found = try StatusReport.gather(settings).findings()
      #expect(found.map(\.name) == ["databaseMissing"])
      #expect(found.allSatisfy { $0.remedy.contains("createdb") })
      #expect {
        try Wiring.connect(settings.databaseSettings(), as: "test")
      } throws: { error in
        guard case StoreError.unusable(let text) = error else { return false }
        return text.contains("make the database")
      }
    }
  }

  private func expectRefused(_ command: () throws(OperatorFailure) -> Void) throws {
    let failure = #expect(throws: OperatorFailure.self) { try command() }
    let text = try #require(failure).description
    #expect(failure?.exitCode == 77, "\(text)")
    #expect(text.contains("password") && text.contains("CUBIST_DATABASE"), "\(text)")
    #expect(!text.contains("Start it") && !text.contains("cubistd up"), "\(text)")
    #expect(!text.contains("hunter2"), "\(text)")
  }

  @Test(
    "A lost key file is asked for if the database knows its service; no other is made")
  func lostKeyFile() async throws {
    try await onDatabase { database in
      try withFolder { folder in
        let (keys, _) = try ServiceKeyFile.create(now: WallClock.live.now(), randomness: .live)
        let connection = try Wiring.connect(
          PostgreSQLSettings(connectionString: database.connectionString), as: "test")
        defer { connection.close() }
        try Schema.install(connection)
        _ = try OperatorStore.live(connection).keepService(
          ServiceRow(service: keys.service, rootKey: keys.rootKey, certificates: []))
        let settings = ServiceSettings(
          database: database.connectionString, broker: "amqp://x@127.0.0.1:1/",
          serviceKeys: "\(folder)/keys.json")
        let failure = #expect(throws: OperatorFailure.self) {
          try ServiceSetup(settings, players: nil).run { _ in }
        }
        let text = try #require(failure).description
        #expect(text.contains("\(folder)/keys.json") && text.contains("\(keys.service)"), "\(text)")
        #expect(text.contains("backup"), "\(text)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
      }
    }
  }

  @Test("A key file in a folder that is not there names the folder, and the command that makes it")
  func missingFolder() async throws {
    try await onDatabase { database in
      try withFolder { folder in
        let settings = ServiceSettings(
          database: database.connectionString, broker: "amqp://x@127.0.0.1:1/",
          serviceKeys: "\(folder)/none/keys.json")
        let failure = #expect(throws: OperatorFailure.self) {
          try ServiceSetup(settings, players: nil).run { _ in }
        }
        let text = try #require(failure).description
        #expect(failure?.exitCode == 2)
        #expect(text.contains("\(folder)/none:"), "\(text)")
        #expect(text.contains("mkdir") && !text.contains("makes a key file"), "\(text)")
      }
    }
  }
}
