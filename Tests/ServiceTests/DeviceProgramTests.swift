import Foundation
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import RealServers
import TestedService
import Testing

@Suite("Devices by the player's program", .serialized)
struct DeviceProgramTests {
  @Test("A device that is added plays on in the first one's match, and can remove it")
  func playsOn() async throws {
    try await ServiceLab.run { lab in
      let folder = FileManager.default.temporaryDirectory
        .appending(path: "cubist-devices-\(lab.database.name)").path
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let program = CubistProgram(folder: folder, url: lab.playersURL)
      let (ann, bob) = try lab.pair()
      let first = ProfileStore.live(folder: "\(folder)/cubist/first")
      try first.saveKey(ann.key)
      let match = try lab.begin(ann, bob)

      let invited = try program.run("key invite --json", as: "first")
      let code = try #require(invited.output.firstMatch(of: /"code":"([0-9A-Z]{12})"/)?.1)
      let added = try program.run("key add \(code)", as: "second")
      #expect(added.output == "You are \(ann.name) on this device, too.\n", "\(added.errors)")
      let again = try program.run("key add \(code)", as: "third")
      #expect(again.status == 1 && again.output.isEmpty)

      let second = ProfileStore.live(folder: "\(folder)/cubist/second")
      let key = try #require(try second.loadKey())
      #expect(key.player == ann.id && key != ann.key)
      let list = try program.run("key list --json", as: "second").output
      #expect(list.contains("\(key.publicKey)") && list.contains("\(ann.key.publicKey)"))
      let play = "play --match \(match) --remove 222 --remove 212"
      #expect(try program.run(play, as: "second").status == 0)
      #expect(try lab.match(match).turnNumber == 2)

      // A copy of the added key plays as the same player.
      #expect(try program.run("key export \(folder)/copy.key", as: "second").status == 0)
      #expect(try program.run("key import \(folder)/copy.key", as: "copy").status == 0)
      #expect(try program.run("whoami", as: "copy").output.hasPrefix("You are \(ann.name), "))

      let removal = "key remove \(ann.key.publicKey.description.prefix(8))"
      #expect(try program.run(removal, as: "second").status == 0)
      #expect(try program.run("whoami", as: "first").status == 77)
      #expect(try program.run("whoami", as: "second").status == 0)

      try bob.must(.matchForfeited(match))
      let report = try #require(try lab.report(onRecordOf: match))
      #expect(report.game.fault == nil)
      let seat = try #require(report.document.seats.first { $0.player == ann.id })
      #expect(seat.keys.contains(key.publicKey))
      #expect(seat.origins.map(\.key) == [key.publicKey])
      #expect(try lab.violations() == [])
    }
  }
}
