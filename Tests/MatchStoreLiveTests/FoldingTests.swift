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
    "A state of another version, or one that cannot be read, is folded from its record",
    arguments: [
      "'\\x63'::bytea || substring(state FROM 2)",
      "'\\x02'::bytea || substring(state FROM 10 FOR 40)", "''",
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

  @Test("A state with other points that could be read is judged by nobody, until a rebuild")
  func changedState() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let lab = StoreLab(.live(try stores.connect()))
      try lab.register(.ann, .bob)
      let (changed, old) = (try lab.begin(), try lab.begin())
      let match = try #require(try lab.match(changed))
      let bytes = match.encodedState()
      let unchecked = [Match.stateFormatWithoutChecksum] + bytes.dropFirst(9)
      let offset = try #require(
        unchecked.indices.first { offset in
          var state = unchecked
          state[offset] ^= 1
          let read = Match(id: changed, version: match.version, encodedState: state)
          return read.map { $0.head == match.head && $0.points != match.points } == true
        })
      let place = "\(offset + 8)"
      try connection.query(
        "UPDATE matches SET state = set_byte(state, \(place), get_byte(state, \(place)) # 1) "
          + "WHERE id = $1",
        [.uuid(changed.rawValue)])
      // A row of a build that wrote no checksums.
      try connection.query(
        "UPDATE matches SET state = '\\x02'::bytea || substring(state FROM 10) WHERE id = $1",
        [.uuid(old.rawValue)])

      #expect(try storeError { _ = try lab.match(changed) }.damagedMatch == changed)
      lab.store.abandon()
      let home = try ReaderStore.live(try stores.connect()).currentMatches(TestPlayer.ann.id, 9, 9)
      #expect(home.matches.map(\.id) == [old])
      #expect(home.damaged == [changed])
      let problem = try #require(try OperatorStore.live(connection).status().problems.first)
      #expect(problem.subject == "\(changed)" && problem.reason.contains("was changed"))
      let stored = try #require(try CheckStore.live(connection).stored([changed])[changed])
      #expect(stored.state == nil && stored.isStateChanged)
      #expect(stored.reading(changed).isStateWrong)
      // The other one goes on, with a checksum from now on.
      try lab.act(lab.turn(in: #require(try lab.match(old))), by: .ann)
      let first = try connection.query(
        "SELECT get_byte(state, 0) FROM matches WHERE id = $1", [.uuid(old.rawValue)])
      #expect(try first.only[0].int64 == Int64(Match.stateFormat))
    }
  }

  // Failure: StoreError.damaged: A match can be read neither from its state nor from its record, or
  //   its state was changed. The worker buries the event alone. The reader refuses a query about
  //   this match as `matchDamaged`, and lists show the others. The log names the match, and
  //   `cubistd status` has it as `matchDamaged`.
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
