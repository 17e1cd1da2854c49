import Chaos
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

@Suite("An account that is exported and ended by the player's program", .serialized)
struct AccountEndProgramTests {
  @Test(
    "An export has the player's data; --forfeit ends the match, and a kept account is there again")
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
      #expect(kept["schema"] as? String == "cubist.account.2")
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

  @Test("The player's file has the rows of the operator's")
  func rows() async throws {
    try await ServiceLab.run { lab in
      let folder = FileManager.default.temporaryDirectory
        .appending(path: "cubist-rows-\(lab.database.name)").path
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let program = CubistProgram(folder: folder, url: lab.playersURL)
      let (ann, bob) = try lab.pair()
      let cyd = try lab.player("Cyd")
      try ProfileStore.live(folder: "\(folder)/cubist/ann").saveKey(ann.key)
      _ = try lab.begin(ann, bob)
      let alone = try ann.sign(.matchRequested(MatchRequest(alone: .timed)))
      _ = try ann.send(alone)
      try ann.must(.turnPlayed(alone.newMatch, lab.firstWord(lab.match(alone.newMatch))))
      try ann.must(.matchForfeited(alone.newMatch))
      let over = try lab.begin(bob, ann)
      try bob.must(.turnPlayed(over, lab.turn(lab.match(over))))
      try bob.must(.matchForfeited(over))
      try ann.must(.reported(over, .conduct))
      try ann.must(.playerBlocked(cyd.id))
      let phone = try #require(DeviceName("phone"))
      try ann.must(
        .deviceRegistered(Device(name: phone, token: "secret", permission: .authorized)))
      try ann.must(.deviceInvited(DeviceCode(random: 1).hash(at: lab.identity.service)))
      try ann.must(.settingsChanged(SettingsChange(kinds: [.matchEnded: false])))

      // Nothing is sent any more.
      _ = try lab.jobs()
      let exported = try program.run("account export \(folder)/me.json", as: "ann")
      #expect(exported.status == 0, "\(exported.errors)")
      let text = try Data(contentsOf: URL(filePath: "\(folder)/me.json"))
      #expect(!String(decoding: text, as: UTF8.self).contains("secret\""))
      let file = try #require(try JSONSerialization.jsonObject(with: text) as? [String: Any])
      try compare(file, of: ann.id, in: lab)
    }
  }

  /// Compares a player's file with the operator's, which has the addresses of devices, too.
  private func compare(_ file: [String: Any], of player: PlayerID, in lab: ServiceLab) throws {
    let connection = try lab.connection()
    defer { connection.close() }
    let office = AccountEnder(
      lookup: PlayerLookup(reader: .live(connection), store: .live(connection)), operator: "olga")
    let text = try office.export("\(player)", reason: "asked")
    let whole = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let sections = try #require(file["kept"] as? [String: Any])
    #expect(file["lacking"] as? [String] == [])
    #expect(Set(sections.keys) == Set(AccountSection.allCases.map(\.rawValue)))
    for section in AccountSection.allCases {
      var rows = try #require(whole[section.rawValue] as? [[String: Any]], "\(section)")
      let shown = try #require(sections[section.rawValue] as? [[String: Any]], "\(section)")
      for index in rows.indices {
        for column in section.hiddenColumns { rows[index][column] = nil }
      }
      #expect(NSArray(array: shown).isEqual(NSArray(array: rows)), "\(section)")
    }
    let full: [AccountSection] = [
      .player, .keys, .deviceInvitations, .settings, .devices, .blocks, .reports, .runningMatches,
      .pastGames, .soloScores,
    ]
    for section in full {
      #expect((sections[section.rawValue] as? [Any])?.isEmpty == false, "\(section)")
    }
  }
}
