import Chaos
import Foundation
import LibCrypto
import MatchCore
import MatchInterfaces
import MatchService
import TestedService
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
    let key: P256Key
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
    let key = try #require(P256Key.made(by: .live))
    let browser = Browser(
      key: key, secret: Randomness.live.bytes(16),
      path: "/\(answering)/\(name)")
    let subscription = try #require(
      WebPushSubscription(
        endpoint: "https://\(host ?? "127.0.0.1:\(port)")\(browser.path)",
        key: browser.key.publicKey, secret: browser.secret))
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
  let (salt, sender, sealed) = (
    Array(body[..<16]), Array(body[21..<86]), Array(body[86...])
  )
  let known = try #require(P256PublicKey(sender))
  let shared = try browser.key.sharedSecret(with: known)
  let input = try HKDF.expand(
    HKDF.extract(shared, salt: browser.secret),
    info: Array("WebPush: info\0".utf8) + browser.key.publicKey + sender, count: 32)
  let derived = try HKDF.extract(input, salt: salt)
  let key = try HKDF.expand(
    derived, info: Array("Content-Encoding: aes128gcm\0".utf8), count: 16)
  let nonce = try HKDF.expand(
    derived, info: Array("Content-Encoding: nonce\0".utf8), count: 12)
  // Encrypting once more gives the text back, and encrypting that the same bytes with their tag.
  let padded = try AES128GCM.seal(Array(sealed.dropLast(16)), key: key, nonce: nonce).dropLast(16)
  let again = try AES128GCM.seal(Array(padded), key: key, nonce: nonce)
  try #require(again == sealed)
  let end = try #require(padded.lastIndex { $0 != 0 })
  return Data(padded[..<end])
}
