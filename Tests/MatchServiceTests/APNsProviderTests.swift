import CustomDump
import Foundation
import LibCrypto
import MatchCore
import MatchInterfaces
import Testing

@testable import MatchService

@Suite("APNs")
struct APNsProviderTests {
  private static let settings = APNsSettings(
    keyPath: "/k", keyID: "ABC123DEFG", team: "DEF123GHIJ", topic: "example.play.cubist",
    url: "https://apns.example:2197", certificateAuthority: "/ca")
  private static let token = String(repeating: "0a", count: 32)

  private let key: PushSigningKey
  private let provider: PushProvider

  init() throws {
    key = try #require(PushSigningKey(randomness: .seeded(1)))
    provider = .apns(Self.settings, key: key)
  }

  private struct Missing: Error {}

  private static func device(
    _ token: String = token, permission: Device.Permission = .authorized
  ) throws -> Device {
    Device(
      name: try #require(DeviceName("phone")), route: .apns(token: token),
      permission: permission)
  }

  private func request(
    _ device: Device? = nil, at now: Instant = .noon,
    _ change: (inout PushNotification) -> Void = { _ in }
  ) throws -> (request: PushRequest, verdict: @Sendable (PushResponse) -> PushVerdict) {
    var notification = WebPushProviderTests.notification([try device ?? Self.device()])
    change(&notification)
    let parcels = provider.parcels(notification, now)
    guard parcels.count == 1, case .request(let request, let verdict) = parcels[0].work else {
      throw Missing()
    }
    return (request, verdict)
  }

