import BrokerManagement
import EventBusLive
import Foundation
import LibPQ
import LibRabbitMQ
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import RealServers
import TestedService
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
    """
    An owner who may make no users is told of all of them at once, with the line that fits each, and \
    setup does all the rest
    """)
  func owner() async throws {
    try await onThreads {
      try RealServers.withVirtualHost { host in
        try RealServers.withDatabase { database in
          try withFolder { folder in
            let administrator = try PostgreSQLConnection(database.patientSettings())
            defer { administrator.close() }
            let (name, there, missing) = (
              "\(database.name)_owner", "\(database.name)_worker", "\(database.name)_reader"
            )
            defer {
              try? administrator.script("ALTER DATABASE \(database.name) OWNER TO CURRENT_USER")
              for user in [there, missing, name] {
                try? administrator.script("DROP OWNED BY \(user) CASCADE; DROP ROLE \(user)")
              }
            }
            try administrator.script(
              """
              CREATE ROLE \(name) LOGIN PASSWORD 'owner';
              CREATE ROLE \(there) LOGIN PASSWORD 'former';
              ALTER DATABASE \(database.name) OWNER TO \(name);
              GRANT ALL ON SCHEMA public TO \(name)
              """)
            func login(_ user: String, _ password: String) -> String {
              "\(database.connectionString) user=\(user) password=\(password)"
            }
            var settings = ServiceSettings(
              database: login(name, "owner"), broker: try host.addUser("service", .service()),
              serviceKeys: "\(folder)/keys.json")
            settings.databaseUsers = [
              .worker: login(there, "new"), .reader: login(missing, "new"),
            ]
            let setup = ServiceSetup(settings, players: nil)
            let failure = #expect(throws: OperatorFailure.self) { try setup.run { _ in } }
            let text = try #require(failure).description
            for part in [
              "CUBIST_DATABASE_WORKER: the user \(there) cannot be given its password",
              "CUBIST_DATABASE_READER: the user \(missing) cannot be made",
              "  ALTER ROLE \"\(there)\" LOGIN;", "  CREATE ROLE \"\(missing)\" LOGIN;",
              "  \\password \"\(there)\"", "  \\password \"\(missing)\"", "\"\(name)\" CREATEROLE",
              "  GRANT \"\(there)\" TO \"\(name)\";", "  GRANT \"\(missing)\" TO \"\(name)\";",
            ] {
              #expect(text.contains(part), "\(part): \(text)")
            }
            #expect(!text.contains("CREATE ROLE \"\(there)\""), "\(text)")
            // The broker has all that it needs.
            let topology = Topology(layout: settings.layout)
            #expect(try topology.missing(at: settings.brokerAccount().address) == [])

            try administrator.script(
              """
              ALTER ROLE \(there) PASSWORD 'new';
              CREATE ROLE \(missing) LOGIN PASSWORD 'new'
              """)
            try setup.run { _ in }
            // Who makes the users without the last lines is told what status lacks.
            let grants = [there, missing].map { "GRANT \"\($0)\" TO \"\(name)\"" }
            for grant in grants {
              #expect(try setup.advice().contains { $0.hasSuffix(grant) }, "\(grant)")
              try administrator.script(grant)
              #expect(try !setup.advice().contains { $0.hasSuffix(grant) }, "\(grant)")
            }
            // Of PostgreSQL 14 the schema is its administrator's.
            #expect(try setup.problems().filter { !$0.contains("REVOKE CREATE") } == [])
          }
        }
      }
    }
  }

  @Test("A check names what it sees where it may look at some parts only, and says which")
  func lookingOnly() async throws {
    try await ServiceLab.run(.init(workers: 0, roles: [])) { lab in
      var settings = try lab.settings()
      let owner = settings.database
      // It has no key file, a user of the database that may only look, and no administrator.
      settings.database = try #require(LabUsers.connectionStrings(owner)[.lookout])
      settings.brokerManagement = nil
      let clean = try ServiceSetup(settings, players: nil).examine()
      let broker = try RabbitMQConnection(RabbitMQSettings(url: lab.serviceURL))
      defer { broker.close() }
      _ = try broker.deleteQueue("cubist.slots.02")
      let found = try ServiceSetup(settings, players: nil).examine()
      let missing = "queue cubist.slots.02 is missing"
      #expect(!clean.problems.contains(missing) && found.problems.contains(missing), "\(found)")
      #expect(found.failures == [])
      // Only the owner compares rights; the rest is looked at all the same.
      settings.databaseUsers = [
        .worker: try #require(LabUsers.connectionStrings(owner)[.worker])
      ]
      let partly = try ServiceSetup(settings, players: nil).examine()
      #expect(partly.problems.contains(missing) && partly.failures == [], "\(partly)")
      #expect(partly.problems.contains { $0.contains("cannot be compared") }, "\(partly)")
      // A database that is away hides nothing of the broker.
      settings.database = "host=127.0.0.1 port=1 dbname=none"
      let away = try ServiceSetup(settings, players: nil).examine()
      #expect(away.problems.contains(missing), "\(away)")
      #expect(away.failures.first?.exitCode == 69, "\(away.failures)")
    }
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
