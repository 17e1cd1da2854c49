import Foundation
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import RealServers
import Testing

@testable import cubistd

@Suite("The key of Web Push")
struct PushKeySetupTests {
  /// A database with a service, and a folder.
  private func onSetup(
    _ body: @escaping @Sendable (_ setup: PushKeySetup, _ folder: String) throws -> Void
  ) async throws {
    try await onDatabase { database in
      let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("cubist-push-\(UUID().uuidString)").path
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let (keys, _) = try ServiceKeyFile.create(now: WallClock.live.now(), randomness: .live)
      let address = try PostgreSQLSettings(connectionString: database.connectionString)
      let connection = try Wiring.connect(address, as: "test")
      defer { connection.close() }
      try Schema.install(connection)
      _ = try OperatorStore.live(connection).keepService(
        ServiceRow(service: keys.service, rootKey: keys.rootKey, certificates: []))
      var settings = ServiceSettings(
        database: database.connectionString, broker: "amqp://x@127.0.0.1:1/",
        serviceKeys: "\(folder)/keys.json")
      settings.push[WebPushSettings.self] = WebPushSettings(
        keyPath: "\(folder)/push.pem", contact: "mailto:push@play.example")
      try body(
        PushKeySetup(
          settings: settings,
          database: DatabaseSetup(settings: address, identity: nil, layout: settings.layout),
          randomness: .live), folder)
    }
  }

  private func keptKey(_ setup: PushKeySetup) throws -> [UInt8]? {
    try setup.database.onDatabase { connection throws(StoreError) in
      try OperatorStore.live(connection).pushKey()
    }
  }

  @Test("It is made once, for its owner's eyes, and the database has its public half")
  func made() async throws {
    try await onSetup { setup, folder in
      let path = "\(folder)/push.pem"
      #expect(try setup.problems() == ["the key of Web Push \(path) is missing"])
      let done = try setupLines(setup.run(report:))
      #expect(done.count == 3 && done[0] == "changed: key of Web Push made: \(path)")
      #expect(done[2].contains("put into the database"))
      #expect(done[1].contains("all subscriptions of browsers would be invalid"))
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
      #expect(mode as? Int == 0o600)
      let key = try PushSigningKey.load(path).publicKey
      #expect(try keptKey(setup) == key)
      #expect(try setup.problems() == [])
      #expect(try setupLines(setup.run(report:)) == [])
      #expect(try PushSigningKey.load(path).publicKey == key)
    }
  }

  @Test("A lost file is asked for: another key would make every subscription invalid")
  func lost() async throws {
    try await onSetup { setup, folder in
      let path = "\(folder)/push.pem"
      try setup.run { _ in }
      let key = try #require(try keptKey(setup))
      try FileManager.default.removeItem(atPath: path)
      let failure = #expect(throws: OperatorFailure.self) { try setup.run { _ in } }
      let text = try #require(failure).description
      #expect(text.contains(path) && text.contains(Base64.encodeForURL(key)), "\(text)")
      #expect(text.contains("backup"), "\(text)")
      #expect(!FileManager.default.fileExists(atPath: path))
      #expect(try setup.problems().count == 1)
      // The operator gives it up.
      var without = setup
      without.settings.push[WebPushSettings.self] = nil
      #expect(try without.problems().count == 1)
      #expect(try setupChanges(without.run(report:)).count == 1)
      #expect(try keptKey(setup) == nil)
      #expect(try setupLines(without.run(report:)) == [])
      #expect(try setupChanges(setup.run(report:)).count == 2)
      #expect(try keptKey(setup) != key)
    }
  }

  @Test("A key that others may read is refused, and another key is named as another one")
  func wrong() async throws {
    try await onSetup { setup, folder in
      let path = "\(folder)/push.pem"
      try setup.run { _ in }
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
      let failure = #expect(throws: OperatorFailure.self) { try setup.run { _ in } }
      #expect(try #require(failure).description.contains("others may read it"))
      try FileManager.default.removeItem(atPath: path)
      try #require(PushSigningKey(randomness: .live)).create(at: path)
      #expect(try setup.problems() == ["the database does not have the public half of \(path)"])
      let done = try setupLines(setup.run(report:))
      #expect(done.count == 1 && done[0].contains("another one now"))
      #expect(try setup.problems() == [])
    }
  }

  @Test("A folder that is not there is named, with the command that makes it")
  func noFolder() async throws {
    try await onSetup { setup, folder in
      var setup = setup
      setup.settings.push[WebPushSettings.self]?.keyPath = "\(folder)/none/push.pem"
      let failure = #expect(throws: OperatorFailure.self) { try setup.run { _ in } }
      let text = try #require(failure).description
      #expect(text.contains("mkdir") && text.contains("CUBIST_PUSH_VAPID_KEY"), "\(text)")
    }
  }

  // Failure: PushWayFailure: A way of notifications that `CUBIST_PUSH` names cannot begin: its key
  //   or its log cannot be used. The file is named, and no role starts.
  @Test("A key of APNs that cannot be used is named before any role runs")
  func apns() async throws {
    try await onSetup { setup, folder in
      var setup = setup
      setup.settings.push = PushWays([
        APNsSettings(
          keyPath: "\(folder)/key.p8", keyID: "ABC123DEFG", team: "DEF123GHIJ", topic: "a.b")
      ])
      #expect(throws: OperatorFailure.self) { try setup.run { _ in } }
      try "no key".write(toFile: "\(folder)/key.p8", atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o600], ofItemAtPath: "\(folder)/key.p8")
      let failure = #expect(throws: OperatorFailure.self) { try setup.problems() }
      #expect(try #require(failure).description.contains("no private key of P-256"))
      #expect(throws: OperatorFailure.self) {
        try setup.settings.pushProviders(randomness: .live)
      }
    }
  }
}
