import Conformance
import CustomDump
import LibPQ
import MatchCore
import MatchInterfaces
import MatchStoreLive
import Testing

@Suite("States that cannot be read")
struct FoldingTests {
  @Test(
    "A state of another version, or a damaged one, is folded from its record",
    arguments: [
      "'\\x63'::bytea || substring(state FROM 2)", "substring(state FROM 1 FOR 40)", "''",
    ])
  func folding(damage: String) throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let lab = StoreLab(.live(try stores.connect()))
      try lab.register(.ann, .bob)
      let running = try lab.begin()
      try lab.act(lab.turn(in: #require(try lab.match(running))), by: .ann)
      let (offered, declined, followed) = (try lab.begin(), try lab.begin(), try lab.begin())
      for id in [offered, declined, followed] {
        try lab.act(.matchForfeited(id), by: .ann)
        try lab.act(.rematchRequested(id), by: .bob)
      }
      try lab.act(.rematchDeclined(declined), by: .ann)
      try lab.act(.rematchRequested(followed), by: .ann)
      let ids = [running, offered, declined, followed, MatchID(successorOf: followed)]
      let before = try ids.map { try lab.match($0) }
      #expect(before.allSatisfy { $0 != nil })
      try connection.query("UPDATE matches SET state = \(damage)")

      expectNoDifference(try ids.map { try lab.match($0) }, before)
      let reader = ReaderStore.live(try stores.connect())
      expectNoDifference(
        try reader.currentMatches(TestPlayer.ann.id, 9, 9).matches.map(\.id),
        [running, ids[4]].sorted(by: >))
      // Play goes on, and the state is whole again.
      try lab.act(lab.turn(in: #require(try lab.match(running))), by: .bob)
      let check = CheckStore.live(try stores.connect())
      let stored = try check.stored([running, offered])
      #expect(stored[running]?.state?.turnNumber == 3)
      #expect(stored[offered]?.state == nil)
    }
  }

  // Failure: StoreError.damaged: A match can be read neither from its state nor from its record.
  //   The worker buries the event alone. The reader refuses a query about this match as
  //   `matchDamaged`, and lists show the others. The log names the match, and `cubistd status` has
  //   it as `matchDamaged`.
  @Test("A match whose record does not hold is named and kept for status, and stops nobody else")
  func brokenRecord() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let lab = StoreLab(.live(try stores.connect()))
      try lab.register(.ann, .bob)
      let (broken, whole, empty) = (try lab.begin(), try lab.begin(), try lab.begin())
      try connection.query(
        "UPDATE matches SET state = '' WHERE id = ANY($1)",
        [.uuidArray([broken.rawValue, empty.rawValue])])
      try connection.query(
        "UPDATE entries SET payload = '{}' WHERE match = $1 AND position = 2",
        [.uuid(broken.rawValue)])
      try connection.query("DELETE FROM entries WHERE match = $1", [.uuid(empty.rawValue)])
      for id in [broken, empty] {
        for _ in 1...2 {
          #expect(try storeError { _ = try lab.match(id) }.damagedMatch == id)
          // As a worker does after any error.
          lab.store.abandon()
        }
      }
      #expect(try lab.match(whole) != nil)
      let problems = try OperatorStore.live(try stores.connect()).status().problems
      #expect(Set(problems.map(\.subject)) == Set([broken, empty].map { "\($0)" }))
      #expect(problems.allSatisfy { $0.part == ServiceStatus.Problem.records })
      // A reader keeps it, too, and a user without that right reads all the same.
      try connection.query("DELETE FROM problems")
      let reader = ReaderStore.live(try stores.connect())
      let listed = try reader.currentMatches(TestPlayer.ann.id, 9, 9)
      #expect(listed.matches.map(\.id) == [whole])
      #expect(Set(listed.damaged) == [broken, empty])
      #expect((listed.count, listed.moreMatches) == (3, 0))
      #expect(try connection.query("SELECT FROM problems").count == 2)
      // A reader that finds the damage itself.
      try reader.noteDamaged(whole, "its record does not hold")
      #expect(try connection.query("SELECT FROM problems").count == 3)
    }
  }
}
