import BrokerManagement
import Chaos
import EventBusLive
import Foundation
import LibPQ
import LibRabbitMQ
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import RealServers
import Synchronization
import TestedService
import Testing

@testable import cubistd

@Suite("Status's findings in a service that is in trouble", .serialized)
struct OperatorFindingsTests {
  private static func withLab(
    _ options: ServiceLab.Options, _ body: @Sendable (ServiceLab) throws -> Void
  ) async throws {
    var options = options
    options.hasNewHost = true
    try await ServiceLab.run(options) { lab in try body(lab) }
  }

  private static func names(_ settings: ServiceSettings) throws -> [String] {
    try StatusReport.gather(settings).findings().map(\.name)
  }

  /// A finding, once status has it: on a busy machine it may not have asked in time before.
  private static func finding(
    _ name: String, _ settings: ServiceSettings
  ) throws -> cubistd.Finding {
    var found: cubistd.Finding?
    try waitUntil("status names \(name)") {
      found = try StatusReport.gather(settings).findings().first { $0.name == name }
      return found != nil
    }
    return try #require(found)
  }

  @Test("Roles, workers, dead letters and the holder are shown under a lock on the matches")
  func lockedTable() async throws {
    try await OperatorFindingsTests.withLab(.init(workers: 1, roles: [.reader])) { lab in
      var session = try lab.database.patientSettings()
      session.idleInTransactionTimeout = waitLimit
      let connection = try PostgreSQLConnection(session)
      let process = connection.serverProcessID
      defer { connection.close() }
      try waitUntil("the reader has given a sign of life") {
        try !StatusReport.gather(lab.settings()).living(.reader).isEmpty
      }
      try connection.query("BEGIN")
      try connection.query("LOCK TABLE matches IN ACCESS EXCLUSIVE MODE")
      let report = try StatusReport.complete(lab.settings())
      let found = try #require(report.findings().first { $0.name == "tableLocked" })
      let command = "pg_terminate_backend(\(process))"
      #expect(found.cause.contains("matches"))
      #expect(found.remedy.contains(command))
      #expect(report.failures == [])
      #expect(report.living(.reader).count == 1 && report.livingWorkers.count == 1)
      #expect(report.text().contains("dead      0 events, 0 push jobs"))
      try connection.query("ROLLBACK")
      #expect(try !OperatorFindingsTests.names(lab.settings()).contains("tableLocked"))
    }
  }

  @Test("A queue that was deleted is named until setup has made it anew")
  func missingQueue() async throws {
    try await OperatorFindingsTests.withLab(.init(workers: 0, roles: [])) { lab in
      let settings = try lab.settings()
      #expect(try !OperatorFindingsTests.names(settings).contains("queueMissing"))
      let broker = try RabbitMQConnection(RabbitMQSettings(url: lab.serviceURL))
      defer { broker.close() }
      _ = try broker.deleteQueue("cubist.slots.02")
      let missing = try OperatorFindingsTests.finding("queueMissing", settings)
      #expect(missing.cause.contains("cubist.slots.02"))
      #expect(missing.remedy.contains("`cubistd setup`"))
    }
  }

  @Test("Another number of queues than the database has is named, and no queue is missing by it")
  func otherLayout() async throws {
    try await OperatorFindingsTests.withLab(.init(workers: 0, roles: [])) { lab in
      let connection = try lab.connection()
      defer { connection.close() }
      try Layouts.keep(lab.layout, connection)
      var settings = try lab.settings()
      #expect(try !OperatorFindingsTests.names(settings).contains("layoutDiffers"))
      settings.layout = try #require(QueueLayout(queueCount: 8))
      let found = try OperatorFindingsTests.names(settings)
      #expect(found.contains("layoutDiffers") && !found.contains("queueMissing"), "\(found)")
    }
  }

