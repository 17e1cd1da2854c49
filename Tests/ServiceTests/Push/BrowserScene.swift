import Chaos
import Crypto
import Foundation
import MatchCore
import MatchInterfaces
import MatchService
import Testing

/// A message that a receiver took.
struct PushMessage: Hashable {
  var id: String
  /// The key by which it takes the place of another one on a device.
  var key: String
}

/// A push service of browsers, and push workers that trust it.
struct BrowserScene {
  let programs: Programs
  let processes: RoleProcesses
  private let port: Int

  struct Browser {
    let key: P256.KeyAgreement.PrivateKey
    let secret: [UInt8]
    let path: String
  }

  init(_ lab: ServiceLab) throws {
    programs = try Programs("browsers")
    let programs = programs
    do {
      let (certificate, key) = (programs.path("certificate.pem"), programs.path("key.pem"))
      try programs.certify("IP:127.0.0.1")
      let source = #filePath.replacing(
        "ServiceTests/Push/BrowserScene.swift", with: "PushPeers/webpush.py")
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
  /// - Parameter host: The push service's host, if it is another one.
  func browser(
    _ name: String, answering: String, of player: LabPlayer, at host: String? = nil
  ) throws -> Browser {
    let browser = Browser(
      key: P256.KeyAgreement.PrivateKey(), secret: Randomness.live.bytes(16),
      path: "/\(answering)/\(name)")
    let subscription = try #require(
      WebPushSubscription(
        endpoint: "https://\(host ?? "127.0.0.1:\(port)")\(browser.path)",
        key: Array(browser.key.publicKey.x963Representation), secret: browser.secret))
    try player.must(
      .deviceRegistered(
        Device(
          name: try #require(DeviceName(name)), route: .webPush(subscription),
          permission: .authorized)))
    return browser
  }

  /// A message as the push service took it.
  private struct Line: Decodable {
    var path: String
    var headers: [String: String]
    var body: Data
    /// The protocol that it and the worker agreed on by ALPN.
    var `protocol`: String
  }

  private func lines(of browser: Browser) throws -> [Line] {
    try programs.text("service").split(separator: "\n").dropFirst().map {
      try JSONDecoder().decode(Line.self, from: Data($0.utf8))
    }.filter { $0.path == browser.path }
  }

  /// The protocols of the messages to a browser.
  func protocols(of browser: Browser) throws -> [String] {
    try lines(of: browser).map(\.protocol)
  }

  /// The messages to a browser, as it reads them.
  func messages(of browser: Browser) throws -> [PushMessage] {
    struct Told: Decodable { var id: String }
    return try lines(of: browser).map { line in
      let text = try decrypted(Array(line.body), by: browser)
      let told = try JSONDecoder().decode(Told.self, from: text)
      return PushMessage(id: told.id, key: try #require(line.headers["topic"]))
    }
  }
}

/// The text of a message. Source: RFC 8188 and RFC 8291.
private func decrypted(
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