  @Test("A request has Apple's headers, the job's id, and the end of its use")
  func request() throws {
    let request = try self.request().request
    #expect(request.url == "https://apns.example:2197/3/device/\(Self.token)")
    #expect(request.isHTTP2 && !request.isForeign)
    #expect(request.certificateAuthority == "/ca")
    var headers = request.headers
    #expect(headers.removeValue(forKey: "authorization")?.hasPrefix("bearer ") == true)
    let end = Instant.noon.microseconds / 1_000_000 + 90
    expectNoDifference(
      headers,
      [
        "apns-collapse-id": "match-3", "apns-expiration": "\(end)",
        "apns-id": "00000000-0000-0000-0000-000000000001", "apns-priority": "10",
        "apns-push-type": "alert", "apns-topic": "example.play.cubist",
        "content-type": "application/json",
      ])
    expectNoDifference(
      String(decoding: request.body, as: UTF8.self),
      #"{"aps":{"alert":{"body":"A match waits for your move.","title":"Your turn"},"badge":2,"#
        + #""interruption-level":"active","sound":"default"},"#
        + #""id":"00000000-0000-0000-0000-000000000001","kind":"yourTurn","#
        + #""match":"\#(MatchID(rawValue: 3))"}"#)
  }

  @Test("A quiet notification has no sound, and no badge if nobody knows the number")
  func quiet() throws {
    let quiet = try request { $0.isSilent = true }.request
    let provisional = try request(try Self.device(permission: .provisional)).request
    for request in [quiet, provisional] {
      let text = String(decoding: request.body, as: UTF8.self)
      #expect(!text.contains("sound") && text.contains(#""interruption-level":"passive""#))
    }
    let unknown = try request { $0.waiting = nil }.request
    #expect(!String(decoding: unknown.body, as: UTF8.self).contains("badge"))
  }

  @Test(
    "Urgency becomes a priority",
    arguments: zip(PushNotification.Urgency.allCases, ["1", "5", "10"]))
  func priorities(urgency: PushNotification.Urgency, expected: String) throws {
    #expect(try request { $0.urgency = urgency }.request.headers["apns-priority"] == expected)
  }

  @Test("What is of no use any more is not kept by Apple, and nothing overflows")
  func expiration() throws {
    let now = Instant.noon.microseconds / 1_000_000
    for (end, expected) in [
      (Instant.noon, "0"), (Instant(microseconds: .min), "0"),
      (Instant(microseconds: .max), "\(now + 28 * 86_400)"), (nil, "\(now + 86_400)"),
    ] as [(Instant?, String)] {
      let request = try request { $0.expiresAt = end }.request
      #expect(request.headers["apns-expiration"] == expected)
    }
  }

  @Test("A collapse id has 64 bytes at most, and different keys stay different")
  func collapseIDs() throws {
    func id(_ key: String) throws -> String {
      let request = try request { $0.collapseKey = key }.request
      return try #require(request.headers["apns-collapse-id"])
    }
    let long = String(repeating: "x", count: 64)
    #expect(try id(long) == long)
    let ids = [try id(long + "a"), try id(long + "b"), try id("a\nb"), try id("ü")]
    #expect(Set(ids).count == 4)
    for id in ids {
      #expect(id.utf8.count <= 64 && id.utf8.allSatisfy { 0x21...0x7e ~= $0 })
    }
  }

  @Test("A token that is no number never becomes a part of an address")
  func strangeTokens() throws {
    for token in ["", "../../x", "0a?b", "0a 0b", "ü", String(repeating: "a", count: 201)] {
      let notification = WebPushProviderTests.notification([try Self.device(token)])
      let parcels = provider.parcels(notification, .noon)
      guard parcels.count == 1, case .finished(.refused(_, .device)) = parcels[0].work
      else {
        throw Missing()
      }
    }
  }

  @Test("A payload fits, however long its texts are")
  func longTexts() throws {
    for piece in ["a", "\"", "\u{0}", "👩‍👩‍👧‍👦"] {
      let request = try request {
        $0.title = String(repeating: piece, count: 5_000)
        $0.body = String(repeating: piece, count: 5_000)
        $0.waiting = .max
      }.request
      #expect(request.body.count <= 4_096)
    }
  }

  @Test("The provider token is signed with the key, and says whose it is and since when")
  func providerToken() throws {
    let header = try #require(try request().request.headers["authorization"])
    let match = try #require(header.wholeMatch(of: /bearer ([\w-]+)\.([\w-]+)\.([\w-]+)/))
    let parts = [match.1, match.2, match.3].map { part -> Data? in
      let standard = String(part.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
      return Data(
        base64Encoded: standard + String(repeating: "=", count: (4 - part.count % 4) % 4))
    }
    let now = Instant.noon.microseconds / 1_000_000
    #expect(
      parts[0].map { String(decoding: $0, as: UTF8.self) }
        == #"{"alg":"ES256","kid":"ABC123DEFG"}"#)
    #expect(
      parts[1].map { String(decoding: $0, as: UTF8.self) }
        == #"{"iat":\#(now),"iss":"DEF123GHIJ"}"#)
    let signer = try #require(P256PublicKey(key.publicKey))
    let signature = Array(try #require(parts[2]))
    #expect(signer.isValid(signature, of: Array("\(match.1).\(match.2)".utf8)))
  }

  @Test(
    "Over a day a token is made every 40 minutes, and none is older than an hour when it is used")
  func renewal() throws {
    let tokens = APNsTokens(key: key, keyID: "ABC123DEFG", team: "DEF123GHIJ")
    var made: [(value: String, at: Int64)] = []
    for second in stride(from: Int64(0), to: 86_400, by: 30) {
      let value = try #require(
        tokens.authorization(at: Instant.noon.adding(seconds: second)))
      if made.last?.value != value { made.append((value, second)) }
    }
    #expect(made.map(\.at) == Array(stride(from: 0, to: 86_400, by: 2_400)))
  }

  @Test("A token that Apple refuses is made anew, but not before Apple wants a new one")
  func refusedToken() throws {
    let tokens = APNsTokens(key: key, keyID: "ABC123DEFG", team: "DEF123GHIJ")
    func token(_ seconds: Int64) throws -> String {
      try #require(tokens.authorization(at: Instant.noon.adding(seconds: seconds)))
    }
    let first = try token(0)
    tokens.refused("another")
    #expect(try token(1_200) == first)
    tokens.refused(first)
    #expect(try token(1_199) == first)
    let second = try token(1_200)
    #expect(second != first)
    // Answers to older requests change nothing.
    tokens.refused(first)
    #expect(try token(2_400 + 1_199) == second)
    // A clock that was set back.
    #expect(try token(0) != second)
  }

  @Test("Every reason of Apple's table has its meaning", arguments: APNsReason.allCases)
  func reasons(reason: APNsReason) throws {
    let (_, verdict) = try request()
    let body = Array(#"{"reason":"\#(reason.rawValue)"}"#.utf8)
    let answer = verdict(PushResponse(status: reason.status, body: body))
    let text: String
    switch (reason.meaning, answer) {
    case (.gone, .gone(let reason)), (.refused, .refused(let reason, .service)),
      (.unfit, .refused(let reason, .device)), (.deviceBusy, .later(let reason, _, .device)),
      (.later, .later(let reason, _, .service)), (.newToken, .later(let reason, _, .service)):
      text = reason
    default:
      Issue.record("\(reason): \(answer)")
      return
    }
    #expect(text.hasPrefix("Apple answered \(reason.status) \(reason.rawValue)"))
    #expect((reason.meaning == .gone) == (reason.status == 410))
    // All others are about the service's request, its key or Apple's own trouble.
    let ofDevice: Set<APNsReason> = [
      .badDeviceToken, .deviceTokenNotForTopic, .tooManyRequests, .unregistered, .expiredToken,
    ]
    #expect([.gone, .unfit, .deviceBusy].contains(reason.meaning) == ofDevice.contains(reason))
  }

  @Test("A device is not forgotten for a word that comes with another status")
  func otherStatus() {
    for reason in APNsReason.allCases where reason.meaning == .gone {
      let body = Array(#"{"reason":"\#(reason.rawValue)"}"#.utf8)
      guard
        case .later(_, after: nil, fault: .service) = APNsAnswer(
          PushResponse(status: 503, body: body)
        ).verdict
      else {
        Issue.record("\(reason.rawValue) with 503")
        continue
      }
    }
  }

  @Test("A status without a reason that is known has a meaning of its own")
  func unknownReasons() throws {
    let (_, verdict) = try request()
    for body in ["", "{}", #"{"reason":"Whatever"}"#, #"{"reason":7}"#, "<html>", "\u{0}"] {
      for status in [0, 100, 301, 400, 401, 403, 404, 405, 413, 418, 999] {
        guard
          case .refused(let text, .service) = verdict(
            PushResponse(status: status, body: Array(body.utf8)))
        else { throw Missing() }
        #expect(text == "Apple answered \(status)")
      }
      for status in [429, 500, 502, 503] {
        let answer = verdict(
          PushResponse(status: status, body: Array(body.utf8), retryAfter: .seconds(3)))
        #expect(answer == .later("Apple answered \(status)", after: .seconds(3)))
      }
      #expect(
        verdict(PushResponse(status: 410, body: Array(body.utf8)))
          == .gone("Apple answered 410"))
      #expect(verdict(PushResponse(status: 200, body: Array(body.utf8))) == .taken)
    }
  }

  @Test("An expired token of the service is renewed with the next request that Apple allows")
  func expiredToken() throws {
    let (first, verdict) = try request()
    _ = verdict(PushResponse(status: 403, body: Array(#"{"reason":"ExpiredProviderToken"}"#.utf8)))
    let later = try request(at: Instant.noon.adding(seconds: 1_200)).request
    #expect(later.headers["authorization"] != first.headers["authorization"])
    let many = verdict(
      PushResponse(status: 429, body: Array(#"{"reason":"TooManyProviderTokenUpdates"}"#.utf8)))
    #expect(
      many == .later("Apple answered 429 TooManyProviderTokenUpdates", after: .seconds(1_200)))
  }
}
