import EventBusLive
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import RealServers
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
}
