import Chaos
import EventBusLive
import Foundation
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import RealServers
import TestedService
import Testing

@testable import cubistd

/// A push worker is killed at an exact point: a lock of the test's holds its next transaction up.
@Suite("Push workers killed between an answer and its mark", .serialized)
struct PushKillTests {
  private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

  private static var options: ServiceLab.Options {
    var options = ServiceLab.Options()
    options.roles = [.reader, .relay]
    return options
  }

  /// Holds up transactions that write a table.
  private final class Barrier {
    private let connection: PostgreSQLConnection
    /// A transaction sees pg_stat_activity as it was at its first look, so another session looks.
    private let observer: PostgreSQLConnection
    private let table: String

    init(_ table: String, in lab: ServiceLab) throws {
      self.table = table
      var settings = try lab.database.patientSettings()
      settings.idleInTransactionTimeout = .seconds(240)
      connection = try PostgreSQLConnection(settings)
      observer = try PostgreSQLConnection(settings)
      try connection.script("BEGIN; LOCK TABLE \(table) IN EXCLUSIVE MODE")
    }

    deinit {
      connection.close()
      observer.close()
    }

    func waitUntilReached() throws {
      try waitUntil("the push worker wants to write") {
        try observer.query(
          """
          SELECT count(*) FROM pg_locks AS l JOIN pg_stat_activity AS a ON a.pid = l.pid
          WHERE NOT l.granted AND l.relation = '\(table)'::regclass
            AND a.datname = current_database()
            AND a.application_name LIKE 'cubistd push%'
          """
        ).only[0].int64 > 0
      }
    }

    /// Ends the sessions of a worker that is dead, so that none of them commits after all.
    func endSessions() throws {
      try waitUntil("the dead worker's sessions have ended") {
        try observer.query(
          """
          WITH dead AS MATERIALIZED (
            SELECT pid FROM pg_stat_activity
            WHERE datname = current_database() AND application_name LIKE 'cubistd push%')
          SELECT pg_terminate_backend(pid) FROM dead
          """
        ).isEmpty
      }
      try connection.script("ROLLBACK")
    }
  }

  @Test(
    "A job handed over and not marked is found again, has the same id and key, and comes no third time"
  )
  func webhook() async throws {
    try await ServiceLab.run(Self.options) { lab in
      let receiver = try HTTPReceiver { _, _ in .status(204) }
      defer { receiver.close() }
      func messages() throws -> [PushMessage] {
        struct Told: Decodable {
          struct Content: Decodable {
            var id: String
            var collapseKey: String
          }
          var data: Content
        }
        return try receiver.requests.map { request in
          let told = try JSONDecoder().decode(Told.self, from: Data(request.body))
          #expect(request.headers["webhook-id"] == told.data.id)
          return PushMessage(id: told.data.id, key: told.data.collapseKey)
        }
      }
      let processes = try RoleProcesses(
        of: lab,
        [
          "CUBIST_PUSH": "webhook", "CUBIST_PUSH_WEBHOOK_URL": receiver.url,
          "CUBIST_PUSH_WEBHOOK_SECRET": Self.secret,
        ])
      defer { processes.end() }
      let (ann, bob) = try lab.pair()
      let barrier = try Barrier("deliveries", in: lab)
      let first = try processes.start("push")
      _ = try ann.must(
        .matchRequested(MatchRequest(opponent: .player(bob.id), turnLimitSeconds: 3_600)))
      try barrier.waitUntilReached()
      #expect(receiver.requests.count == 1)
      first.kill()
      try barrier.endSessions()

      let second = try processes.start("push")
      let job = try #require(try Self.delivered(in: lab))
      let found = try messages()
      #expect(found.count == 2 && Set(found).count == 1)
      #expect(found.first?.id == "\(job.id)")
      try Self.repeated(job, second, processes, lab)
      #expect(try messages() == found)
    }
  }

  @Test(
    "A browser is told again under the same topic, whether one took it or a second one has to wait")
  func webPush() async throws {
    try await ServiceLab.run(Self.options) { lab in
      let scene = try BrowserScene(lab)
      defer { scene.end() }
      let (ann, bob) = try lab.pair()
      let one = try scene.browser("one", answering: "201", of: bob)
      let barrier = try Barrier("deliveries", in: lab)
      let first = try scene.processes.start("push")
      _ = try ann.must(
        .matchRequested(MatchRequest(opponent: .player(bob.id), turnLimitSeconds: 3_600)))
      try barrier.waitUntilReached()
      #expect(try scene.messages(of: one).count == 1)
      first.kill()
      try barrier.endSessions()
      let second = try scene.processes.start("push")
      let job = try #require(try Self.delivered(in: lab))
      let found = try scene.messages(of: one)
      #expect(found.count == 2 && Set(found).count == 1)
      #expect(found.first?.id == "\(job.id)")
      try Self.repeated(job, second, scene.processes, lab)
      #expect(try scene.messages(of: one) == found)
    }
  }

