import BrokerManagement
import Chaos
import EventBusLive
import Foundation
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import PlayerClient
import RealServers
import TestedService
import Testing

@testable import cubistd

@Suite("A database that is restored, or moved, and a broker that is new", .serialized)
struct RestoreTests {
  private static let solo = Event.Action.matchRequested(
    MatchRequest(opponent: .nobody, turnLimitSeconds: nil))

  /// A service with a worker, and an empty database to restore into.
  private struct Scene {
    let lab: ServiceLab
    let restored: Database
    let folder: String
    let settings: ServiceSettings

    /// The settings with the restored database in place of the service's own.
    var moved: ServiceSettings {
      var moved = settings
      moved.database = restored.connectionString
      return moved
    }

    func setUp(_ settings: ServiceSettings, takingBroker: Bool = false) throws {
      try ServiceSetup(settings, players: nil).run(takingBroker: takingBroker) { _ in }
    }

    func connection(_ database: Database) throws -> PostgreSQLConnection {
      try PostgreSQLConnection(database.patientSettings())
    }

    func backUp() throws -> Backup.Report {
      try Backup(settings: settings).run(into: "\(folder)/dumps", keysInto: "\(folder)/keys")
    }

    /// Brings a dump into the empty database, as docs/operating.md says.
    func restore(_ backup: Backup.Report) throws {
      let target = try PostgreSQLSettings(connectionString: restored.connectionString)
      let version = try #require(PostgreSQLTools.ServerVersion(backup.server))
      try PostgreSQLTools.find(server: version, in: nil).run(
        "pg_restore",
        [
          "--no-owner", "--no-privileges", "--exit-on-error", "--no-password",
          "--dbname=\(target.withoutPassword)", backup.dump,
        ], password: target.password)
      // The worker of that moment would count as living for ten seconds.
      let connection = try connection(restored)
      defer { connection.close() }
      try LabUsers.grant(connection)
      try connection.script("DELETE FROM workers; DELETE FROM roles")
    }

    /// Lets a steward change the broker's mark twice: then it knows a former state no more.
    func renewMark(of database: Database) throws {
      let connection = try connection(database)
      defer { connection.close() }
      for _ in 1...2 {
        try connection.script(
          "UPDATE broker_claim SET claimed_at = claimed_at - interval '2 minutes'")
        try BrokerWatch(connection, lab.context(), renews: true).look()
      }
    }

    func work(on database: Database) throws {
      try lab.start(.worker, lab.wiring(database: database.connectionString))
      try lab.waitUntilWorking()
    }

    /// The next turn of a match in a database.
    func turn(of match: MatchID, in database: Database) throws -> Turn {
      lab.turn(try self.match(match, in: database))
    }

    /// A match in a database.
    func match(_ match: MatchID, in database: Database) throws -> Match {
      let connection = try connection(database)
      defer { connection.close() }
      return try #require(try CheckStore.live(connection).stored([match])[match]?.state)
    }

    func blockCount(in database: Database) throws -> Int64 {
      let connection = try connection(database)
      defer { connection.close() }
      return try connection.query("SELECT count(*) FROM blocks").only[0].int64
    }

    func violations(in database: Database) throws -> [Violation] {
      let connection = try connection(database)
      defer { connection.close() }
      var check = StoreCheck(
        .live(connection), identity: lab.identity, lexicons: lab.lexicons)
      return try check.run()
    }

    func revoke(_ player: LabPlayer, in database: Database) throws {
      let connection = try connection(database)
      defer { connection.close() }
      try KeyRevoker(
        lookup: PlayerLookup(reader: .live(connection), store: .live(connection)),
        operator: "olga"
      ).revoke(player.key.publicKey, reason: "stolen", last: true)
    }

    /// The accepted events that a player's program has kept.
    func keep(_ player: LabPlayer, _ accepted: [(LabPlayer.Sent, TurnReceipt?)]) throws {
      let kept = ProfileStore.live(folder: "\(folder)/receipts/\(player.name.text.lowercased())")
      try kept.saveProfile(
        Profile(player: player.id, name: player.name, service: lab.identity.service))
      for (sent, receipt) in accepted {
        try kept.journal(
          JournalLine(
            at: sent.event.id.time, event: sent.event.id, type: sent.event.action.typeName,
            what: .accepted,
            receipt: receipt.map {
              Receipt(
                match: $0.match, version: $0.version, turn: $0.turn, hash: $0.hash,
                points: $0.points, outcome: $0.outcome)
            }))
      }
    }

    /// The losses that `cubistd check --after-restore` names, in short.
    func losses() throws -> [String] {
      let connection = try connection(restored)
      defer { connection.close() }
      let check = RestoreCheck(store: .live(connection), service: lab.identity.service)
      return try check.run("\(folder)/receipts").losses.map { loss in
        [loss.kind.rawValue, loss.name, loss.turn.map { "\($0)" }, loss.refusal]
          .compactMap { $0 }.joined(separator: " ")
      }
    }
  }

