import Chaos
import Foundation
import MatchCore
import MatchInterfaces
import TestedService
import Testing

@testable import MatchService
@testable import cubistd

@Suite("APNs by HTTP/2")
struct APNsPeerTests {
  /// A server that is not ours, in Apple's place, and perhaps one in a browser's.
  private struct Apple {
    let programs: Programs
    let url: String

    /// - Parameter answers: By the last digits of a device's token.
    init(_ answers: [String: JSONLine]) throws {
      programs = try Programs("apns")
      do {
        let (certificate, key) = (programs.path("certificate.pem"), programs.path("key.pem"))
        try programs.certify("DNS:localhost,IP:127.0.0.1")
        let table = programs.path("table")
        try Data(JSONLine(answers.mapValues { .object($0) }).object)
          .write(to: URL(fileURLWithPath: table))
        let port = try Self.start("apns.py", [certificate, key, table], "apple", programs)
        url = "https://localhost:\(port)"
      } catch {
        programs.end()
        throw error
      }
    }

    /// Starts a server of `PushPeers`.
    /// - Returns: its port.
    private static func start(
      _ peer: String, _ arguments: [String], _ log: String, _ programs: Programs
    ) throws -> Int {
      let source = #filePath.replacing(
        "ServiceTests/Push/APNsPeerTests.swift", with: "PushPeers/\(peer)")
      _ = try programs.start(["/usr/bin/python3", source] + arguments, log: log)
      var port: Substring?
      try waitUntil("it listens", found: programs.text(log)) {
        let text = programs.text(log)
        port = text.contains("\n") ? text.split(separator: "\n").first : nil
        return port != nil
      }
      return try #require(port.flatMap { Int($0) })
    }

    /// A request to a push service of browsers, which takes it.
    func browserRequest() throws -> PushRequest {
      let (certificate, key) = (programs.path("certificate.pem"), programs.path("key.pem"))
      let port = try Self.start("webpush.py", [certificate, key], "browsers", programs)
      return PushRequest(
        url: "https://127.0.0.1:\(port)/201/good", headers: [:], body: [1], isForeign: true,
        certificateAuthority: certificate)
    }

    struct Line: Decodable {
      var connection: Int
      var path: String?
      var method: String?
      var headers: [String: String]?
      var body: String?
      var trouble: String?
    }

    /// Its words, one for each request or broken connection.
    func lines() throws -> [Line] {
      try programs.text("apple").split(separator: "\n").dropFirst().map {
        try JSONDecoder().decode(Line.self, from: Data($0.utf8))
      }
    }

