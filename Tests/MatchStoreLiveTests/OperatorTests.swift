import LibPQ
import Conformance
import CustomDump
import LibPQ
import MatchCore
import MatchInterfaces
import MatchStoreLive
import MatchWire
import Testing

@Suite("Operators' views and settings")
struct OperatorTests {
  private func run(_ body: (OperatorStore, StoreLab) throws -> Void) throws {
    try LiveStores.run { stores in
      try body(.live(try stores.connect(), by: "olga"), StoreLab(.live(try stores.connect())))
    }
  }

  @Test("The status counts the stored rows")
  func status() throws {
    try run { operators, lab in
      #expect(try operators.status().outboxOldestAt == nil)
      #expect(try operators.status().ratingQueueOldestAt == nil)
      try lab.register(.ann, .bob)
      let (over, current) = (try lab.begin(), try lab.begin())
      try lab.playWord(in: over, by: .ann)
      try lab.act(.matchForfeited(over), by: .bob)
      #expect(over != current)
      let status = try operators.status()
      #expect(status.playerCount == 2)
      #expect(status.matchCount == 2)
      #expect(status.currentMatchCount == 1)
      #expect(status.outboxCount == 6)
      #expect(status.outboxOldestAt != nil)
      #expect(status.ratingQueueCount == 1)
      #expect(status.ratingQueueOldestAt == lab.now)
    }
  }

  @Test("Workers that have not left are listed, the oldest first")
  func workers() throws {
    try run { operators, lab in
      let (one, two) = (WorkerID(rawValue: 1), WorkerID(rawValue: 2))
      for worker in [two, one, two] { _ = try lab.store.heartbeat(worker) }
      #expect(try operators.status().workers.map(\.id) == [two, one])
      try lab.store.leave(two)
      #expect(try operators.status().workers.map(\.id) == [one])
    }
  }

  @Test("Roles are listed with their obstacles; one silent for ten minutes is forgotten")
  func roles() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect { $0.applicationName = "cubistd reader" }
      let operators = OperatorStore.live(try stores.connect())
      #expect(try operators.status().silentRoles == ["reader"])
      let role = RoleStore.live(connection)
      let (one, two) = (
        RoleSign(id: RoleID(rawValue: 1), role: "reader", process: "a:1", problem: "no\0 broker"),
        RoleSign(id: RoleID(rawValue: 2), role: "push", process: "a:1")
      )
      for sign in [one, two] { try role.beat(sign) }
      var status = try operators.status()
      #expect(status.roles.map(\.sign.role) == ["push", "reader"])
      #expect(status.roles.map(\.sign.problem) == [nil, "no broker"])
      let before = try #require(status.roles.last)
      var well = one
      well.problem = nil
      try role.beat(well)
      status = try operators.status()
      #expect(status.roles.last?.sign == well)
      #expect(status.roles.last?.startedAt == before.startedAt)
      #expect(try #require(status.roles.last).heartbeatAt > before.heartbeatAt)
      try role.leave(two.id)
      #expect(try operators.status().roles.map(\.sign) == [well])

