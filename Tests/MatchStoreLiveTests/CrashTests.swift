import Conformance
import LibPQ
import MatchCore
import MatchInterfaces
import MatchStoreLive
import RealServers
import Testing

@Suite("Connections that break")
struct CrashTests {
  private func registration(_ lab: StoreLab, _ player: TestPlayer) throws -> BatchWrite {
    let event = try lab.event(.playerRegistered(name: player.name, code: nil), by: player)
    return try lab.judge([event]).write
  }

  @Test("A session that the server ends takes its claims along")
  func terminated() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let dying = StoreLab(.live(connection))
      let write = try registration(dying, .ann)
      let killer = try stores.connect()
      try killer.query(
        "SELECT pg_terminate_backend($1)", [.int32(connection.serverProcessID)])
      #expect(try storeError { try dying.store.commit(write) }.isUnavailable)
      #expect(!connection.isOpen)
      dying.store.abandon()
      try StoreLab(.live(try stores.connect()), number: 1).register(.ann)
    }
  }

  @Test("A batch without its claims' transaction is a conflict, and nothing of it is written")
  func lostTransaction() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let lab = StoreLab(.live(connection))
      let write = try registration(lab, .ann)
      // As after an error, which LibPQ answers with a rollback.
      try connection.rollback()
      #expect(try storeError { try lab.store.commit(write) }.isConflict)
      #expect(try stores.set().administration.playerCount() == 0)
      try lab.register(.ann)
    }
  }

  /// A batch with something of everything: a turn that ends nothing, a new match, a reply each.
  private func batch(_ lab: StoreLab, _ id: MatchID) throws -> BatchWrite {
    let match = try #require(try lab.match(id))
    let request = MatchRequest(opponent: .nobody, turnLimitSeconds: nil)
    return try lab.judge([
      lab.event(lab.turn(in: match), by: .ann), lab.event(.matchRequested(request), by: .bob),
    ]).write
  }

  @Test("A session ended in mid-commit: nothing is there, and the same batch succeeds")
  func endedInCommit() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let lab = StoreLab(.live(connection))
      try lab.register(.ann, .bob)
      let id = try lab.begin()
      let write = try batch(lab, id)
      // The guard waits for a row that another session holds, and there the server ends it.
      let holder = try stores.connect()
      try holder.run(
        [SQLStatement("SELECT FROM matches WHERE id = $1 FOR UPDATE", [.uuid(id.rawValue)])],
        .begins())
      let killer = try stores.connect()
      let process = connection.serverProcessID
      connection.waitHook = WaitHook(every: .milliseconds(5)) {
        do throws(PostgreSQLError) {
          try killer.query(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE pid = $1 AND wait_event_type = 'Lock'
            """, [.int32(process)])
        } catch {
          Issue.record("\(error)")
        }
      }
      #expect(try storeError { try lab.store.commit(write) }.isUnavailable)
      try holder.rollback()

      let set = try stores.set()
      #expect(try set.check.stored([id])[id]?.state?.turnNumber == 1)
      #expect(try set.check.matches(nil, 10) == [id])
      try set.worker.commit(write)
      #expect(try storeError { try set.worker.commit(write) }.isConflict)
      try checkAgreement(set)
    }
  }

  @Test("A leader stops to lead with the connection")
  func deadLeader() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let (leader, next) = (
        SchedulerStore.live(connection), SchedulerStore.live(try stores.connect())
      )
      #expect(try leader.lead() == true)
      #expect(try next.lead() == false)
      let process = connection.serverProcessID
      try stores.connect().query("SELECT pg_terminate_backend($1)", [.int32(process)])
      #expect(try storeError { _ = try leader.lead() }.isUnavailable)
      try stores.waitForEnd(of: process)
      #expect(try next.lead() == true)
    }
  }

  @Test("A leader that stands still loses the lead with the session")
  func frozenLeader() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect { $0 = $0.forLeading(idleLimit: .seconds(1)) }
      let leader = SchedulerStore.live(connection)
      let next = SchedulerStore.live(try stores.connect())
      #expect(try leader.lead() == true)
      if try next.lead() {
        // On a busy machine the second is over by now.
        let sessions = try stores.connect().query(
          "SELECT count(*) FROM pg_stat_activity WHERE pid = $1",
          [.int32(connection.serverProcessID)])
        #expect(try sessions.only[0].int64 == 0)
      }
      try stores.waitForEnd(of: connection.serverProcessID)
      #expect(try next.lead() == true)
      #expect(try storeError { _ = try leader.lead() }.isUnavailable)
    }
  }
}
