import Chaos
import Crypto
import EventBusLive
import Foundation
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import RealServers
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

  /// A message that a receiver took.
  private struct Message: Hashable {
    var id: String
    /// The key by which it takes the place of another one on a device.
    var key: String
  }

  /// Holds up transactions that write a table.
  private final class Barrier {
    private let connection: PostgreSQLConnection
    /// A transaction sees pg_stat_activity as it was at its first look, so another session looks.
    private let observer: PostgreSQLConnection

    init(_ table: String, in lab: ServiceLab) throws {
      var settings = try PostgreSQLSettings(connectionString: lab.database.connectionString)
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
          WHERE NOT l.granted AND a.datname = current_database()
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
    "A job handed over and not marked is found again, has the same id and key, and comes no third time",
    .timeLimit(.minutes(15)))
  func webhook() async throws {
    try await ServiceLab.run(Self.options) { lab in
      let receiver = try HTTPReceiver { _, _ in .status(204) }
      defer { receiver.close() }
      func messages() throws -> [Message] {
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
          return Message(id: told.data.id, key: told.data.collapseKey)
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
    "A browser is told again under the same topic, whether one took it or a second one has to wait",
    .timeLimit(.minutes(15)))
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
    .timeLimit(.minutes(15)), arguments: [("push_answers", 2), ("deliveries", 1)])
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
      #expect(try scene.messages(of: ready).count == 1)
      #expect(try scene.messages(of: busy).count == 1)
      first.kill()
      try barrier.endSessions()
      let second = try scene.processes.start("push")
      let job = try #require(try Self.delivered(in: lab))
      // Without the copy, the first device is told once more.
      let (told, late) = (try scene.messages(of: ready), try scene.messages(of: busy))
      #expect(told.count == count && late.count == 2)
      #expect(Set(told + late).count == 1)
      try Self.repeated(job, second, scene.processes, lab)
      #expect(try scene.messages(of: ready) == told)
      #expect(try scene.messages(of: busy) == late)
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

  // MARK: Browsers

  /// A push service of browsers, and push workers that trust it.
  private struct BrowserScene {
    let programs: Programs
    let processes: RoleProcesses
    private let port: Int

    struct Browser {
      let key: P256.KeyAgreement.PrivateKey
      let secret: [UInt8]
      let path: String
    }

    init(_ lab: ServiceLab) throws {
      programs = try Programs("push-kill")
      let programs = programs
      do {
        let (certificate, key) = (programs.path("certificate.pem"), programs.path("key.pem"))
        try programs.run(
          [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
            "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
            "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate,
          ], log: "openssl")
        let source = #filePath.replacing(
          "ServiceTests/Push/PushKillTests.swift", with: "PushPeers/webpush.py")
        _ = try programs.start(["/usr/bin/python3", source, certificate, key], log: "service")
        var found: Int?
        try waitUntil("it listens", found: programs.text("service")) {
          let text = programs.text("service")
          found = text.contains("\n") ? text.split(separator: "\n").first.flatMap { Int($0) } : nil
          return found != nil
        }
        port = try #require(found)
        try #require(PushSigningKey(randomness: .live)).create(at: programs.path("push.pem"))
        processes = try RoleProcesses(
          of: lab,
          [
            "CUBIST_PUSH": "webPush", "CUBIST_PUSH_CONTACT": "mailto:push@play.example",
            "CUBIST_PUSH_VAPID_KEY": programs.path("push.pem"),
            "CUBIST_PUSH_ALLOW": "127.0.0.1",
            "LD_PRELOAD": "\(CubistProgram.binaries)/libtrusting.so",
            "CUBIST_TRUST": certificate,
          ])
      } catch {
        programs.end()
        throw error
      }
    }

    func end() {
      processes.end()
      programs.end()
    }

    /// Registers a browser whose push service gives these answers.
    func browser(_ name: String, answering: String, of player: LabPlayer) throws -> Browser {
      let browser = Browser(
        key: P256.KeyAgreement.PrivateKey(), secret: Randomness.live.bytes(16),
        path: "/\(answering)/\(name)")
      let subscription = try #require(
        WebPushSubscription(
          endpoint: "https://127.0.0.1:\(port)\(browser.path)",
          key: Array(browser.key.publicKey.x963Representation), secret: browser.secret))
      try player.must(
        .deviceRegistered(
          Device(
            name: try #require(DeviceName(name)), route: .webPush(subscription),
            permission: .authorized)))
      return browser
    }

    /// The messages to a browser, as it reads them.
    func messages(of browser: Browser) throws -> [Message] {
      struct Line: Decodable {
        var path: String
        var headers: [String: String]
        var body: Data
      }
      struct Told: Decodable { var id: String }
      let lines = try programs.text("service").split(separator: "\n").dropFirst().map {
        try JSONDecoder().decode(Line.self, from: Data($0.utf8))
      }
      return try lines.filter { $0.path == browser.path }.map { line in
        let text = try PushKillTests.decrypted(Array(line.body), by: browser)
        let told = try JSONDecoder().decode(Told.self, from: text)
        return Message(id: told.id, key: try #require(line.headers["topic"]))
      }
    }
  }

  /// The text of a message. Source: RFC 8188 and RFC 8291.
  private static func decrypted(
    _ body: [UInt8], by browser: BrowserScene.Browser
  ) throws -> Data {
    try #require(body.count > 86 + 17)
    let (salt, sender, sealed) = (body[..<16], body[21..<86], body[86...])
    let shared = try browser.key.sharedSecretFromKeyAgreement(
      with: P256.KeyAgreement.PublicKey(x963Representation: Data(sender)))
    let input = shared.hkdfDerivedSymmetricKey(
      using: SHA256.self, salt: Data(browser.secret),
      sharedInfo: Data("WebPush: info\0".utf8) + browser.key.publicKey.x963Representation
        + Data(sender), outputByteCount: 32)
    func derived(_ what: String, _ count: Int) -> SymmetricKey {
      HKDF<SHA256>.deriveKey(
        inputKeyMaterial: input, salt: Data(salt),
        info: Data("Content-Encoding: \(what)\0".utf8), outputByteCount: count)
    }
    let nonce = derived("nonce", 12).withUnsafeBytes { Data($0) }
    let padded = try AES.GCM.open(
      AES.GCM.SealedBox(
        nonce: AES.GCM.Nonce(data: nonce), ciphertext: Data(sealed.dropLast(16)),
        tag: Data(sealed.suffix(16))), using: derived("aes128gcm", 16))
    let end = try #require(padded.lastIndex { $0 != 0 })
    return padded[..<end]
  }
}