      try connection.query(
        "INSERT INTO workers (id, started_at, heartbeat_at) VALUES ($1, now(), now())", [.uuid(9)])
      try connection.script(
        """
        UPDATE roles SET heartbeat_at = heartbeat_at - interval '11 minutes';
        UPDATE workers SET heartbeat_at = heartbeat_at - interval '11 minutes'
        """)
      try role.beat(two)
      status = try operators.status()
      #expect(status.roles.map(\.sign) == [two])
      #expect(status.workers == [])
    }
  }

  @Test("A worker that died within two minutes is counted for ten")
  func youngDeaths() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let worker = WorkerStore.live(try stores.connect())
      func die(_ id: Int, at process: String, lived: Int, ago: Int, role: String = "worker") throws
      {
        try connection.query(
          """
          INSERT INTO roles (id, started_at, heartbeat_at, role, process)
          SELECT $1, at - $3 * interval '1 second', at, $2, $5
          FROM (SELECT clock_timestamp() - $4 * interval '1 second' AS at) AS a
          """,
          [
            .uuid(UInt128(id)), .text(role), .int32(Int32(lived)), .int32(Int32(ago)),
            .text(process),
          ])
      }
      func count() throws -> Int {
        try worker.standing(WorkerID(rawValue: 99)).youngDeathCount
      }
      try die(1, at: "a:1", lived: 5, ago: 14)
      try die(2, at: "a:2", lived: 121, ago: 30)
      try die(3, at: "a:3", lived: 5, ago: 601)
      try die(4, at: "a:4", lived: 5, ago: 30, role: "reader")
      #expect(try count() == 0)
      try die(5, at: "a:5", lived: 119, ago: 30)
      try die(6, at: "a:5", lived: 5, ago: 30)
      try die(7, at: "a:6", lived: 0, ago: 590)
      #expect(try count() == 2)
      // In a container each process has the same number.
      for death in 0..<3 { try die(8 + death, at: "b:1", lived: 5, ago: 100 + 60 * death) }
      #expect(try count() == 5)
    }
  }

  @Test("A registration code names its user and the time of use; making it is an act")
  func codes() throws {
    try run { operators, lab in
      let code = try #require(ShareCode("GOOD"))
      try operators.createCode(code)
      #expect(try operators.registrationCodes(10).map(\.usedBy) == [nil])
      #expect(try operators.registrationNeedsCode() == false)
      try operators.setRegistration(true)
      #expect(try operators.registrationNeedsCode() == true)
      try lab.send([lab.event(.playerRegistered(name: TestPlayer.ann.name, code: code), by: .ann)])
      let row = try #require(try operators.registrationCodes(10).first)
      #expect(row.code == code)
      #expect(row.usedBy == TestPlayer.ann.id)
      #expect(row.usedAt == lab.now)
      #expect(try operators.acts(10).map(\.act) == ["registration", "registration code"])
      #expect(try operators.acts(10).map(\.detail) == ["code by olga", "GOOD by olga"])
    }
  }

  @Test("A dead event is found by its id, with its time")
  func deadEvents() throws {
    try run { operators, lab in
      let dead = try lab.buryEvent()
      let row = try #require(try operators.deadEvents(nil, 10).first)
      expectNoDifference(row.event, dead)
      #expect(row.at == lab.now)
      #expect(try operators.deadEvent(row.id) == row)
      #expect(try operators.deadEvents(DeadLetterPlace(at: row.at, id: row.id), 10) == [])
      #expect(try operators.deadEvent(DeadEventID(rawValue: 1)) == nil)
      #expect(try operators.status().deadEventCount == 1)
    }
  }

  @Test("A dead push job is kept once, and settled only as it was read")
  func deadJobs() throws {
    try LiveStores.run { stores in
      let operators = OperatorStore.live(try stores.connect())
      let push = PushStore.live(try stores.connect())
      let (one, two) = (
        DeadJob(reason: "410\0", body: [1, 0xff]), DeadJob(reason: "busy", body: [2])
      )
      try push.bury([one, two, one])
      #expect(try operators.status().deadJobCount == 2)
      let first = try #require(try operators.deadJob(one.id))
      #expect(first.job == DeadJob(reason: "410", body: [1, 0xff]))
      try push.bury([DeadJob(reason: "404", body: one.body)])
      let act = ActRow(act: "dead letter retried", detail: "x")
      #expect(try !operators.removeDeadJob(first, act))
      #expect(try operators.acts(10).isEmpty)
      let rows = try operators.deadJobs(nil, 10)
      #expect(rows.map(\.job.reason) == ["404", "busy"])
      let place = DeadLetterPlace(at: rows[0].at, id: rows[0].job.id)
      #expect(try operators.deadJobs(nil, 1) + operators.deadJobs(place, 1) == rows)
      #expect(try operators.removeDeadJob(rows[0], act))
      #expect(try !operators.removeDeadJob(rows[0], act))
      #expect(try operators.deadJobs(nil, 10).map(\.job) == [two])
      #expect(try operators.acts(10).map(\.act) == ["dead letter retried"])
    }
  }

  @Test("The service's identity stays, and its certificates grow")
  func service() throws {
    try LiveStores.run { stores in
      let operators = OperatorStore.live(try stores.connect())
      let connection = try stores.connect()
      #expect(try operators.service() == nil)
      let key = TestPlayer.ann.key
      let certificate = KeyCertificate(
        workingKey: TestPlayer.bob.key, validFrom: Instant(microseconds: -5),
        validUntil: Instant(microseconds: 1 << 60), service: .test, root: TestPlayer.ann.signer)
      let row = ServiceRow(service: .test, rootKey: key, certificates: [certificate])
      #expect(try operators.keepService(row) == row)
      let other = ServiceRow(service: ServiceID(rawValue: 1), rootKey: key, certificates: [])
      #expect(try operators.keepService(other) == row)
      var next = certificate
      next.validFrom = Instant(microseconds: 0)
      try operators.addCertificate(next)
      try operators.addCertificate(next)
      #expect(try operators.service()?.certificates == [certificate, next])
      // So do workers and readers, whose key file may be older.
      var lookup = Lookup()
      #expect(try WorkerStore.live(connection).lookUp(lookup).certificates == [])
      lookup.certificates = true
      #expect(try WorkerStore.live(connection).lookUp(lookup).certificates == [certificate, next])
      #expect(try ReaderStore.live(connection).certificates() == [certificate, next])
      // An unreadable certificate stops nobody.
      try connection.script("UPDATE service SET certificates = array_append(certificates, '\\x00')")
      #expect(try ReaderStore.live(connection).certificates() == [certificate, next])
      try connection.script("UPDATE service SET certificates = certificates[1:2]")
      #expect(try operators.acts(10).map(\.act) == ["working key certified", "service set up"])
    }
  }
  @Test("The key of Web Push is kept, changed and taken away, and each change is an act")
  func pushKey() throws {
    try LiveStores.run { stores in
      let operators = OperatorStore.live(try stores.connect())
      _ = try operators.keepService(
        ServiceRow(service: .test, rootKey: TestPlayer.ann.key, certificates: []))
      #expect(try operators.pushKey() == nil)
      let (one, two) = ([UInt8](repeating: 4, count: 65), [4] + [UInt8](repeating: 7, count: 64))
      try operators.keepPushKey(one)
      try operators.keepPushKey(one)
      #expect(try operators.pushKey() == one)
      try operators.keepPushKey(two)
      #expect(try operators.pushKey() == two)
      #expect(throws: StoreError.self) { try operators.keepPushKey([4]) }
      try operators.keepPushKey(nil)
      #expect(try operators.pushKey() == nil)
      #expect(
        try operators.acts(10).map(\.act)
          == [String](repeating: "key of Web Push changed", count: 3) + ["service set up"])
    }
  }
}
