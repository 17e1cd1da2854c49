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

@Suite("Damaged matches", .serialized, .sharedService())
struct DamagedMatchTests {
  // Failure: OperatorStore.restoreRecord: Nothing is changed.
  /// The steps of docs/runbook.md, from the first look to a check without a finding.
  @Test(
    "Two damaged matches hide no other; one is annulled, the other comes back from a copy and goes on"
  )
  func walk() async throws {
    try await ServiceLab.shared { lab in
      let (ann, bob) = (try lab.client("Ann"), try lab.client("Bob"))
      let desk = try OperatorDesk(lab)
      defer { desk.close() }
      let connection = try lab.connection()
      defer { connection.close() }
      let (lost, mended, whole) = (
        try lab.begin(ann, bob), try lab.begin(ann, bob), try lab.begin(ann, bob)
      )
      for match in [lost, mended] {
        _ = try ann.play(Scenes.word(in: ann.match(match)), in: ann.match(match))
      }
      let reader = ReaderStore.live(connection)
      let backup = try reader.entries(mended)
      // A turn after the backup.
      _ = try bob.play(Scenes.word(in: bob.match(mended)), in: bob.match(mended))
      let entries = try reader.entries(mended)
      #expect(entries.count > backup.count)
      for match in [lost, mended] {
        try connection.script("UPDATE matches SET state = '\\x00' WHERE id = '\(match)'")
        try connection.script(
          """
          UPDATE entries SET payload = set_byte(payload, 9, get_byte(payload, 9) # 1)
          WHERE match = '\(match)' AND position = 2
          """)
      }

      for player in [ann, bob] {
        let home = try player.home()
        #expect(home.matches.map(\.id) == [whole])
        #expect(Set(home.damaged ?? []) == [lost, mended])
        _ = try player.match(whole)
        let failure = #expect(throws: ClientError.self) { _ = try player.match(lost) }
        #expect("\(try #require(failure))".contains(QueryRefusal.matchDamaged.message))
      }
      let problems = try desk.store.status().problems.filter {
        $0.part == ServiceStatus.Problem.records
      }
      #expect(Set(problems.map(\.subject)) == Set([lost, mended].map { "\($0)" }))
      let name = try #require(ann.profile.name).text
      let stages = try desk.players.matches(of: desk.players.player(name).id, limit: 5).map(\.stage)
      #expect(stages == ["damaged", "damaged", "playing"])
      #expect(try desk.matches.find(lost).text.contains("does not hold"))

      let annulled = try desk.rule(.annulled, .fault, lost)
      #expect(annulled.match.outcome?.reason == .annulled)
      #expect(annulled.isAnnulledDamaged && annulled.rating.waiting == nil)
      #expect(throws: OperatorFailure.self) { _ = try desk.rule(.ended, .fault, lost) }
      try waitUntil("both are told") {
        lab.pushes.taken.count { $0.kind == .matchEnded && $0.match == lost } == 2
      }
      for player in [ann, bob] {
        #expect(try player.home().damaged == [mended])
        let game = try #require(try player.pastGames().games.first)
        #expect((game.id, game.reason, game.result) == (lost, .annulled, .none))
      }

      let restorer = RecordRestorer(
        restorer: MatchRestorer(.live(connection), identity: lab.identity, lexicons: lab.lexicons),
        store: desk.store, copy: { _ in backup }, operator: "olga")
      let dry = try restorer.restore(mended, isDryRun: true)
      #expect(dry.restored == [2] && dry.entryCount == entries.count)
      #expect(dry.text.contains("Nothing is written") && dry.setAside == nil)
      #expect(try ann.home().damaged == [mended])
      var gone = OperatorStore.failing
      gone.restoreRecord.fail(with: .conflict("it was written since"))
      let failing = RecordRestorer(restorer: restorer.restorer, store: gone, copy: { _ in backup })
      #expect(throws: OperatorFailure.store(.conflict("it was written since"))) {
        _ = try failing.restore(mended, isDryRun: false)
      }
      let early = #expect(throws: OperatorFailure.self) {
        _ = try restorer.restore(mended, turns: dry.turnCount + 1, isDryRun: false)
      }
      #expect("\(try #require(early))".contains("the player tells of turn 3"))
      #expect(dry.turnCount == 2 && dry.text.contains("and has 2 turns. Nothing"))
      let report = try restorer.restore(mended, turns: 2, isDryRun: false)
      let row = try #require(report.setAside)
      #expect(report.text.contains("row \(row) of the table set_aside"))
      #expect(try report.json().contains(#""restored":[2]"#))
      #expect(try reader.entries(mended) == entries)
      #expect(throws: OperatorFailure.self) { _ = try restorer.restore(mended, isDryRun: false) }
      #expect(throws: OperatorFailure.self) { _ = try restorer.restore(lost, isDryRun: false) }

      // The game goes on, and nothing of it is left for an operator.
      #expect(try ann.home().damaged == nil)
      _ = try ann.play(Scenes.word(in: ann.match(mended)), in: ann.match(mended))
      let left = try connection.query(
        "SELECT act, jsonb_array_length(rows -> 'entries') > 3 FROM set_aside ORDER BY id")
      #expect(try left.map { try $0[0].text } == ["annulled", "restored"])
      #expect(try left.allSatisfy { try $0[1].bool })
      #expect(
        try !desk.store.status().problems.contains { $0.part == ServiceStatus.Problem.records })
      #expect(try desk.store.acts(2).map(\.act) == ["match restored", "match annulled"])
      #expect(try lab.violations() == [])
    }
  }

  @Test("A copy is a database of its own, which is only read")
  func copy() async throws {
    try await ServiceLab.shared { lab in
      let (ann, bob) = try lab.pair()
      let match = try lab.begin(ann, bob)
      let copy = try OperatorConnection.open(copy: lab.database.connectionString, as: "matches")
      defer { copy.close() }
      #expect(try ReaderStore.live(copy).entries(match).count > 2)
      let failure = #expect(throws: OperatorFailure.self) {
        _ = try OperatorConnection.open(copy: "what is this", as: "matches")
      }
      #expect(try #require(failure).description.contains("--from-database"))
    }
  }
}
