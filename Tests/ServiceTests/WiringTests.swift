import EventBusLive
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import RealServers
import TestedService
import Testing

@testable import cubistd

@Suite("How roles are put together")
struct WiringTests {
  @Test("Every connection of a store keeps the plans that its statements are written for")
  func plans() async throws {
    try await onDatabase { database in
      let connection = try Wiring.connect(
        PostgreSQLSettings(connectionString: database.connectionString), as: "test of plans")
      defer { connection.close() }
      let row = try connection.query(
        """
        SELECT current_setting('plan_cache_mode'), current_setting('enable_seqscan'),
          current_setting('jit'), current_setting('application_name')
        """
      ).only
      #expect(try row[0].text == "force_generic_plan")
      #expect(try row[1].text == "off")
      #expect(try row[2].text == "off")
      #expect(try row[3].text == "test of plans")
    }
  }

  @Test("No role begins on a database with an unsuitable schema")
  func schema() async throws {
    try await onDatabase { database in
      let now = WallClock.live.now()
      let keys = try ServiceKeyFile.create(now: now, randomness: .live).keys
      // Nobody serves the broker: the database comes first.
      let wiring = Wiring(
        database: try PostgreSQLSettings(connectionString: database.connectionString),
        bus: BusContext(
          address: try BrokerAddress(url: "amqp://nobody@127.0.0.1:1/"), clock: .live,
          randomness: .live, log: ServiceLab.log),
        layout: .standard,
        keys: KeyRing(try keys.identity(), clock: .live, log: ServiceLab.log),
        pushProviders: [])
      for role in RoleName.signing {
        let interruption = #expect(throws: Interruption.self, "\(role)") {
          try wiring.make(
            RolePresence(id: RoleID(rawValue: 1), role: role, stop: StopSignal()))
        }
        guard case .store(.unusable(let text))? = interruption else {
          Issue.record("\(role): \(String(describing: interruption))")
          continue
        }
        #expect(text.contains("cubistd setup"))
      }
    }
  }

  @Test("No role works with another service's keys, and the settings' key file is named")
  func foreignKeys() async throws {
    try await onDatabase { database in
      let now = WallClock.live.now()
      let (own, foreign) = (
        try ServiceKeyFile.create(now: now, randomness: .live).keys,
        try ServiceKeyFile.create(now: now, randomness: .live).keys
      )
      let connection = try Wiring.connect(
        PostgreSQLSettings(connectionString: database.connectionString), as: "test")
      defer { connection.close() }
      try Schema.install(connection)
      // Nobody serves the broker: the keys come first.
      let bus = BusContext(
        address: try BrokerAddress(url: "amqp://nobody@127.0.0.1:1/"), clock: .live,
        randomness: .live, log: ServiceLab.log)
      let settings = try PostgreSQLSettings(connectionString: database.connectionString)
      func wiring(_ keys: ServiceKeyFile) throws -> Wiring {
        Wiring(
          database: settings, bus: bus, layout: .standard,
          keys: KeyRing(try keys.identity(), clock: .live, log: ServiceLab.log),
          keyFile: "/etc/foreign.json", pushProviders: [])
      }
      // A database that belongs to nobody yet says nothing.
      #expect(try wiring(foreign).problem() == nil)
      _ = try OperatorStore.live(connection).keepService(
        ServiceRow(service: own.service, rootKey: own.rootKey, certificates: []))
      #expect(try wiring(own).problem() == nil)
      let problem = try #require(try wiring(foreign).problem())
      for part in ["/etc/foreign.json", "\(own.service)", "\(foreign.service)"] {
        #expect(problem.contains(part), "\(problem)")
      }
      let roles = RoleName.signing.filter(\.usesKeys)
      let (withOwn, withForeign) = (try wiring(own), try wiring(foreign))
      for (number, role) in roles.enumerated() {
        func make(_ wiring: Wiring, as id: Int) throws {
          _ = try wiring.make(
            RolePresence(id: RoleID(rawValue: UInt128(id)), role: role, stop: StopSignal()))
        }
        let refused = #expect(throws: Interruption.self) { try make(withForeign, as: number) }
        #expect(refused == .store(.unusable(problem)), "\(role)")
        // The next obstacle is the broker.
        let next = #expect(throws: Interruption.self) { try make(withOwn, as: 100 + number) }
        guard case .bus? = next else {
          Issue.record("\(role): \(String(describing: next))")
          continue
        }
      }
      // Status shows the reason, as much of it as a sign of life has room for.
      let problems = try OperatorStore.live(connection).status().roles.compactMap(\.sign.problem)
      #expect(problems.count { $0.contains("/etc/foreign.json") } == roles.count, "\(problems)")
    }
  }
}
