import Chaos
import EventBusLive
import Foundation
import LibCurl
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import RealServers
import TestedService
import Testing

@testable import cubistd

@Suite("Notifications by webhook", .serialized)
struct WebhookTests {
  private static let secretText = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

  /// A service whose push worker is not started yet.
  private static var options: ServiceLab.Options {
    var options = ServiceLab.Options()
    options.roles = [.reader, .relay]
    return options
  }

  /// Starts the lab's push worker with a webhook to a receiver.
  private static func start(_ lab: ServiceLab, to receiver: HTTPReceiver) throws {
    var wiring = try lab.wiring()
    let secret = try #require(WebhookSecret(secretText))
    wiring.pushProviders = [.webhook(Webhook(url: receiver.url, secrets: [secret]))]
    try lab.start(.push, wiring)
    try lab.waitUntilWorking()
  }

  /// The id of a message whose signature is right.
  private static func verifiedID(_ request: HTTPReceiver.Request) throws -> String {
    let id = try #require(request.headers["webhook-id"])
    let timestamp = try #require(request.headers["webhook-timestamp"].flatMap { Int64($0) })
    let secret = try #require(WebhookSecret(secretText))
    let signature = secret.signature(id: id, timestamp: timestamp, body: request.body)
    #expect(request.headers["webhook-signature"] == "v1,\(signature)")
    return id
  }

