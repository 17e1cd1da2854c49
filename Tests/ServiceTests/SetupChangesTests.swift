import BrokerManagement
import EventBusLive
import Foundation
import LibPQ
import LibRabbitMQ
import MatchInterfaces
import MatchService
import MatchWire
import RealServers
import TestedService
import Testing

@testable import cubistd

@Suite("The changes that setup tells")
struct SetupChangesTests {
  @Test("Setup has a line for each thing that it changes, and none the second time")
  func changes() async throws {
    try await ServiceLab.run(.init(workers: 0, roles: [], hasNewHost: true)) { lab in
      let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("cubist-setup-\(UInt64.random(in: .min ... .max))").path
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      var settings = try lab.settings()
      settings.serviceKeys = "\(folder)/keys.json"
      settings.playerBroker = lab.playersURL
      try lab.keys.create(at: settings.serviceKeys)
      let setup = try ServiceSetup(settings)
      func changes() throws -> [String] {
        try setupChanges { report throws(OperatorFailure) in try setup.run(report: report) }
      }
      _ = try changes()
      #expect(try changes() == [])

      let players = try #require(setup.players)
      let administration = try #require(try settings.administration())
      let host = lab.host.name
      // A connection that nobody serves for long is closed by the broker.
      func onBroker(_ act: (RabbitMQConnection) throws -> Void) throws {
        let broker = try RabbitMQConnection(RabbitMQSettings(url: lab.serviceURL))
        defer { broker.close() }
        try act(broker)
      }
      let database = try lab.connection()
      defer { database.close() }
      let slot = try #require(Slot(number: 0))
      let policy = try #require(
        BrokerPolicy.queues(of: Topology(layout: lab.layout)).first { $0.name == "cubist.jobs" })
      var other = policy
      other.name = "cubist.slots"
      let mark = try #require(administration.marks(in: host).first)
      typealias Damage = (changes: [String], () throws -> Void)
      // Within a round nothing is damaged twice, and the things stand in the order of setup.
      let rounds: [[Damage]] = [
        [
          (
            ["broker user \(players.user) has the password of the settings, and no tags"],
            { try administration.createUser(players.user, password: "another") }
          ),
          (
            ["policy cubist.jobs made"],
            { try administration.deletePolicy("cubist.jobs", in: host) }
          ),
          (["queue cubist.jobs made"], { try onBroker { try $0.deleteQueue("cubist.jobs") } }),
          (
            ["1 slot bound to the queues that serve them"],
            {
              try onBroker {
                try $0.unbindQueue(
                  "cubist.slots.00", exchange: "cubist.events", routingKey: slot.routingKey)
              }
            }
          ),
        ],
        [
          (
            ["broker user \(players.user) has exactly the rights that it needs"],
            { try administration.permit(players.user, .gateway(), in: host) }
          ),
          (
            ["exchange cubist.outcomes made"],
            { try onBroker { try $0.deleteExchange("cubist.outcomes") } }
          ),
          (
            ["1 slot unbound from queues that do not serve them"],
            {
              try onBroker {
                try $0.bindQueue(
                  "cubist.slots.01", exchange: "cubist.events", routingKey: slot.routingKey)
              }
            }
          ),
        ],
        [
          (
            ["1 clock of queues begun"],
            { try database.script("DELETE FROM queue_clocks WHERE queue = 0") }
          ),
          (
            ["broker user \(players.user) has exactly the rights that it needs"],
            {
              var many = BrokerRights.player()
              many.limits = .init(connections: nil, channels: 9_999)
              try administration.permit(players.user, many, in: host)
            }
          ),
          (["policy cubist.slots corrected"], { try administration.apply(other, in: host) }),
        ],
        [
          (
            [
              "broker user \(players.user) made",
              "broker user \(players.user) has exactly the rights that it needs",
            ],
            { try administration.deleteUser(players.user) }
          ),
          (
            ["the broker has the mark of this database"],
            { try onBroker { try $0.deleteExchange("cubist.database.\(mark)") } }
          ),
        ],
      ]
      for damages in rounds {
        for (_, damage) in damages { try damage() }
        let made = damages.flatMap(\.changes)
        #expect(try changes() == made)
        #expect(try changes() == [], "after \(made)")
      }
      #expect(try setup.problems() == [])
    }
  }
}