  private static func withScene(_ body: @Sendable (Scene) throws -> Void) async throws {
    try await ServiceLab.run(.init(workers: 0, roles: [], hasNewHost: true)) { lab in
      try RealServers.withDatabase { (restored: Database) throws in
        let folder = FileManager.default.temporaryDirectory
          .appendingPathComponent("cubist-restore-\(restored.name)").path
        try FileManager.default.createDirectory(
          atPath: "\(folder)/service", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var settings = try lab.settings()
        settings.serviceKeys = "\(folder)/service/keys.json"
        try lab.keys.create(at: settings.serviceKeys)
        let scene = Scene(lab: lab, restored: restored, folder: folder, settings: settings)
        try scene.setUp(settings)
        try lab.startWorker()
        try body(scene)
      }
    }
  }

  @Test("A backup is written through no link that somebody has put in its place")
  func link() throws {
    try RealServers.withDatabase { database in
      let owner = try PostgreSQLConnection(database.patientSettings())
      defer { owner.close() }
      try Schema.install(owner)
      let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("cubist-backup-\(UUID().uuidString)").path
      defer { try? FileManager.default.removeItem(atPath: folder) }
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: false)
      var backup = Backup(
        settings: ServiceSettings(
          database: database.connectionString, broker: "", serviceKeys: ""))
      backup.clock = .noop
      let dump = "\(folder)/cubist-\(Backup.stamp(of: Instant(microseconds: 0))).dump"
      let (partial, victim) = ("\(dump).partial", "\(folder)/victim")
      try FileManager.default.createSymbolicLink(
        atPath: partial, withDestinationPath: victim)
      let failure = #expect(throws: OperatorFailure.self) { try backup.run(into: folder) }
      #expect(failure?.description.contains(partial) == true)
      #expect(!FileManager.default.fileExists(atPath: victim))
      try FileManager.default.removeItem(atPath: partial)
      #expect(try backup.run(into: folder).dump.hasSuffix(dump))
    }
  }

