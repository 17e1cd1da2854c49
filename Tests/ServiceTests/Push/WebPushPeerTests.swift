import Chaos
import Foundation
import LibCrypto
import MatchCore
import MatchInterfaces
import Synchronization
import TestedService
import Testing

@testable import MatchService

@Suite("Web Push as others read it")
struct WebPushPeerTests {
  private static let contact = "mailto:push@play.example"

  /// A file of the tests' peers.
  private static func path(_ file: String) -> String {
    #filePath.replacing("ServiceTests/Push/WebPushPeerTests.swift", with: "PushPeers/\(file)")
  }

  /// The Python that has the libraries. The script says why there is none, such as that PyPI cannot
  /// be reached.
  private static func python() throws -> String {
    let process = Process()
    let (said, complaint) = (Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: path("environment"))
    process.standardOutput = said
    process.standardError = complaint
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let errors = Mutex(Data())
    complaint.fileHandleForReading.readabilityHandler = { handle in
      let data = handle.availableData
      if data.isEmpty { handle.readabilityHandler = nil }
      errors.withLock { $0.append(data) }
    }
    let text = String(decoding: said.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw LabFailure(String(decoding: errors.withLock { $0 }, as: UTF8.self))
    }
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// A browser that has subscribed.
  private struct Browser {
    /// The private half of its key.
    var scalar: [UInt8]
    var device: Device
    var secret: [UInt8]

    init(_ randomness: Randomness) throws {
      scalar = randomness.bytes(P256Key.scalarCount)
      let key = try #require(P256Key(scalar: scalar))
      secret = randomness.bytes(16)
      let subscription = try #require(
        WebPushSubscription(
          endpoint: "https://Push.Example:443/send/\(randomness.next())",
          key: key.publicKey, secret: secret))
      device = Device(
        name: try #require(DeviceName("browser")), route: .webPush(subscription),
        permission: .authorized)
    }

    /// The line by which the other implementation decrypts a body.
    func line(_ body: [UInt8]) -> String {
      let fields = [
        "private": scalar, "secret": secret, "body": body,
      ].map { "\"\($0.key)\":\"\(Base64.encodeForURL($0.value))\"" }
      return "{\(fields.joined(separator: ","))}"
    }
  }

  @Test("http-ece decrypts 10,000 random messages, and pyjwt verifies who sends")
  func decrypted() throws {
    let python = try Self.python()
    let programs = try Programs("web-push")
    defer { programs.end() }
    let random = Randomness.live
    var (lines, expected): ([String], [String]) = ([], [])
    // Some browsers have many messages, as in life.
    let browsers = try (0..<500).map { _ in try Browser(random) }
    for number in 0..<10_000 {
      let browser = browsers[number % browsers.count]
      guard case .webPush(let subscription) = browser.device.route else { continue }
      let text = random.bytes(Int(random.next() % UInt64(WebPushMessage.limit + 1)))
      let sender = try #require(P256Key.made(by: random))
      let body = try WebPushMessage.body(
        text, for: subscription, sender: sender, salt: random.bytes(16))
      lines.append(browser.line(body))
      expected.append(Base64.encodeForURL(text))
    }
    // And whole requests, as the provider makes them.
    let key = try #require(PushSigningKey(randomness: random))
    let provider = PushProvider.webPush(key: key, contact: Self.contact, randomness: random)
    let now = WallClock.live.now()
    for kind in PushJob.Kind.allCases {
      let notification = PushNotification(
        job: PushJob(
          id: PushJobID(rawValue: random.next128()), kind: kind,
          player: PlayerID(rawValue: random.next128())),
        title: "Du bist am Zug", body: "דוד \u{1F389} wartet.", language: .german,
        collapseKey: "key", devices: browsers.prefix(3).map(\.device))
      for (browser, parcel) in zip(browsers, provider.parcels(notification, now)) {
        guard case .request(let request, _) = parcel.work else {
          throw LabFailure("\(parcel.work)")
        }
        lines.append(browser.line(request.body))
        expected.append(
          Base64.encodeForURL(WebPushPayload.bytes(notification, isSilent: false)))
        lines.append(
          String(
            decoding: JSONLine([
              "authorization": .text(try #require(request.headers["authorization"])),
              "key": .text(Base64.encodeForURL(key.publicKey)),
              "origin": .text("https://push.example"), "contact": .text(Self.contact),
              "now": .number(now.microseconds / 1_000_000),
            ]).object, as: UTF8.self))
        expected.append("verified")
      }
    }
    let file = programs.path("messages")
    try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
    try programs.run([python, Self.path("decrypt.py"), file], log: "said")
    let found = programs.text("said").split(separator: "\n", omittingEmptySubsequences: false)
    #expect(found.count == expected.count + 1)
    let wrong = zip(found, expected).enumerated().filter { $0.element.0 != $0.element.1 }
    #expect(wrong.isEmpty, "\(wrong.prefix(3).map { "\($0.offset): \($0.element)" })")
  }

  @Test("http-ece does not read a message that one bit was changed in")
  func tampered() throws {
    let python = try Self.python()
    let programs = try Programs("web-push-tampered")
    defer { programs.end() }
    let browser = try Browser(.live)
    guard case .webPush(let subscription) = browser.device.route else { return }
    let once = try #require(P256Key.made(by: .live))
    var body = try WebPushMessage.body(
      Array("text".utf8), for: subscription, sender: once,
      salt: Randomness.live.bytes(16))
    body[body.count - 20] ^= 1
    let file = programs.path("messages")
    try browser.line(body).write(toFile: file, atomically: true, encoding: .utf8)
    #expect(throws: LabFailure.self) {
      try programs.run([python, Self.path("decrypt.py"), file], log: "said")
    }
    #expect(programs.text("said").contains("ECEException"))
  }
}
