import CubistBasics
import MatchCore
import MatchRecord
import MatchWire
import Testing

@testable import PagePlayer

@Suite("Answers without a decoder")
struct AnswerFieldsTests {
  private let time = Instant(microseconds: 1_777_600_000_000_000)

  /// Reads an answer as a browser does, and as a program with a decoder does.
  private func expectSame<Value: Codable & Equatable & Sendable>(
    _ value: Value, _ read: (JSONObject) throws -> Value
  ) throws {
    let bytes = AnswerCodec.encode(value, query: EventID(rawValue: 7))
    guard case (_, .ok(let object)) = try ReceivedAnswer.read(bytes),
      case (_, .ok(let decoded)) = try AnswerCodec.decode(bytes, as: Value.self)
    else {
      Issue.record("not an answer: \(String(decoding: bytes, as: UTF8.self))")
      return
    }
    #expect(try read(object) == decoded)
    #expect(decoded == value)
  }

  @Test("The service's own data is the same in both readers")
  func serviceInfo() throws {
    let root = try #require(Signer.ed25519(seed: Array(repeating: 1, count: 32)))
    let service = ServiceID(rawValue: 9)
    let certificate = KeyCertificate(
      workingKey: root.publicKey, validFrom: time, validUntil: time.adding(seconds: 60),
      service: service, root: root)
    let daily = DailyKey(day: Day(containing: time), mode: .timed, language: .english)
    var info = ServiceInfo(
      service: service, rootKey: root.publicKey, certificates: [certificate], version: "1.0",
      oldestClient: .oldestServed, now: time, registration: .code, queueCount: 16,
      limits: .init(PlayerLimits.standard), dailies: [.init(daily: daily, players: 7)])
    try expectSame(info) { try ServiceInfo($0) }
    (info.certificates, info.oldestClient, info.dailies) = ([], nil, nil)
    (info.registration, info.limits) = (.open, .current)
    try expectSame(info) { try ServiceInfo($0) }
  }

  @Test("An account is the same in both readers", arguments: [true, false])
  func account(isRated: Bool) throws {
    var rating = RatingView(rating: 1_512, deviation: 83, isProvisional: isRated, matches: 7)
    if isRated { (rating.rank, rating.outOf) = (3, 9) }
    for rating in [rating, nil] {
      try expectSame(
        PlayerView(
          id: PlayerID(rawValue: 5), name: try #require(PlayerName("Anna")), registeredAt: time,
          rating: rating, isBot: isRated)
      ) { try PlayerView($0) }
    }
  }
}