  @Test(
    "What is newer than the restored database is judged again, refused by name, or named as lost")
  func earlier() async throws {
    try await RestoreTests.withScene { scene in
      let lab = scene.lab
      let (ann, bob) = try lab.pair()
      let eve = try lab.player("Eve")
      let match = try lab.begin(ann, bob)
      func play(_ player: LabPlayer) throws -> LabPlayer.Sent {
        try player.sign(.turnPlayed(match, scene.turn(of: match, in: lab.database)))
      }
      let first = try play(ann)
      let firstReceipt = try #require(try ann.send(first).receipt)
      let other = try lab.begin(ann, bob)
      let running = try scene.match(other, in: lab.database)
      // The service has no such object: a thief may have left one that its owner cannot read.
      let thief = try scene.connection(lab.database)
      defer { thief.close() }
      try thief.script("SELECT lo_from_bytea(0, 'left')")
      let backup = try scene.backUp()

      // Newer than the backup: two turns, an end, a block, a player, and an operator's revocation.
      let second = try play(bob)
      let secondReceipt = try #require(try bob.send(second).receipt)
      let third = try play(ann)
      let thirdReceipt = try #require(try ann.send(third).receipt)
      try ann.must(.matchForfeited(other))
      try ann.must(.playerBlocked(eve.id))
      #expect(try scene.blockCount(in: lab.database) == 1)
      let dora = try LabPlayer("Dora", in: lab)
      let registration = try dora.sign(.playerRegistered(name: dora.name, code: nil))
      #expect(try dora.send(registration).refusal == nil)
      try scene.revoke(eve, in: lab.database)
      #expect(try eve.act(RestoreTests.solo).refusal == .keyRevoked)
      try lab.stopWorkers()
      // Nobody has judged these: they wait in the broker's queues.
      let fourth = try play(bob)
      let alone = try ann.sign(RestoreTests.solo)
      let stranger = try dora.sign(RestoreTests.solo)
      try lab.publish([fourth, alone, stranger].map { ($0.slot, $0.envelope) })
      try scene.renewMark(of: lab.database)

      try scene.restore(backup)
      let moved = try scene.connection(scene.restored)
      defer { moved.close() }
      #expect(try moved.query("SELECT FROM pg_largeobject_metadata").isEmpty)
      #expect(throws: OperatorFailure.self) { try scene.setUp(scene.moved) }
      try scene.setUp(scene.moved, takingBroker: true)
      try scene.keep(ann, [(first, firstReceipt), (third, thirdReceipt)])
      try scene.keep(bob, [(second, secondReceipt)])
      try scene.keep(dora, [(registration, nil)])
      #expect(
        try scene.losses() == [
          "eventLost Ann 3", "eventLost Bob 2", "playerLost Dora", "eventLost Dora",
        ])

      try scene.work(on: scene.restored)
      // The turn of the lost match comes too early; what stands for itself is judged.
      #expect(try bob.send(fourth).refusal == .unknownTurn(current: 2))
      #expect(try ann.send(alone).ticket?.match == alone.newMatch)
      #expect(try dora.send(stranger).refusal == .notRegistered)
      // The same bytes make the lost turn good. Its entry is another one, so the next turn, which
      // names the lost entry, has to be played anew.
      let again = try #require(try bob.send(second).receipt)
      #expect(again.turn == 2 && again.hash != secondReceipt.hash)
      #expect(try ann.send(third).refusal == .wrongPrevious(expected: again.hash))
      #expect(
        try scene.losses() == [
          "refusedAgain Ann 3 wrongPrevious", "judgedAnew Bob 2", "playerLost Dora",
          "eventLost Dora",
        ])
      try ann.must(.turnPlayed(match, scene.turn(of: match, in: scene.restored)))
      // A player registers anew with the same key, and is the same player.
      try dora.must(.playerRegistered(name: dora.name, code: nil))
      #expect(try scene.losses().contains("playerLost Dora") == false)
      // The match runs again, and its deadline is as it was. The block is gone.
      let runningAgain = try scene.match(other, in: scene.restored)
      #expect(runningAgain.outcome == nil && runningAgain.deadline == running.deadline)
      try ann.must(.matchForfeited(other))
      #expect(try scene.blockCount(in: scene.restored) == 0)
      // The revocation is undone, and has to be done again.
      #expect(try eve.act(RestoreTests.solo).refusal == nil)
      try scene.revoke(eve, in: scene.restored)
      #expect(try eve.act(RestoreTests.solo).refusal == .keyRevoked)
      #expect(try scene.violations(in: scene.restored) == [])
    }
  }

  @Test("A database that moves to another place goes on there, and the former one's roles leave")
  func moved() async throws {
    try await RestoreTests.withScene { scene in
      let lab = scene.lab
      let (ann, bob) = try lab.pair()
      let match = try lab.begin(ann, bob)
      try ann.must(.turnPlayed(match, scene.turn(of: match, in: lab.database)))
      try lab.stopWorkers()
      let waiting = try bob.sign(.turnPlayed(match, scene.turn(of: match, in: lab.database)))
      try lab.publish([(waiting.slot, waiting.envelope)])
      try scene.restore(scene.backUp())
      // The broker knows the copy: no role of the former place has worked since.
      #expect(try ServiceSetup(scene.moved, players: nil).problems() == [])
      try scene.work(on: scene.restored)
      #expect(try bob.send(waiting).receipt?.turn == 2)
      try scene.renewMark(of: scene.restored)
      #expect(try lab.wiring().problem()?.contains("another database") == true)
      try ann.must(.turnPlayed(match, scene.turn(of: match, in: scene.restored)))
      #expect(try scene.violations(in: scene.restored) == [])
    }
  }

  @Test(
    "An empty broker in place of the former one is set up, and events without an answer come again")
  func newBroker() async throws {
    try await RestoreTests.withScene { scene in
      let lab = scene.lab
      let (ann, bob) = try lab.pair()
      let match = try lab.begin(ann, bob)
      let answered = try ann.sign(.turnPlayed(match, scene.turn(of: match, in: lab.database)))
      let receipt = try #require(try ann.send(answered).receipt)
      try lab.stopWorkers()
      // It is lost with the former broker.
      let pending = try bob.sign(.turnPlayed(match, scene.turn(of: match, in: lab.database)))
      try lab.publish([(pending.slot, pending.envelope)])
      try RealServers.withVirtualHost { (host: VirtualHost) throws in
        var settings = scene.settings
        settings.broker = try host.addUser("service", .service())
        #expect(try ServiceSetup(settings, players: nil).problems() != [])
        try scene.setUp(settings)
        #expect(try ServiceSetup(settings, players: nil).problems() == [])
        try lab.start(.worker, lab.wiring(broker: settings.broker))
        try lab.waitUntilWorking()
        let players = try host.addUser("players", .player())
        let (annAgain, bobAgain) = (
          try LabPlayer("Ann", key: ann.key, in: lab, at: players),
          try LabPlayer("Bob", key: bob.key, in: lab, at: players)
        )
        #expect(try annAgain.send(answered).receipt == receipt)
        #expect(try bobAgain.send(pending).receipt?.turn == 2)
        #expect(try scene.violations(in: lab.database) == [])
        try lab.stopWorkers()
      }
    }
  }
}
