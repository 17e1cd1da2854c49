import Chaos
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import RealServers
import Synchronization
import TestedService
import Testing

@testable import cubistd

@Suite("Nothing that takes long stops time", .serialized)
struct SlowDutiesTests {
  @Test("Ticks go out each second and a deadline passes while ranks and pairing wait for tables")
  func locked() async throws {
    var options = ServiceLab.Options()
    options.roles = [.reader, .scheduler]
    try await ServiceLab.run(options) { lab in
      let (ann, bob) = try lab.pair()
      let match = try lab.begin(ann, bob, limit: 40)
      let connection = try lab.connection()
      defer { connection.close() }
      let store = SchedulerStore.live(connection)
      let queue = lab.layout.queue(of: Slot(of: match))
      try waitUntil("the queue has a time") {
        try store.queueClocks()[queue]?.time != nil
      }
      var settings = try lab.database.patientSettings()
      settings.idleInTransactionTimeout = .seconds(600)
      let holder = try PostgreSQLConnection(settings)
      defer { holder.close() }
      // Ranking needs the one, pairing the other, and no turn either of them.
      try holder.script("BEGIN; LOCK TABLE ranking_queue, blocks IN ACCESS EXCLUSIVE MODE")
      for player in [ann, bob] {
        try player.must(.turnPlayed(match, lab.turn(lab.match(match))))
      }
      let before = try #require(try store.queueClocks()[queue])
      try waitUntil("the deadline passes") {
        try lab.match(match).outcome != nil
      }
      #expect(try lab.match(match).outcome?.reason == .timedOut)
      let after = try #require(try store.queueClocks()[queue])
      // Ticks that wait for a lock again and again come too late most of the time, those of a busy
      // machine now and then.
      let credit = after.creditMicroseconds - before.creditMicroseconds
      let time = try #require(after.time).microseconds(since: #require(before.time))
      #expect(credit * 3 < time, "\(credit) of \(time)")
      try holder.script("ROLLBACK")
    }
  }

  @Test(
    "Setup delays no turn while a session reads all tables for long, and names its unfinished work")
  func setup() async throws {
    try await ServiceLab.run { lab in
      let ann = try lab.player("Ann")
      var settings = try lab.database.patientSettings()
      settings.idleInTransactionTimeout = .seconds(120)
      let reader = try PostgreSQLConnection(settings)
      defer { reader.close() }
      try reader.script(
        "BEGIN; SELECT count(*) FROM entries; SELECT count(*) FROM events; "
          + "SELECT count(*) FROM dead_events")
      let setup = DatabaseSetup(
        settings: try PostgreSQLSettings(connectionString: lab.database.connectionString),
        identity: lab.identity, layout: lab.layout)
      let done = Mutex<Result<[String], any Error>?>(nil)
      try WorkThread.start {
        let result = Result { try setupLines(setup.run(report:)) }
        done.withLock { $0 = result }
      }
      let request = MatchRequest(opponent: .nobody, turnLimitSeconds: nil)
      var (longest, count) = (Duration.zero, 0)
      while done.withLock({ $0 == nil }) {
        let time = try ContinuousClock().measure { try ann.must(.matchRequested(request)) }
        (longest, count) = (max(longest, time), count + 1)
        // A player acts at a pace of her own.
        Patience.pause(0.05)
      }
      // Without limits of its own setup would wait for a minute, and a turn behind it as well.
      #expect(count > 5 && longest < .seconds(30))
      let told = try #require(done.withLock { $0 }).get()
      #expect(told.contains { $0.contains("housekeeper") })
      try reader.script("ROLLBACK")
      #expect(try !setupLines(setup.run(report:)).contains { $0.contains("housekeeper") })
    }
  }
}
