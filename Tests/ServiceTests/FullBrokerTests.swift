import Chaos
import Foundation
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import RawHTTP
import RealServers
import TestedService
import Testing

@testable import cubistd

@Suite("A disk of RabbitMQ that is full")
struct FullBrokerTests {
  /// Sends over AMQP until the broker has said why it takes nothing.
  private func expectRefused(_ sent: LabPlayer.Sent, of player: LabPlayer) throws {
    var last = ""
    try waitUntil("the broker says why", found: last) {
      do {
        _ = try player.send(sent, within: .seconds(1))
        throw LabFailure("the event was answered")
      } catch BusError.refused(let reason) {
        return reason.contains("low on disk")
      } catch let error as LabFailure {
        // The first message of a connection waits with the broker, and the answer is unknown.
        last = "\(error)"
        return false
      }
    }
  }

  @Test("A full disk of RabbitMQ is named to everybody, and each event is judged once")
  func full() async throws {
    try await FullDisk.with { disk in
      var options = ServiceLab.Options(servers: disk.environment)
      options.roles.append(.scheduler)
      try await ServiceLab.run(options) { lab in
        let (ann, bob) = try lab.pair()
        let match = try lab.begin(ann, bob)
        let gateway = try LabGateway(in: lab)
        let folder = FileManager.default.temporaryDirectory
          .appending(path: "cubist-broker-\(lab.database.name)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try ProfileStore.live(folder: "\(folder)/cubist/bob").saveKey(bob.key)
        let program = CubistProgram(folder: folder, url: "http://127.0.0.1:\(gateway.port)")
        #expect(try program.run("whoami", as: "bob").status == 0)
        // Ann's turn waits in its queue for a worker.
        try lab.stopWorkers()
        let first = try ann.sign(.turnPlayed(match, lab.turn(lab.match(match))))
        try lab.publish([(first.slot, first.envelope)])

        try disk.isBrokerFull(true)
        let worker = try lab.start(.worker)
        try waitUntil("Ann's turn is judged") { try lab.match(match).turnNumber == 2 }
        let second = try bob.sign(.turnPlayed(match, lab.turn(lab.match(match))))
        try expectRefused(second, of: bob)
        // Nobody answers: the wait is in vain.
        var answer = try gateway.post("/v1/events", second.envelope, ["Prefer: wait=1"])
        try waitUntil("the gateway says why", found: answer.text) {
          if answer.status == 503, answer.text.contains("brokerRefused") { return true }
          answer = try gateway.post("/v1/events", second.envelope, ["Prefer: wait=1"])
          return false
        }
        let said = try program.run("home", as: "bob")
        #expect(said.status == 69 && said.errors.contains("The broker took no message"), "\(said)")
        var settings = try lab.settings()
        settings.brokerManagement = disk.environment.managementURL
        var found: [cubistd.Finding] = []
        try waitUntil("status names the disk", found: "\(found)") {
          found = try StatusReport.gather(settings).findings()
          return found.contains {
            $0.name == "brokerAlarm" && $0.cause.contains("short of disk space")
          }
        }
        #expect(worker.runner.state == .working)
        #expect(try lab.match(match).turnNumber == 2)

        try disk.isBrokerFull(false)
        #expect(try bob.send(second).receipt?.match == match)
        #expect(try lab.match(match).turnNumber == 3)
        #expect(try ann.send(first).receipt?.match == match)
        #expect(try lab.match(match).turnNumber == 3)
        #expect(try program.run("home", as: "bob").status == 0)
        try gateway.leave()
        #expect(try lab.violations() == [])
        let told = lab.pushes.taken.map(\.id)
        #expect(Set(told).count == told.count)
        #expect(try lab.deadEventCount() == 0)
      }
    }
  }
}
