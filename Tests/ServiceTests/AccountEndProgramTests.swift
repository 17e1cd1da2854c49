import Chaos
import Foundation
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import RealServers
import Testing

@Suite("An account that is exported and ended by the player's program", .serialized)
struct AccountEndProgramTests {
  @Test(
    "An export has the player's data; --forfeit ends the match, and a kept account is there again",
    .timeLimit(.minutes(15)))
  func endsAndKeeps() async throws {
    try await ServiceLab.run { lab in
      let folder = FileManager.default.temporaryDirectory
        .appending(path: "cubist-account-\(lab.database.name)").path
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let program = CubistProgram(folder: folder, url: lab.playersURL)
      let (ann, bob) = try lab.pair()
      try ProfileStore.live(folder: "\(folder)/cubist/ann").saveKey(ann.key)
      let match = try lab.begin(ann, bob)
      // A match without a turn would end as one that nobody gave up.
      for player in [ann, bob] {
        _ = try player.must(.turnPlayed(match, lab.turn(lab.match(match))))
      }

      let exported = try program.run("account export \(folder)/me.json", as: "ann")
      #expect(exported.status == 0, "\(exported.errors)")
      let file = try JSONSerialization.jsonObject(
        with: Data(contentsOf: URL(filePath: "\(folder)/me.json")))
      let kept = try #require(file as? [String: Any])
      #expect(kept["schema"] as? String == "cubist.account.1")
      let player = try #require(kept["player"] as? [String: Any])
      #expect(player["name"] as? String == "\(ann.name)")
      let matches = try #require((kept["matches"] as? [String: Any])?["matches"] as? [Any])
      #expect(matches.count == 1 && (kept["pastGames"] as? [Any])?.isEmpty == true)

      // Without the name nothing happens.
      #expect(try program.run("account delete --confirm \(bob.name)", as: "ann").status == 1)
      #expect(try lab.match(match).outcome == nil)
      let deleted = try program.run("account delete --confirm \(ann.name) --forfeit", as: "ann")
      #expect(deleted.status == 0, "\(deleted.errors)")
      #expect(deleted.output.hasPrefix("Your account ends in "), "\(deleted.output)")
      #expect(try lab.match(match).outcome?.reason == .forfeited)
      let again = try program.run("account keep", as: "ann")
      #expect(again.status == 0 && !again.output.contains("Your account ends"))
      #expect(try program.run("whoami", as: "ann").status == 0)

      // All devices are told of both.
      try waitUntil("both are told") {
        try lab.jobs().count { $0.job.kind == .account && $0.fate != nil } == 2
      }
      #expect(try lab.violations() == [])
    }
  }
}