  @Test(
    "Bob's app is busy, breaks off or is not there when Ann has played, and hears it all the same")
  func faults() async throws {
    try await ServiceLab.run(WebhookTests.options) { lab in
      let receiver = try HTTPReceiver { _, number in
        switch number {
        case 1: .status(500)
        case 2: .status(429, headers: ["Retry-After: 1"])
        case 3: .bytes("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
        default: .status(204)
        }
      }
      defer { receiver.close() }
      try WebhookTests.start(lab, to: receiver)
      let (ann, bob) = try lab.pair()
      // Invited, joined, and after Ann's turn Bob's. Only the invitation is of no use later.
      let asked = try ann.sign(
        .matchRequested(MatchRequest(opponent: .player(bob.id), turnLimitSeconds: 3_600)))
      let match = asked.newMatch
      _ = try ann.send(asked)
      try waitUntil("Bob is told of the invitation") { !receiver.requests.isEmpty }
      try bob.must(.invitationAccepted(match, code: nil))
      _ = try ann.must(.turnPlayed(match, lab.turn(lab.match(match))))
      // A job that is tried again later is in no table meanwhile: it is missing until then.
      try waitUntil("all is taken") { try lab.violations() == [] }
      let ids = try receiver.requests.map { try WebhookTests.verifiedID($0) }
      let jobs = try lab.jobs()
      #expect(jobs.allSatisfy { $0.fate == .delivered })
      #expect(Set(ids) == Set(jobs.map { "\($0.job.id)" }))
      #expect(ids.count == jobs.count + 3)
      #expect(jobs.contains { $0.job.kind == .yourTurn && $0.job.player == bob.id })
    }
  }

  @Test("A job that Bob's app refuses for good is a dead letter, and arrives when it is retried")
  func deadLetter() async throws {
    try await ServiceLab.run(WebhookTests.options) { lab in
      let receiver = try HTTPReceiver { _, number in number == 0 ? .status(410) : .status(200) }
      defer { receiver.close() }
      try WebhookTests.start(lab, to: receiver)
      let (ann, bob) = try lab.pair()
      _ = try ann.must(
        .matchRequested(MatchRequest(opponent: .player(bob.id), turnLimitSeconds: 3_600)))
      let connection = try lab.connection()
      defer { connection.close() }
      let office = DeadLetterOperations(
        store: .live(connection), bus: try .live(lab.context()), operator: "ada")
      defer { office.close() }
      var letter: DeadLetterOperations.Letter?
      try waitUntil("there is a dead letter") {
        letter = try office.letters().first
        return letter != nil
      }
      #expect(try lab.jobs().map(\.fate) == [.failed])
      let found = try #require(letter)
      #expect(found.queue == Names().push && found.reason.contains("410"))
      #expect(try office.retry(found) == .done)
      try waitUntil("it is taken") {
        try lab.jobs().map(\.fate) == [.delivered]
      }
      let ids = try receiver.requests.map { try WebhookTests.verifiedID($0) }
      #expect(ids.count == 2 && Set(ids).count == 1)
      #expect(try lab.violations() == [])
    }
  }

  @Test(
    "A push worker that is killed while Bob's app takes its time says it again, under the same id")
  func killed() async throws {
    try await ServiceLab.run(WebhookTests.options) { lab in
      let receiver = try HTTPReceiver { _, number in number == 0 ? .nothing : .status(200) }
      defer { receiver.close() }
      let processes = try RoleProcesses(
        of: lab,
        [
          "CUBIST_PUSH": "webhook", "CUBIST_PUSH_WEBHOOK_URL": receiver.url,
          "CUBIST_PUSH_WEBHOOK_SECRET": WebhookTests.secretText,
        ])
      defer { processes.end() }
      let first = try processes.start("push")
      let (ann, bob) = try lab.pair()
      _ = try ann.must(
        .matchRequested(MatchRequest(opponent: .player(bob.id), turnLimitSeconds: 3_600)))
      try waitUntil("the message has come") { !receiver.requests.isEmpty }
      first.kill()
      let second = try processes.start("push")
      try waitUntil("it is taken") {
        try lab.jobs().map(\.fate) == [.delivered]
      }
      let ids = try receiver.requests.map { try WebhookTests.verifiedID($0) }
      #expect(ids.count >= 2 && Set(ids).count == 1)
      second.kill()
    }
  }

  @Test("The secret changes while jobs flow and push workers restart in turn; each job comes once")
  func changedSecret() async throws {
    try await ServiceLab.run(WebhookTests.options) { lab in
      let (former, newer) = (WebhookTests.secretText, "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD")
      let receiver = try HTTPReceiver { _, _ in .status(204) }
      defer { receiver.close() }
      let processes = try RoleProcesses(
        of: lab, ["CUBIST_PUSH": "webhook", "CUBIST_PUSH_WEBHOOK_URL": receiver.url])
      defer { processes.end() }
      func start(_ secrets: String) throws -> RoleProcess {
        let worker = try processes.start("push", ["CUBIST_PUSH_WEBHOOK_SECRET": secrets])
        try waitUntil("it works", found: worker.logText) { worker.logText.contains("role works") }
        return worker
      }
      let ann = try lab.player("Ann")
      func askForJobs() throws {
        for _ in 0..<5 { try ann.must(.notificationTested(Event.NotificationTested())) }
      }
      var workers = [try start(former), try start(former)]
      try askForJobs()
      // The order that docs/operating.md names.
      for secrets in ["\(newer) \(former)", newer] {
        for index in workers.indices {
          workers[index].askToLeave()
          try askForJobs()
          #expect(workers[index].wait() == 0)
          workers[index] = try start(secrets)
        }
      }
      let before = Set(try lab.jobs().map { "\($0.job.id)" })
      try askForJobs()
      let jobs = try lab.jobs()
      #expect(jobs.allSatisfy { $0.fate == .delivered })
      // `jobs` publishes some of its own, which come here, too.
      let ids = receiver.requests.compactMap { $0.headers["webhook-id"] }
      #expect(Set(ids).isSuperset(of: jobs.map { "\($0.job.id)" }) && Set(ids).count == ids.count)
      let secrets = try [former, newer].map { try #require(WebhookSecret($0)) }
      for request in receiver.requests {
        let id = try #require(request.headers["webhook-id"])
        let timestamp = try #require(request.headers["webhook-timestamp"].flatMap { Int64($0) })
        let right = secrets.map {
          "v1,\($0.signature(id: id, timestamp: timestamp, body: request.body))"
        }
        let signatures = request.headers["webhook-signature"]
        let isLater = jobs.contains { "\($0.job.id)" == id } && !before.contains(id)
        let allowed = isLater ? [right[1]] : [right[0], "\(right[1]) \(right[0])", right[1]]
        #expect(signatures.map(allowed.contains) == true, "\(request.headers)")
      }
    }
  }
}