  @Test("A broker that is frozen keeps status for five seconds at most, and is named as such")
  func frozenBroker() async throws {
    try await OperatorFindingsTests.withLab(.init(workers: 1, roles: [])) { lab in
      var settings = try lab.settings()
      let (broker, brokerURL) = try TCPProxy.inFront(ofURL: settings.broker)
      let (management, managementURL) = try TCPProxy.inFront(
        ofURL: settings.brokerManagement ?? "")
      defer {
        broker.close()
        management.close()
      }
      settings.broker = brokerURL
      settings.brokerManagement = managementURL
      _ = try StatusReport.complete(settings)
      for proxy in [broker, management] { proxy.stall() }
      // A busy machine adds to the five seconds, and not every time.
      var last: StatusReport?
      try waitUntil("status has waited for five seconds") {
        let began = ContinuousClock.now
        last = try StatusReport.gather(settings)
        return ContinuousClock.now - began < .seconds(7)
      }
      let report = try #require(last)
      let found = report.findings()
      let frozen = try #require(found.first { $0.name == "brokerUnanswered" })
      #expect(frozen.cause.contains("RabbitMQ does not answer"), "\(frozen)")
      #expect(!frozen.remedy.contains("Start it, or"), "\(frozen)")
      #expect(found.contains { $0.name == "managementUnanswered" && $0.cause.contains("2 s") })
      #expect(report.livingWorkers.count == 1)
    }
  }

  @Test("A queue is not called without a consumer if its worker comes back within seconds")
  func comingBack() async throws {
    try await OperatorFindingsTests.withLab(.init(workers: 1, roles: [])) { lab in
      let settings = try lab.settings()
      let waits = Mutex(0)
      // Looks once.
      var hasty = WallClock.live
      hasty.sleep = { _ in }
      var clock = WallClock.live
      // While status waits the worker comes back.
      clock.sleep = { [hasty] _ in
        let isFirst = waits.withLock { count in
          count += 1
          return count == 1
        }
        if isFirst { try? lab.startWorker() }
        // The broker knows of it a while later, on a busy machine later than status waits.
        _ = try? Patience.comes(within: waitLimit) {
          try !StatusReport.gather(settings, clock: hasty).findings().map(\.name)
            .contains("queueUnconsumed")
        }
      }
      try lab.stopWorkers()
      let report = try StatusReport.gather(settings, clock: clock)
      #expect(waits.withLock { $0 } > 0)
      #expect(!report.findings().map(\.name).contains("queueUnconsumed"), "\(report.attention())")
      // One that stays away is named.
      try lab.stopWorkers()
      _ = try OperatorFindingsTests.finding("queueUnconsumed", settings)
    }
  }

  @Test("Without the management API the rest is checked and shown")
  func withoutManagement() async throws {
    try await OperatorFindingsTests.withLab(.init(workers: 0, roles: [])) { lab in
      var settings = try lab.settings()
      settings.brokerManagement = "http://guest:guest@127.0.0.1:1"
      let given = settings
      let check = LiveCheck(
        identity: lab.identity,
        connect: { () throws(OperatorFailure) in
          .live(try OperatorConnection.open(given, as: "check"))
        },
        noJobWaits: { () throws(OperatorFailure) in
          throw .management(.unreachable(endpoint: "127.0.0.1:1", reason: "refused"))
        })
      let result = try check.run(after: nil)
      #expect(result.isComplete && result.failure == nil)
      #expect(result.queueFailure?.exitCode == 69)
      #expect(result.noJobWaits == .unanswered)
      let store = try OperatorConnection.store(given, as: "push")
      var report = PushReport(figures: try onStore(try store.pushFigures()))
      #expect(try report.readQueues(given)?.exitCode == 69)
      #expect(report.text.contains("? (RabbitMQ's management API could not be asked)"))
    }
  }

  @Test("A queue at its own limit is full, and named with its count")
  func fullQueue() async throws {
    try await OperatorFindingsTests.withLab(.init(workers: 0, roles: [])) { lab in
      let settings = try lab.settings()
      let administration = try #require(try settings.administration())
      let host = try settings.virtualHost()
      var limits = TopologyLimits()
      limits.events.messages = 2
      for policy in BrokerPolicy.queues(of: Topology(layout: lab.layout, limits: limits)) {
        try administration.apply(policy, in: host)
      }
      let broker = try RabbitMQConnection(RabbitMQSettings(url: lab.serviceURL))
      defer { broker.close() }
      let name = "cubist.slots.00"
      try waitUntil("the queue has the policy") {
        try administration.queues(in: host).first { $0.name == name }?.policyMessages == 2
      }
      let publisher = try Publisher<Int>(broker)
      for id in 0..<2 {
        try publisher.publish(
          id: id, exchange: "", routingKey: name, properties: MessageProperties(),
          body: Array("x".utf8))
      }
      try publisher.flush(timeout: .seconds(60))
      try waitUntil("the queue is full") {
        try StatusReport.gather(settings).findings().contains {
          $0.name == "queueFull" && $0.cause.contains("\(name) (2 of 2)")
        }
      }
    }
  }