  @Test(
    "Killed before the copy for a second device, or after it: no device is left out",
    arguments: [("push_answers", 2), ("deliveries", 1)])
  func copy(table: String, count: Int) async throws {
    try await ServiceLab.run(Self.options) { lab in
      let scene = try BrowserScene(lab)
      defer { scene.end() }
      let (ann, bob) = try lab.pair()
      let ready = try scene.browser("ready", answering: "201", of: bob)
      let busy = try scene.browser("busy", answering: "503-201", of: bob)
      let barrier = try Barrier(table, in: lab)
      let first = try scene.processes.start("push")
      _ = try ann.must(
        .matchRequested(MatchRequest(opponent: .player(bob.id), turnLimitSeconds: 3_600)))
      try barrier.waitUntilReached()
      // One answer is enough to write something, while the other device is still being told.
      try waitUntil("both devices are told") {
        try scene.messages(of: ready).count == 1 && scene.messages(of: busy).count == 1
      }
      first.kill()
      try barrier.endSessions()
      let second = try scene.processes.start("push")
      let job = try #require(try Self.delivered(in: lab))
      // Without the copy, the first device is told once more.
      let (told, late) = (try scene.messages(of: ready), try scene.messages(of: busy))
      #expect(told.count == count && late.count == 2)
      #expect(Set(told + late).count == 1)
      // One device is enough for the mark. The copy for the other one is acknowledged before this
      // worker leaves.
      second.askToLeave()
      _ = second.wait()
      try Self.repeated(job, second, scene.processes, lab)
      #expect(try scene.messages(of: ready) == told)
      #expect(try scene.messages(of: busy) == late)
    }
  }

  @Test(
    "A turn that was told before its worker was killed is told again in its place, beside a new one"
  )
  func besideAnother() async throws {
    try await ServiceLab.run(Self.options) { lab in
      let scene = try BrowserScene(lab)
      defer { scene.end() }
      let (ann, bob) = try lab.pair()
      let one = try scene.browser("one", answering: "201", of: bob)
      let matches = [try lab.begin(ann, bob), try lab.begin(ann, bob)]
      func jobs() throws -> [StoredJob] { try lab.looking { try $0.jobs(nil, 100) } }
      let before = try scene.processes.start("push")
      try waitUntil("the invitations are done with") {
        try jobs().allSatisfy { $0.fate != nil }
      }
      before.askToLeave()
      _ = before.wait()
      let count = try scene.messages(of: one).count

      let barrier = try Barrier("deliveries", in: lab)
      try ann.must(.turnPlayed(matches[0], lab.turn(lab.match(matches[0]))))
      let first = try scene.processes.start("push")
      try barrier.waitUntilReached()
      #expect(try scene.messages(of: one).count == count + 1)
      first.kill()
      try barrier.endSessions()
      // Both turns are in the queue, and a worker takes them together.
      try ann.must(.turnPlayed(matches[1], lab.turn(lab.match(matches[1]))))
      try waitUntil("the broker has the second turn") { try jobs().allSatisfy { !$0.isOwed } }
      _ = try scene.processes.start("push")
      try waitUntil("the first turn is marked") {
        try jobs().contains {
          $0.job.kind == .yourTurn && $0.job.match == matches[0] && $0.fate == .delivered
        }
      }
      let told = try scene.messages(of: one).dropFirst(count)
      let again = told.filter { $0.id == told.first?.id }
      #expect(again.count == 2 && Set(again).count == 1)
    }
  }

  /// The only job, once it is marked as delivered.
  private static func delivered(in lab: ServiceLab) throws -> PushJob? {
    var found: [StoredJob] = []
    try waitUntil("the job is marked") {
      found = try lab.looking { try $0.jobs(nil, 100) }
      return !found.isEmpty && found.allSatisfy { $0.fate == .delivered }
    }
    #expect(found.count == 1)
    return found.first?.job
  }

  /// Another worker follows, and the broker brings the job once more.
  private static func repeated(
    _ job: PushJob, _ second: RoleProcess, _ processes: RoleProcesses, _ lab: ServiceLab
  ) throws {
    second.kill()
    _ = try processes.start("push")
    let relay = try RelayBus.live(lab.context())
    defer { relay.close() }
    #expect(try relay.publish([job]) == [job.id])
    #expect(try lab.jobs().map(\.fate) == [.delivered])
  }
}
