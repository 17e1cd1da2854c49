import Foundation
import LibCrypto
import MatchCore
import MatchInterfaces
import Testing

@testable import MatchService

@Suite("Encryption for Web Push")
struct WebPushMessageTests {
  /// The values of RFC 8291, section 5 and appendix A.
  private enum Example {
    static let text = Array("When I grow up, I want to be a watermelon".utf8)
    static let receiver = bytes(
      "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4")
    static let sender = bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")
    static let senderPublic = bytes(
      "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8")
    static let secret = bytes("BTBZMqHH6r4Tts7J_aSIgg")
    static let salt = bytes("DGv6ra1nlYgDCS1FRnbzlw")
    static let sharedSecret = bytes("kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs")
    static let combiningKey = bytes("Snr3JMxaHVDXHWJn5wdC52WjpCtd2EIEGBykDcZW32k")
    static let keyInfo = bytes(
      "V2ViUHVzaDogaW5mbwAEJXGyvs3942BVGq8e0PTNNmwRzr5VX4m8t7GGpTM5FzFo7OLr4BhZe9MEebhuPI-OztV3"
        + "ylkYfpJGmQ22ggCLDgT-M_SrDepxkU21WCP3O1SUj0EwbZIHMtu5pZpTKGSCIA5Zent7wmC6HCJ5mFgJkuk5cwAv"
        + "MBKiiujwa7t45ewP")
    static let inputKey = bytes("S4lYMb_L0FxCeq0WhDx813KgSYqU26kOyzWUdsXYyrg")
    static let pseudorandomKey = bytes("09_eUZGrsvxChDCGRCdkLiDXrReGOEVeSCdCcPBSJSc")
    static let contentKey = bytes("oIhVW04MRdy2XN9CiKLxTg")
    static let nonce = bytes("4h_95klXJ5E_qnoN")
    static let header = bytes(
      "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmY"
        + "WAmS6TlzAC8wEqKK6PBru3jl7A8")
    static let encrypted = bytes(
      "8pfeW0KbunFT06SuDKoJH9Ql87S1QUrdirN6GcG7sFz1y1sqLgVi1VhjVkHsUoEsbI_0LpXMuGvnzQ")

    static func bytes(_ text: String) -> [UInt8] {
      let standard = text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
      let padding = String(repeating: "=", count: (4 - text.count % 4) % 4)
      return Data(base64Encoded: String(standard) + padding).map { Array($0) } ?? []
    }
  }

  private static func subscription(
    _ key: [UInt8] = Example.receiver, _ secret: [UInt8] = Example.secret
  ) throws -> WebPushSubscription {
    try #require(
      WebPushSubscription(endpoint: "https://push.example/1", key: key, secret: secret))
  }

  @Test("Every value of the worked example of RFC 8291 comes out")
  func example() throws {
    let sender = try #require(P256Key(scalar: Example.sender))
    #expect(sender.publicKey == Example.senderPublic)
    let subscription = try Self.subscription()
    let keys = try WebPushMessage.Derivation(
      for: subscription, sender: sender, salt: Example.salt)
    #expect(keys.sharedSecret.bytes == Example.sharedSecret)
    #expect(keys.combiningKey.bytes == Example.combiningKey)
    #expect(keys.keyInfo == Example.keyInfo)
    #expect(keys.inputKey.bytes == Example.inputKey)
    #expect(keys.pseudorandomKey.bytes == Example.pseudorandomKey)
    #expect(keys.contentKey.bytes == Example.contentKey)
    #expect(keys.nonce.bytes == Example.nonce)
    #expect(WebPushMessage.header(of: sender, Example.salt) == Example.header)
    let body = try WebPushMessage.body(
      Example.text, for: subscription, sender: sender, salt: Example.salt, isPadded: false)
    #expect(body == Example.header + Example.encrypted)
  }

  // Failure: WebPushMessage.Failure.tooLong: A text has more than 3,993 bytes. The provider makes
  //   none: it cuts names.
  @Test("A message is one record of 4,096 bytes at most, and its length tells little")
  func lengths() throws {
    let sender = try #require(P256Key.made(by: .live))
    let subscription = try Self.subscription()
    func count(_ length: Int) throws -> Int {
      try WebPushMessage.body(
        [UInt8](repeating: 7, count: length), for: subscription, sender: sender,
        salt: Example.salt
      ).count - 86 - 16
    }
    #expect(WebPushMessage.limit == 3_993)
    for length in [0, 1, 200, 255] { #expect(try count(length) == 256) }
    for length in [256, 400, 511] { #expect(try count(length) == 512) }
    for length in [3_839] { #expect(try count(length) == 3_840) }
    // No multiple fits any more: all the room there is.
    for length in [3_840, 3_993] { #expect(try count(length) == 3_994) }
    #expect(throws: WebPushMessage.Failure.tooLong) { try count(3_994) }
  }

  @Test("The browser reads what was written, at every length")
  func roundTrip() throws {
    let receiver = try #require(P256Key.made(by: .live))
    let secret = [UInt8](repeating: 9, count: 16)
    let subscription = try Self.subscription(receiver.publicKey, secret)
    for length in Array(0..<300) + [3_000, 3_993] {
      let once = try #require(P256Key.made(by: .live))
      let text = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      let body = try WebPushMessage.body(
        text, for: subscription, sender: once, salt: Example.salt)
      #expect(body.count <= 4_096)
      // The way back, by the key in the header.
      let sender = try #require(P256PublicKey(Array(body[21..<86])))
      let shared = try receiver.sharedSecret(with: sender)
      let input = try HKDF.expand(
        HKDF.extract(shared, salt: secret),
        info: Array("WebPush: info\0".utf8) + subscription.key + body[21..<86], count: 32)
      let derived = try HKDF.extract(input, salt: Array(body[..<16]))
      let key = try HKDF.expand(
        derived, info: Array("Content-Encoding: aes128gcm\0".utf8), count: 16)
      let nonce = try HKDF.expand(
        derived, info: Array("Content-Encoding: nonce\0".utf8), count: 12)
      // Encrypting once more gives the text back, and encrypting that the whole record.
      let sealed = Array(body[86...])
      let record = Array(
        try AES128GCM.seal(Array(sealed.dropLast(16)), key: key, nonce: nonce).dropLast(16))
      #expect(try AES128GCM.seal(record, key: key, nonce: nonce) == sealed)
      let end = try #require(record.lastIndex { $0 != 0 })
      #expect(record[end] == 2)
      #expect(Array(record[..<end]) == text)
    }
  }

  // Failure: WebPushMessage.Failure.notOnCurve: A browser's key is no point of the curve. Its
  //   device is refused; the player's others get the notification.
  @Test("A key that is no point of the curve is refused, and nothing crashes")
  func notOnCurve() throws {
    let sender = try #require(P256Key.made(by: .live))
    let random = Randomness.seeded(1)
    var keys = [[UInt8](repeating: 0, count: 64), [UInt8](repeating: 0xff, count: 64)]
    keys += (0..<200).map { _ in random.bytes(64) }
    for key in keys {
      let subscription = try Self.subscription([4] + key)
      // Hardly any 64 random bytes are a point.
      #expect(throws: WebPushMessage.Failure.notOnCurve) {
        try WebPushMessage.body([1], for: subscription, sender: sender, salt: Example.salt)
      }
    }
  }
}