  @Test("Locked-out players are named with the forbidden acts, until it is put right")
  func lockedOut() async throws {
    try await OperatorFindingsTests.withLab(.init(workers: 0, roles: [])) { lab in
      var settings = try lab.settings()
      settings.playerBroker = lab.playersURL
      let given = settings
      let players = try #require(try settings.playerAccount())
      let administration = try #require(try settings.administration())
      let setup = BrokerSetup(
        service: try settings.brokerAccount(), players: players, administration: nil,
        topology: Topology(layout: lab.layout))
      func found(_ name: String) throws -> [String] {
        try StatusReport.complete(given).findings().filter { $0.name == name }.map(\.cause)
      }
      #expect(try found("playersLockedOut") == [] && setup.problems() == [])
      try administration.permit(
        players.user, BrokerRights(configure: "^$", write: "^cubist\\.events$", read: "^$"),
        in: players.virtualHost)
      let said = try found("playersLockedOut")
      #expect(said.count == 1 && said[0].contains("publish to cubist.queries"), "\(said)")
      #expect(try found("topologyDiffers").contains { $0.contains("other rights") })
      #expect(try setup.problems() == said)
      var many = BrokerRights.player()
      many.limits = .init(connections: nil, channels: 9_999)
      try administration.permit(players.user, many, in: players.virtualHost)
      #expect(
        try found("topologyDiffers").contains {
          $0.contains("any number of connections and 9999 channels at most; it needs")
            && $0.contains("1000 connections at most and 1000 channels at most")
        })
      try administration.permit(players.user, .player(), in: players.virtualHost)
      #expect(try found("playersLockedOut") == [] && found("topologyDiffers") == [])
      try administration.createUser(players.user, password: "another")
      #expect(try found("playersLockedOut").first?.contains("cannot log in") == true)
      #expect(try setup.problems().first?.contains("cannot log in") == true)
      try administration.createUser(players.user, password: players.password)
      #expect(try setup.problems() == [])
    }
  }

  @Test("Locked-out gateways are named with the forbidden acts, until it is put right")
  func lockedOutGateways() async throws {
    try await OperatorFindingsTests.withLab(.init(workers: 0, roles: [])) { lab in
      var settings = try lab.settings()
      settings.gatewayBroker = lab.playersURL
      let given = settings
      let gateway = try #require(try settings.gatewayAccount())
      let administration = try #require(try settings.administration())
      func found(_ name: String) throws -> [String] {
        try StatusReport.complete(given).findings().filter { $0.name == name }.map(\.cause)
      }
      let said = try found("gatewaysLockedOut")
      #expect(said.count == 2 && said[0].contains("publish to cubist.gateways"), "\(said)")
      #expect(try found("topologyDiffers").contains { $0.contains("other rights") })
      try administration.permit(gateway.user, .gateway(), in: gateway.virtualHost)
      #expect(try found("topologyDiffers").contains { $0.contains("limits the queues of") })
      try administration.apply(.gateways(), in: gateway.virtualHost)
      #expect(try found("gatewaysLockedOut") == [] && found("topologyDiffers") == [])
    }
  }

  @Test("Status needs a monitoring account alone, also over HTTPS, and says what that cannot see")
  func monitoring() async throws {
    try await OperatorFindingsTests.withLab(.init(workers: 1, roles: [.reader])) { lab in
      var settings = try lab.settings()
      let expected = try StatusReport.complete(settings)
      #expect(expected.blindUser == nil)
      let administration = try #require(try settings.administration())
      let account = try settings.brokerAccount()
      let name = "\(lab.host.name)-monitor"
      try administration.createUser(name, password: "look", tags: "monitoring")
      try administration.permit(
        name, BrokerRights(configure: "^$", write: "^$", read: "^$"), in: account.virtualHost)
      let environment = try RealServers.environment()
      for url in [environment.managementURL, environment.plainManagementURL] {
        settings.brokerManagement = try ServerEnvironment.url(url, user: "\(name):look")
        let report = try StatusReport.complete(settings)
        #expect(report.blindUser == name)
        #expect(report.queues?.map(\.name) == expected.queues?.map(\.name))
        #expect(report.screen().contains("rights    not seen: user \(name)"))
        #expect(!report.findings().contains { $0.name == "topologyDiffers" })
      }
      let setup = BrokerSetup(
        service: account, players: nil, administration: try settings.administration(),
        topology: Topology(layout: lab.layout))
      #expect(try setup.problems().contains { $0.contains("\(name) of CUBIST_BROKER_MANAGEMENT") })
    }
  }

  @Test("A slot that is not bound and an exchange that was deleted are named")
  func broken() async throws {
    try await OperatorFindingsTests.withLab(.init(workers: 0, roles: [])) { lab in
      let settings = try lab.settings()
      let broker = try RabbitMQConnection(RabbitMQSettings(url: lab.serviceURL))
      defer { broker.close() }
      let slot = try #require(Slot(number: 0))
      try broker.unbindQueue(
        "cubist.slots.00", exchange: "cubist.events", routingKey: slot.routingKey)
      let unbound = try OperatorFindingsTests.finding("topologyDiffers", settings)
      #expect(unbound.cause.contains("1 of 1024 slots"))
      try broker.deleteExchange("cubist.outcomes")
      let missing = try OperatorFindingsTests.finding("exchangeMissing", settings)
      #expect(missing.cause.contains("cubist.outcomes"))
    }
  }

  @Test("Status names a setting and a large object that a thief has left for a user")
  func leftSetting() async throws {
    try await OperatorFindingsTests.withLab(.init(workers: 0, roles: [])) { lab in
      var settings = try lab.settings()
      settings.databaseUsers = LabUsers.connectionStrings(lab.database.connectionString)
      #expect(try !OperatorFindingsTests.names(settings).contains("userSettings"))
      let connection = try lab.connection()
      defer { connection.close() }
      let user = try #require(LabUsers.names[.worker])
      // Users belong to all labs: in this one's database alone.
      try connection.script(
        """
        ALTER ROLE \(user) IN DATABASE "\(lab.database.name)" SET synchronous_commit = off;
        ALTER ROLE \(user) IN DATABASE "\(lab.database.name)" SET work_mem = '1MB'
        """)
      let found = try OperatorFindingsTests.finding("userSettings", settings)
      #expect(found.cause.contains("user \(user) has settings of its own"))
      #expect(found.cause.hasSuffix(": synchronous_commit = off"))
      #expect(found.severity == .warning && found.command == "cubistd setup")
      #expect(try !OperatorFindingsTests.names(settings).contains("userObjects"))
      try connection.script("GRANT EXECUTE ON FUNCTION lo_from_bytea(oid, bytea) TO PUBLIC")
      let thief = try PostgreSQLConnection(
        PostgreSQLSettings(connectionString: try #require(settings.databaseUsers[.worker])))
      defer { thief.close() }
      try thief.script("SELECT lo_from_bytea(0, 'x')")
      let object = try OperatorFindingsTests.finding("userObjects", settings)
      #expect(object.cause.contains("user \(user) has 1 large object,"))
    }
  }

  @Test("Status shows all of the former schema before setup has brought it on")
  func formerSchema() async throws {
    try await OperatorFindingsTests.withLab(.init(workers: 1, roles: [])) { lab in
      let connection = try lab.connection()
      defer { connection.close() }
      try connection.script(
        """
        DELETE FROM schema_version WHERE version = \(Schema.requiredVersion);
        DROP TABLE broker_claim;
        ALTER TABLE trials RENAME TO former_trials
        """)
      let report = try StatusReport.gather(lab.settings())
      #expect(report.livingWorkers.count == 1)
      let found = report.findings().map(\.name)
      #expect(found.contains("schemaDiffers"))
      #expect(!found.contains("databasePartUnanswered"), "\(found)")
      try connection.script("ALTER TABLE problems RENAME TO former_problems")
      #expect(try StatusReport.gather(lab.settings()).livingWorkers.count == 1)
    }
  }
}
