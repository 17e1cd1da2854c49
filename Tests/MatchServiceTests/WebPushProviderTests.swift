import CustomDump
import Foundation
import LibCrypto
import MatchCore
import MatchInterfaces
import Testing

@testable import MatchService

@Suite("Web Push")
struct WebPushProviderTests {
  private let key: PushSigningKey
  private let provider: PushProvider

  init() throws {
    key = try #require(PushSigningKey(randomness: .seeded(1)))
    provider = .webPush(
      key: key, contact: "mailto:push@play.example", randomness: .seeded(2))
  }

  static func device(
    _ name: String = "laptop", endpoint: String = "https://push.example/abc",
    permission: Device.Permission = .authorized
  ) throws -> Device {
    let browser = try #require(P256Key.made(by: .live))
    let subscription = try #require(
      WebPushSubscription(
        endpoint: endpoint, key: browser.publicKey,
        secret: [UInt8](repeating: 5, count: 16)))
    return Device(
      name: try #require(DeviceName(name)), route: .webPush(subscription), permission: permission)
  }

  static func notification(_ devices: [Device]) -> PushNotification {
    PushNotification(
      job: PushJob(
        id: PushJobID(rawValue: 1), kind: .yourTurn, player: PlayerID(rawValue: 2),
        match: MatchID(rawValue: 3), turn: 4),
      title: "Your turn", body: "A match waits for your move.", collapseKey: "match-3",
      urgency: .high, expiresAt: Instant.noon.adding(seconds: 90), waiting: 2, devices: devices)
  }

  private func request(
    _ device: Device, at now: Instant = .noon,
    _ change: (inout PushNotification) -> Void = { _ in }
  ) throws -> (request: PushRequest, verdict: @Sendable (PushResponse) -> PushVerdict) {
    var notification = Self.notification([device])
    change(&notification)
    let parcels = provider.parcels(notification, now)
    try #require(parcels.count == 1)
    guard case .request(let request, let verdict) = parcels[0].work else {
      throw Missing(what: "\(parcels[0].work)")
    }
    #expect(parcels[0].device == device)
    return (request, verdict)
  }

  private struct Missing: Error { var what: String }