    var settings: APNsSettings {
      APNsSettings(
        keyPath: "", keyID: "ABC123DEFG", team: "DEF123GHIJ", topic: "example.play.cubist",
        url: url, certificateAuthority: programs.path("certificate.pem"))
    }
  }

  private static func notification(_ tokens: [String]) throws -> PushNotification {
    let devices = try tokens.enumerated().map { number, token in
      Device(
        name: try #require(DeviceName("phone\(number)")), route: .apns(token: token),
        permission: .authorized)
    }
    return PushNotification(
      job: PushJob(
        id: PushJobID(rawValue: 7), kind: .yourTurn, player: PlayerID(rawValue: 1),
        match: MatchID(rawValue: 2), turn: 3),
      title: "Your turn", body: "A match waits for your move.", collapseKey: "match-2",
      urgency: .high, expiresAt: WallClock.live.now().adding(seconds: 600), waiting: 3,
      devices: devices)
  }

  /// A token of 64 digits that ends with a number.
  private static func token(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "a", count: 64 - digits.utf8.count) + digits
  }

  /// The verdicts on all parcels of a notification; the text of a failure where there is no answer.
  private static func outcomes(
    of notification: PushNotification, by provider: PushProvider, over exchange: PushExchange,
    at now: Instant = WallClock.live.now()
  ) throws -> [Result<PushVerdict, PushFailure>] {
    let parcels = provider.parcels(notification, now)
    var verdicts: [@Sendable (PushResponse) -> PushVerdict] = []
    for (number, parcel) in parcels.enumerated() {
      guard case .request(let request, let verdict) = parcel.work else {
        throw LabFailure("\(parcel.work)")
      }
      exchange.send(UInt64(number), request)
      verdicts.append(verdict)
    }
    var outcomes = [Result<PushVerdict, PushFailure>?](repeating: nil, count: parcels.count)
    // The exchange gives up on each request in time; a broken exchange would wait for ever.
    for _ in 0..<600 where outcomes.contains(nil) {
      for (number, answer) in exchange.answers(.milliseconds(100)) {
        outcomes[Int(number)] = answer.map { verdicts[Int(number)]($0) }
      }
    }
    return try outcomes.map { try #require($0) }
  }

  /// - Parameter timeout: Enough for a busy machine, unless a test waits for its end.
  private static func exchange(timeout: Duration = .seconds(50)) throws -> PushExchange {
    try .live(gate: PushGate(), timeout: timeout)
  }

  /// Apple's table of statuses and reasons, with the verdict on each. It was written from Apple's
  /// page, and not from the code. `Retry-After` was 7.
  private static let table: [(status: Int64, reason: String, verdict: String)] = [
    (400, "BadCollapseId", "refused"),
    (400, "BadDeviceToken", "refused: the device"),
    (400, "BadExpirationDate", "refused"),
    (400, "BadMessageId", "refused"),
    (400, "BadPriority", "refused"),
    (400, "BadTopic", "refused"),
    (400, "DeviceTokenNotForTopic", "refused: the device"),
    (400, "DuplicateHeaders", "refused"),
    (400, "IdleTimeout", "later: 7 s"),
    (400, "InvalidPushType", "refused"),
    (400, "MissingDeviceToken", "refused"),
    (400, "MissingTopic", "refused"),
    (400, "PayloadEmpty", "refused"),
    (400, "TopicDisallowed", "refused"),
    (403, "BadCertificate", "refused"),
    (403, "BadCertificateEnvironment", "refused"),
    (403, "BadEnvironmentKeyIdInToken", "later: 7 s"),
    (403, "BadEnvironmentKeyInToken", "later: 7 s"),
    (403, "ExpiredProviderToken", "later: 7 s"),
    (403, "Forbidden", "refused"),
    (403, "InvalidProviderToken", "later: 7 s"),
    (403, "MissingProviderToken", "later: 7 s"),
    (403, "UnrelatedKeyIdInToken", "later: 7 s"),
    (404, "BadPath", "refused"),
    (405, "MethodNotAllowed", "refused"),
    (410, "ExpiredToken", "gone"),
    (410, "Unregistered", "gone"),
    (413, "PayloadTooLarge", "refused"),
    // One token is to be used for twenty minutes at least.
    (429, "TooManyProviderTokenUpdates", "later: 1200 s"),
    (429, "TooManyRequests", "later: 7 s, the device"),
    (500, "InternalServerError", "later: 7 s"),
    (503, "ServiceUnavailable", "later: 7 s"),
    (503, "Shutdown", "later: 7 s"),
  ]

  private static func word(_ outcome: Result<PushVerdict, PushFailure>) throws -> String {
    switch try outcome.get() {
    case .taken: "taken"
    case .gone: "gone"
    case .refused(_, fault: .device): "refused: the device"
    case .refused: "refused"
    case .later(_, let pause, let fault):
      "later: \(pause.map { "\($0.components.seconds) s" } ?? "as usual")"
        + (fault == .device ? ", the device" : "")
    }
  }

  @Test("Every status and reason of Apple's table comes back as its verdict, on one connection")
  func table() throws {
    #expect(
      Set(APNsReason.allCases.map { "\($0.status) \($0.rawValue)" })
        == Set(Self.table.map { "\($0.status) \($0.reason)" }))
    var answers: [String: JSONLine] = [:]
    for (number, row) in Self.table.enumerated() {
      answers[Self.token(number + 100)] = JSONLine([
        "status": .number(row.status), "reason": .text(row.reason), "retryAfter": .text("7"),
      ])
    }
    let apple = try Apple(answers)
    defer { apple.programs.end() }
    let key = try #require(PushSigningKey(randomness: .live))
    let provider = PushProvider.apns(apple.settings, key: key)
    let exchange = try Self.exchange()
    let tokens = [Self.token(1)] + Self.table.indices.map { Self.token($0 + 100) }
    let outcomes = try Self.outcomes(
      of: Self.notification(tokens), by: provider, over: exchange)
    #expect(outcomes[0] == .success(.taken))
    for (row, outcome) in zip(Self.table, outcomes.dropFirst()) {
      #expect(try Self.word(outcome) == row.verdict, "\(row.status) \(row.reason)")
    }
    let lines = try apple.lines()
    #expect(lines.count == tokens.count)
    #expect(Set(lines.map(\.connection)).count == 1)
    for line in lines {
      #expect(line.method == "POST" && line.trouble == nil)
      #expect(line.headers?["apns-topic"] == "example.play.cubist")
      #expect(line.headers?["apns-id"] == "00000000-0000-0000-0000-000000000007")
      #expect(line.headers?["authorization"]?.hasPrefix("bearer ") == true)
    }
    #expect(Set(lines.map(\.path)) == Set(tokens.map { "/3/device/\($0)" }))
  }

  @Test(
    "A stream that breaks off is no answer, and the next notification goes its way",
    arguments: ["close", "half", "reset"])
  func broken(act: String) throws {
    let apple = try Apple([Self.token(900): JSONLine(["act": .text(act)])])
    defer { apple.programs.end() }
    let key = try #require(PushSigningKey(randomness: .live))
    let provider = PushProvider.apns(apple.settings, key: key)
    let exchange = try Self.exchange()
    func outcome(_ number: Int) throws -> Result<PushVerdict, PushFailure> {
      try #require(
        try Self.outcomes(
          of: Self.notification([Self.token(number)]), by: provider, over: exchange
        ).first)
    }
    #expect(try outcome(1) == .success(.taken))
    guard case .failure = try outcome(900) else {
      throw LabFailure("an answer, though the stream was broken off")
    }
    #expect(try outcome(2) == .success(.taken))
  }

  @Test("After GOAWAY a request is sent again on a new connection, or there is no answer")
  func goAway() throws {
    let apple = try Apple([Self.token(900): JSONLine(["act": .text("goaway")])])
    defer { apple.programs.end() }
    let key = try #require(PushSigningKey(randomness: .live))
    let provider = PushProvider.apns(apple.settings, key: key)
    let exchange = try Self.exchange()
    let outcomes = try [1, 900, 2].map { number in
      try Self.outcomes(
        of: Self.notification([Self.token(number)]), by: provider, over: exchange)
    }
    #expect(outcomes[0] == [.success(.taken)])
    guard case .failure? = outcomes[1].first else {
      throw LabFailure("an answer, though each connection was ended")
    }
    #expect(outcomes[2] == [.success(.taken)])
    #expect(Set(try apple.lines().map(\.connection)).count > 1)
  }

  @Test("An answer that does not come ends in time, and holds up no other")
  func silent() throws {
    let apple = try Apple([Self.token(900): JSONLine(["act": .text("silent")])])
    defer { apple.programs.end() }
    let key = try #require(PushSigningKey(randomness: .live))
    let provider = PushProvider.apns(apple.settings, key: key)
    let ended = try Self.outcomes(
      of: Self.notification([Self.token(900)]), by: provider,
      over: Self.exchange(timeout: .seconds(2)))
    guard case .failure = ended[0] else { throw LabFailure("an answer") }
    // While it is awaited the others are answered.
    let exchange = try Self.exchange()
    let tokens = [900, 1, 2].map { Self.token($0) }
    let parcels = try provider.parcels(Self.notification(tokens), WallClock.live.now())
    for (number, parcel) in parcels.enumerated() {
      guard case .request(let request, _) = parcel.work else { throw LabFailure("no request") }
      exchange.send(UInt64(number), request)
    }
    var answers: [UInt64: Result<PushResponse, PushFailure>] = [:]
    while answers.count < 2 {
      for (number, answer) in exchange.answers(.milliseconds(100)) { answers[number] = answer }
    }
    #expect(try answers[1]?.get().status == 200 && answers[2]?.get().status == 200)
  }

  @Test("A connection on which nothing is answered any more is left: the next request goes its way")
  func mute() throws {
    let apple = try Apple([Self.token(900): JSONLine(["act": .text("mute")])])
    defer { apple.programs.end() }
    let key = try #require(PushSigningKey(randomness: .live))
    let provider = PushProvider.apns(apple.settings, key: key)
    let exchange = try Self.exchange(timeout: .seconds(2))
    func outcome(_ number: Int) throws -> Result<PushVerdict, PushFailure> {
      try #require(
        try Self.outcomes(
          of: Self.notification([Self.token(number)]), by: provider, over: exchange
        ).first)
    }
    // On a busy machine an answer may come too late for this exchange, too.
    try waitUntil("the first is taken") { try outcome(1) == .success(.taken) }
    guard case .failure = try outcome(900) else { throw LabFailure("an answer") }
    try waitUntil("the next one goes its way") { try outcome(2) == .success(.taken) }
    let lines = try apple.lines()
    func connections(_ number: Int) -> [Int] {
      lines.filter { $0.path?.hasSuffix(Self.token(number)) == true }.map(\.connection)
    }
    let mute = try #require(connections(900).first)
    #expect(connections(1).last == mute && !connections(2).contains(mute))
  }

  @Test("Frames of HTTP/2 that come without end hold up no message to a browser")
  func flood() throws {
    let apple = try Apple([Self.token(900): JSONLine(["act": .text("flood")])])
    defer { apple.programs.end() }
    let key = try #require(PushSigningKey(randomness: .live))
    let parcels = try PushProvider.apns(apple.settings, key: key)
      .parcels(Self.notification([Self.token(900)]), WallClock.live.now())
    guard case .request(let request, _)? = parcels.first?.work else { throw LabFailure("none") }
    let good = try apple.browserRequest()
    let gate = PushGate(allowed: [try #require(AddressRange("127.0.0.1"))])
    let exchange = try PushExchange.live(gate: gate)
    var answers: [UInt64: Result<PushResponse, PushFailure>] = [:]
    func wait(_ condition: () throws -> Bool) rethrows {
      while try !condition() {
        for (number, answer) in exchange.answers(.milliseconds(100)) { answers[number] = answer }
      }
    }
    exchange.send(1, request)
    // The flood begins with the line.
    try wait { try !apple.lines().isEmpty }
    exchange.send(2, good)
    wait { answers[2] != nil }
    #expect(try answers[2]?.get().status == 201)
    // The flooded request ends, too, and may be tried again.
    wait { answers[1] != nil }
    guard case .failure? = answers[1] else { throw LabFailure("an answer") }
  }

  @Test("Over a simulated day each request has a token that Apple would take")
  func day() throws {
    let apple = try Apple([:])
    defer { apple.programs.end() }
    let key = try #require(PushSigningKey(randomness: .live))
    let provider = PushProvider.apns(apple.settings, key: key)
    let exchange = try Self.exchange()
    let start = WallClock.live.now()
    let steps = Array(stride(from: Int64(0), to: 86_400, by: 600))
    for seconds in steps {
      let outcomes = try Self.outcomes(
        of: Self.notification([Self.token(1)]), by: provider, over: exchange,
        at: start.adding(seconds: seconds))
      #expect(outcomes == [.success(.taken)])
    }
    struct Claims: Decodable { var iat: Int64 }
    var issued: [Int64] = []
    for (line, seconds) in zip(try apple.lines(), steps) {
      let parts = (line.headers?["authorization"] ?? "").split(separator: ".")
      try #require(parts.count == 3)
      let standard = String(parts[1].map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
      let padding = String(repeating: "=", count: (4 - standard.count % 4) % 4)
      let claims = try JSONDecoder().decode(
        Claims.self, from: try #require(Data(base64Encoded: standard + padding)))
      let now = start.adding(seconds: seconds).microseconds / 1_000_000
      #expect((0..<3_600).contains(now - claims.iat))
      if issued.last != claims.iat { issued.append(claims.iat) }
    }
    #expect(issued.count == 36)
    #expect(zip(issued, issued.dropFirst()).allSatisfy { $1 - $0 >= 1_200 })
  }
}
