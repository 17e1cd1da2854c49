import CustomDump
import MatchCore
import MatchInterfaces
import Synchronization
import Testing

@testable import MatchService

@Suite("The webhook")
struct WebhookTests {
  private static func secret(_ text: String) throws -> WebhookSecret {
    try #require(WebhookSecret(text))
  }

  private static let notification = PushNotification(
    job: PushJob(
      id: PushJobID(rawValue: 1), kind: .yourTurn, player: PlayerID(rawValue: 2),
      match: MatchID(rawValue: 3), turn: 4),
    title: "Your turn", body: "\"Bob\" has played.",
    collapseKey: "match-\(MatchID(rawValue: 3))")

  /// The request of a webhook's only parcel, and the meaning of its answer.
  private static func parcel(
    _ webhook: Webhook
  ) throws -> (request: PushRequest, verdict: @Sendable (PushResponse) -> PushVerdict) {
    let parcels = PushProvider.webhook(webhook).parcels(notification, .noon)
    guard parcels.count == 1, parcels[0].device == nil,
      case .request(let request, let verdict) = parcels[0].work
    else { throw CancellationError() }
    return (request, verdict)
  }

  @Test("Messages are signed as the specification's example is")
  func signature() throws {
    let secret = try Self.secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    #expect(
      secret.signature(
        id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1_614_265_330,
        body: Array(#"{"test": 2432232314}"#.utf8))
        == "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
  }

  @Test("A notification is one message, signed with every secret, under the id of its job")
  func message() throws {
    let new = try Self.secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    let old = try Self.secret("whsec_" + String(repeating: "A", count: 32))
    let request = try Self.parcel(Webhook(url: "https://push.example/", secrets: [new, old]))
      .request
    let id = "\(PushJobID(rawValue: 1))"
    let stamp = Instant.noon.microseconds / 1_000_000
    expectNoDifference(
      String(decoding: request.body, as: UTF8.self),
      #"{"data":{"body":"\"Bob\" has played.","#
        + #""collapseKey":"match-\#(MatchID(rawValue: 3))","id":"\#(id)","kind":"yourTurn","#
        + #""match":"\#(MatchID(rawValue: 3))","player":"\#(PlayerID(rawValue: 2))","#
        + #""title":"Your turn","turn":4},"timestamp":"\#(Instant.noon)","#
        + #""type":"push.yourTurn"}"#)
    let signatures = [new, old].map {
      "v1,\($0.signature(id: id, timestamp: stamp, body: request.body))"
    }
    expectNoDifference(
      request.headers,
      [
        "content-type": "application/json", "webhook-id": id, "webhook-timestamp": "\(stamp)",
        "webhook-signature": signatures.joined(separator: " "),
      ])
    #expect(signatures[0] != signatures[1])
    #expect(request.url == "https://push.example/")
  }

  @Test("Devices that may be told go with the message, with their tokens; no log has them")
  func devices() throws {
    let secret = try Self.secret("whsec_" + String(repeating: "A", count: 32))
    var notification = Self.notification
    notification.devices = [
      Device(name: try #require(DeviceName("pad")), token: nil, permission: .provisional),
      Device(name: try #require(DeviceName("phone")), token: "t:1", permission: .authorized),
    ]
    let request = Webhook(url: "https://push.example/", secrets: [secret])
      .request(for: notification, at: .noon)
    #expect(
      String(decoding: request.body, as: UTF8.self).contains(
        #","devices":[{"device":"pad","permission":"provisional"},"#
          + #"{"device":"phone","permission":"authorized","token":"t:1"}],"id":"#))
    let lines = Mutex<[[UInt8]]>([])
    _ = PushProvider.log(to: LineSink { line in lines.withLock { $0.append(line) } })
      .parcels(notification, .noon)
    #expect(lines.withLock { $0.count } == 1)
    #expect(
      lines.withLock { $0 }.allSatisfy { !String(decoding: $0, as: UTF8.self).contains("t:1") })
  }

  @Test(
    "A busy receiver is asked again, all other answers are final",
    arguments: [
      (200, nil), (202, nil), (299, nil), (408, true), (429, true), (500, true), (503, true),
      (301, false), (400, false), (404, false), (410, false), (0, false),
    ] as [(Int, Bool?)])
  func answers(status: Int, mayPass: Bool?) throws {
    let secret = try Self.secret("whsec_" + String(repeating: "A", count: 32))
    let verdict = try Self.parcel(Webhook(url: "https://push.example/", secrets: [secret])).verdict
    for pause in [nil, Duration.seconds(7)] {
      let reason = "the receiver answered \(status)"
      let expected: PushVerdict =
        switch mayPass {
        case nil: .taken
        case true?: .later(reason, after: pause)
        case false?: .refused(reason)
        }
      #expect(verdict(PushResponse(status: status, retryAfter: pause)) == expected)
    }
  }

  @Test("A secret is whsec_ and 24 to 64 bytes, and is never shown")
  func secrets() throws {
    for text in [
      "", "whsec_", "whsec_AAAA", "WHSEC_" + String(repeating: "A", count: 32),
      "whsec_" + String(repeating: "A", count: 31), "whsec_" + String(repeating: "A", count: 88),
      String(repeating: "A", count: 32),
    ] { #expect(WebhookSecret(text) == nil, "\(text)") }
    let text = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    let secret = try Self.secret(text)
    var dumped = ""
    dump([secret], to: &dumped)
    #expect(!"\(secret) \(dumped)".contains("Mf") && !dumped.contains("49"))
    #expect(WebhookSecret.list("\(text), \(text)") == [secret, secret])
    #expect(WebhookSecret.list("\(text) x") == nil)
    #expect(WebhookSecret.list(" , ") == nil)
  }

  @Test("HTTPS is the only way over a network")
  func urls() {
    for url in [
      "https://push.example", "HTTPS://push.example:8443/a?b=c", "http://127.0.0.1:8080/push",
      "http://localhost/", "http://[::1]:1", "http://localhost",
    ] { #expect(Webhook.isAllowed(url: url), "\(url)") }
    for url in [
      "", "https://", "http://push.example/", "http://127.0.0.1.example/", "ftp://localhost/",
      "http://localhost:pw@push.example/", "https://push.example/ x", "https://push.example/\n",
      "http://localhost@push.example/",
    ] { #expect(!Webhook.isAllowed(url: url), "\(url)") }
  }

  private static let environment = [
    "CUBIST_DATABASE": "host=db", "CUBIST_BROKER": "amqp://b", "CUBIST_SERVICE_KEYS": "/k",
  ]

  @Test("Settings name the webhook, with several secrets, and do not show them")
  func settings() throws {
    var environment = Self.environment
    #expect(try ServiceSettings.read(environment: environment).get().push[Webhook.self] == nil)
    environment["CUBIST_PUSH"] = "log"
    #expect(try ServiceSettings.read(environment: environment).get().push[Webhook.self] == nil)
    let text = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    environment["CUBIST_PUSH"] = "webhook"
    environment["CUBIST_PUSH_WEBHOOK_URL"] = "https://push.example/token"
    environment["CUBIST_PUSH_WEBHOOK_SECRET"] = "\(text) \(text)"
    environment["CUBIST_PUSH_WEBHOOK_CA"] = "/ca.pem"
    let settings = try ServiceSettings.read(environment: environment).get()
    let secret = try Self.secret(text)
    #expect(
      settings.push[Webhook.self]
        == Webhook(
          url: "https://push.example/token", secrets: [secret, secret],
          certificateAuthority: "/ca.pem"))
    #expect(settings.description.contains("push=https://push.example "))
    #expect(!settings.description.contains("token"))
  }

  @Test("A fault in the webhook's settings is said at once, and shows no secret")
  func wrongSettings() {
    func problems(_ changes: [String: String]) -> [String] {
      let environment = Self.environment.merging(changes) { $1 }
      guard case .failure(let found) = ServiceSettings.read(environment: environment) else {
        return []
      }
      return found.problems.map { "\($0.name) \($0.what)" }
    }
    #expect(
      problems(["CUBIST_PUSH": "mail"]) == [
        #"CUBIST_PUSH is "mail", not a list of log, webhook, webPush, apns, each once, and one of "#
          + "log and webhook at most"
      ])
    expectNoDifference(
      problems(["CUBIST_PUSH": "webhook"]),
      ["CUBIST_PUSH_WEBHOOK_SECRET is not set", "CUBIST_PUSH_WEBHOOK_URL is not set"])
    expectNoDifference(
      problems([
        "CUBIST_PUSH": "webhook", "CUBIST_PUSH_WEBHOOK_URL": "http://push.example",
        "CUBIST_PUSH_WEBHOOK_SECRET": "geheim",
      ]),
      [
        "CUBIST_PUSH_WEBHOOK_SECRET is no list of whsec_ and 24 to 64 bytes in base64",
        "CUBIST_PUSH_WEBHOOK_URL does not begin with https://, or http:// to a loopback address",
      ])
  }
}