  @Test("Each browser gets a request of its own, other devices none")
  func parcels() throws {
    let phone = Device(
      name: try #require(DeviceName("phone")), token: "t", permission: .authorized)
    let devices = [try Self.device("a"), phone, try Self.device("b")]
    let parcels = provider.parcels(Self.notification(devices), .noon)
    #expect(parcels.map(\.device) == [devices[0], devices[2]])
    #expect(provider.parcels(Self.notification([phone]), .noon).isEmpty)
    #expect(provider.service == .webPush)
  }

  @Test("A request says how long, how urgent and in whose place, and nothing of its text")
  func headers() throws {
    let request = try request(try Self.device()).request
    #expect(request.url == "https://push.example/abc")
    #expect(!request.isHTTP2 && request.isForeign)
    #expect(request.certificateAuthority == nil)
    var headers = request.headers
    #expect(headers.removeValue(forKey: "authorization")?.hasPrefix("vapid t=") == true)
    let topic = headers.removeValue(forKey: "topic")
    #expect(topic?.wholeMatch(of: /[A-Za-z0-9_-]{32}/) != nil)
    expectNoDifference(
      headers,
      [
        "content-encoding": "aes128gcm", "content-type": "application/octet-stream", "ttl": "90",
        "urgency": "high",
      ])
    #expect(request.body.count <= 4_096)
    #expect(!String(decoding: request.body, as: UTF8.self).contains("turn"))
  }

  @Test("The topic is that of the player and the key, so that it tells a push service nothing")
  func topics() throws {
    let device = try Self.device()
    func topic(_ change: (inout PushNotification) -> Void = { _ in }) throws -> String? {
      try request(device, change).request.headers["topic"]
    }
    let topics = [
      try topic(), try topic({ $0.collapseKey = "match-4" }),
      try topic({ $0.job.player = PlayerID(rawValue: 9) }),
    ]
    #expect(Set(topics).count == 3)
    #expect(try topic({ $0.title = "Other" }) == topics[0])
  }

  @Test(
    "A time to live is never negative, and never longer than push services keep anything",
    arguments: [
      (Instant.noon.adding(seconds: 90), "90"), (.noon, "0"),
      (Instant.noon.adding(seconds: -5), "0"), (Instant(microseconds: .min), "0"),
      (Instant(microseconds: .max), "2419200"), (nil, "86400"),
    ] as [(Instant?, String)])
  func timeToLive(end: Instant?, expected: String) throws {
    let request = try request(try Self.device()) { $0.expiresAt = end }.request
    #expect(request.headers["ttl"] == expected)
  }

  @Test("The token is signed for the endpoint's origin, ends in time and names the operator")
  func vapid() throws {
    let request = try request(
      try Self.device(endpoint: "https://Push.Example:443/a?b=c")
    ).request
    let header = try #require(request.headers["authorization"])
    let match = try #require(
      header.wholeMatch(of: /vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)/))
    let (first, second, third, point) = (match.1, match.2, match.3, match.4)
    #expect(try Array(Self.decoded(point)) == key.publicKey)
    let signer = try #require(P256PublicKey(key.publicKey))
    let signature = try Array(Self.decoded(third))
    #expect(signer.isValid(signature, of: Array("\(first).\(second)".utf8)))
    let jose = try JSONDecoder().decode([String: String].self, from: Self.decoded(first))
    #expect(jose == ["typ": "JWT", "alg": "ES256"])
    struct Claims: Decodable, Equatable {
      var aud: String
      var exp: Int64
      var sub: String
    }
    let claims = try JSONDecoder().decode(Claims.self, from: Self.decoded(second))
    let now = Instant.noon.microseconds / 1_000_000
    #expect(
      claims
        == Claims(
          aud: "https://push.example", exp: now + 12 * 3_600, sub: "mailto:push@play.example"))
  }

  private static func decoded(_ text: Substring) throws -> Data {
    let standard = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
    let padding = String(repeating: "=", count: (4 - text.count % 4) % 4)
    return try #require(Data(base64Encoded: standard + padding))
  }

  @Test("A token serves for half of its time, and a clock that was set back makes a new one")
  func renewal() throws {
    let tokens = VAPIDTokens(key: key, contact: "mailto:a@b.example")
    let half = VAPIDTokens.lifetime / 2
    func token(_ seconds: Int64) -> String? {
      tokens.authorization(for: "https://a.example", at: Instant.noon.adding(seconds: seconds))
    }
    let first = token(0)
    #expect(token(half - 1) == first)
    let second = token(half)
    #expect(second != first)
    #expect(token(half + 1) == second)
    #expect(token(-1) != second)
  }

  @Test("Clients who invent origins fill no memory, and a token that is not taken is made anew")
  func bounds() throws {
    let tokens = VAPIDTokens(key: key, contact: "mailto:a@b.example")
    for number in 0..<(VAPIDTokens.limit + 20) {
      _ = tokens.authorization(for: "https://\(number).example", at: .noon)
    }
    #expect(tokens.count == VAPIDTokens.limit)
    let last = "https://\(VAPIDTokens.limit + 19).example"
    let value = try #require(tokens.authorization(for: last, at: .noon))
    tokens.forget("another", of: last)
    #expect(tokens.authorization(for: last, at: .noon) == value)
    tokens.forget(value, of: last)
    #expect(tokens.authorization(for: last, at: .noon) != value)
    #expect(tokens.count == VAPIDTokens.limit)
  }

  @Test(
    "Answers of push services",
    arguments: [
      (200, "", "taken"), (201, "", "taken"), (202, "", "taken"), (204, "", "taken"),
      (301, "", "refused"), (307, "", "refused"), (400, "", "refused"),
      (401, "", "later"), (403, #"{"reason":"BadJwtToken"}"#, "later"),
      (401, #"{"errno":109,"message":"VAPID public key mismatch"}"#, "refused"),
      (403, #"{"reason":"VapidPkHashMismatch"}"#, "refused"),
      (
        403,
        "the VAPID credentials in the authorization header do not correspond to the credentials "
          + "used to create the subscriptions.", "refused"
      ),
      (404, "", "gone"), (408, "", "later"), (410, "", "gone"), (413, "", "refused"),
      (418, "", "refused"), (429, "", "later"), (500, "", "later"), (503, "", "later"),
      (0, "", "refused"), (100, "", "refused"), (999, "", "refused"),
    ])
  func answers(status: Int, body: String, expected: String) throws {
    let (_, verdict) = try request(try Self.device())
    let answer = verdict(
      PushResponse(status: status, body: Array(body.utf8), retryAfter: .seconds(7)))
    switch answer {
    case .taken: #expect(expected == "taken")
    case .gone(let text): #expect(expected == "gone" && text.contains("\(status)"))
    case .refused(let text, let fault):
      #expect(expected == "refused" && text.contains("\(status)"))
      #expect(fault == .device)
    case .later(let text, let pause, let fault):
      #expect(expected == "later" && text.contains("\(status)"))
      #expect(pause == .seconds(7) && fault == .device)
    }
  }

  @Test("No word of an answer is passed on: a client chose the address")
  func answersTellNothing() throws {
    let (_, verdict) = try request(try Self.device())
    let secret = "root:x:0:0"
    for status in [200, 301, 400, 401, 403, 404, 410, 413, 429, 500] {
      for ending in ["", " mismatch"] {
        let answer = verdict(PushResponse(status: status, body: Array((secret + ending).utf8)))
        #expect(!"\(answer)".contains(secret))
      }
    }
    // Bytes that are no text.
    _ = verdict(PushResponse(status: 403, body: [0xff, 0xfe, 0x00]))
  }

  @Test("A sender who is not believed gets a new token for the next request")
  func notBelieved() throws {
    let device = try Self.device()
    let (first, verdict) = try request(device)
    #expect(try request(device).request.headers["authorization"] == first.headers["authorization"])
    _ = verdict(PushResponse(status: 403))
    #expect(try request(device).request.headers["authorization"] != first.headers["authorization"])
  }

  // Failure: WebPushMessage.Failure.notOnCurve
  @Test("A subscription whose key is no point is refused, and the others get their requests")
  func notOnCurve() throws {
    let good = try Self.device("good")
    let bad = Device(
      name: try #require(DeviceName("bad")),
      route: .webPush(
        try #require(
          WebPushSubscription(
            endpoint: "https://push.example/", key: [4] + [UInt8](repeating: 1, count: 64),
            secret: [UInt8](repeating: 0, count: 16)))),
      permission: .authorized)
    let parcels = provider.parcels(Self.notification([bad, good]), .noon)
    try #require(parcels.count == 2)
    guard case .finished(.refused(let reason, .device)) = parcels[0].work else {
      throw Missing(what: "refusal")
    }
    #expect(reason == "the subscription's key is no point of P-256")
    guard case .request = parcels[1].work else { throw Missing(what: "request") }
  }

  // Failure: WebPushMessage.Failure.unusable: The library cannot encrypt, or the randomness makes
  //   no key. The job is tried again.
  @Test("Randomness that makes no key is no crash and no endless loop")
  func noRandomness() throws {
    let provider = PushProvider.webPush(key: key, contact: "mailto:a@b.c", randomness: .noop)
    let parcels = provider.parcels(Self.notification([try Self.device()]), .noon)
    guard case .finished(.later) = parcels[0].work else { throw Missing(what: "later") }
    #expect(PushSigningKey(randomness: .noop) == nil)
  }

  @Test("The service worker gets JSON in which absent facts are left out")
  func payload() throws {
    var notification = Self.notification([])
    let id = "\(PushJobID(rawValue: 1))"
    expectNoDifference(
      String(decoding: WebPushPayload.bytes(notification, isSilent: false), as: UTF8.self),
      #"{"body":"A match waits for your move.","id":"\#(id)","kind":"yourTurn","lang":"en","#
        + #""match":"\#(MatchID(rawValue: 3))","silent":false,"tag":"match-3","#
        + #""title":"Your turn","waiting":2}"#)
    notification.job = PushJob(
      dailyReady: DailyKey(day: Day(containing: .noon)), to: .init(rawValue: 2))
    notification.waiting = nil
    notification.language = .german
    expectNoDifference(
      String(decoding: WebPushPayload.bytes(notification, isSilent: true), as: UTF8.self),
      #"{"body":"A match waits for your move.","day":"2026-05-01","id":"\#(notification.job.id)","#
        + #""kind":"dailyReady","lang":"de","silent":true,"tag":"match-3","title":"Your turn"}"#)
  }

  @Test("A device with provisional permission gets everything without a sound")
  func provisional() throws {
    #expect(try Self.device(permission: .provisional).isQuiet)
    #expect(try !Self.device(permission: .authorized).isQuiet)
  }

  // Failure: WebPushMessage.Failure.tooLong
  @Test("However long and however strange its texts, a payload fits, and is cut between characters")
  func longTexts() throws {
    let family = "👩‍👩‍👧‍👦"
    for piece in ["a", "\"", "\u{0}", "\u{2028}", "é", "שׁ", family, "e\u{301}\u{302}"] {
      var notification = Self.notification([])
      notification.title = String(repeating: piece, count: 5_000)
      notification.body = String(repeating: piece, count: 5_000)
      notification.collapseKey = String(repeating: piece, count: 5_000)
      let bytes = WebPushPayload.bytes(notification, isSilent: false)
      #expect(bytes.count <= 3_072)
      #expect(bytes.count > 1_000)
      struct Told: Decodable { var title: String }
      let told = try JSONDecoder().decode(Told.self, from: Data(bytes)).title
      #expect(told.last == "…")
      #expect(told.dropLast().allSatisfy { String($0) == piece })
    }
    // One endless character leaves only the ending.
    var notification = Self.notification([])
    notification.title = "a" + String(repeating: "\u{301}", count: 5_000)
    #expect(WebPushPayload.bytes(notification, isSilent: false).count < 3_072)
  }

  // Failure: PushSigningKey.Failure: The key file of Web Push or APNs is missing, can be read by
  //   others, or is no key. The command or role says so and does not start.
  @Test("A key file can be read by its owner alone, and never shows its secret")
  func keyFiles() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("cubist-push-key-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("key.pem").path
    try key.create(at: path)
    #expect(try PushSigningKey.load(path).publicKey == key.publicKey)
    #expect(throws: PushSigningKey.Failure.self) { try key.create(at: path) }
    let pem = try String(contentsOfFile: path, encoding: .utf8)
    #expect(pem.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
    var dumped = ""
    dump([key], to: &dumped)
    let secret = try #require(pem.split(separator: "\n").dropFirst().first)
    #expect(!"\(key)\(dumped)".contains(secret.prefix(40)))
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    #expect {
      try PushSigningKey.load(path)
    } throws: {
      ($0 as? PushSigningKey.Failure)?.reason.contains("others may read it") == true
    }
    #expect(PushSigningKey(pem: "") == nil)
    #expect(PushSigningKey(pem: pem.replacing("A", with: "B")) == nil)
  }
}
