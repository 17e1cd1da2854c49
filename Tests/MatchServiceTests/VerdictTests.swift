import CubistBasics
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

/// The service verifies by libsodium, players by swift-crypto: a record that the service accepts
/// has to hold for everybody.
@Suite("Two libraries, one verdict")
struct VerdictTests {
  /// Source: github.com/novifinancial/ed25519-speccheck, cases.json, in its order: message, key, R,
  /// S. A signature is good here if it is canonical, of large order, and good by RFC 8032's
  /// equation without a cofactor.
  static let speccheck: [(message: String, key: String, r: String, s: String, isValid: Bool)] = [
    (
      "8c93255d71dcab10e8f379c26200f3c7bd5f09d9bc3068d3ef4edeb4853022b6",
      "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
      "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
      "0000000000000000000000000000000000000000000000000000000000000000", false
    ),
    (
      "9bd9f44f4dcc75bd531b56b2cd280b0bb38fc1cd6d1230e14861d861de092e79",
      "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
      "f7badec5b8abeaf699583992219b7b223f1df3fbbea919844e3f7c554a43dd43",
      "a5bb704786be79fc476f91d3f3f89b03984d8068dcf1bb7dfc6637b45450ac04", false
    ),
    (
      "aebf3f2601a0c8c5d39cc7d8911642f740b78168218da8471772b35f9d35b9ab",
      "f7badec5b8abeaf699583992219b7b223f1df3fbbea919844e3f7c554a43dd43",
      "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
      "8c4bd45aecaca5b24fb97bc10ac27ac8751a7dfe1baff8b953ec9f5833ca260e", false
    ),
    (
      "9bd9f44f4dcc75bd531b56b2cd280b0bb38fc1cd6d1230e14861d861de092e79",
      "cdb267ce40c5cd45306fa5d2f29731459387dbf9eb933b7bd5aed9a765b88d4d",
      "9046a64750444938de19f227bb80485e92b83fdb4b6506c160484c016cc1852f",
      "87909e14428a7a1d62e9f22f3d3ad7802db02eb2e688b6c52fcd6648a98bd009", true
    ),
    (
      "e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec4011eaccd55b53f56c",
      "cdb267ce40c5cd45306fa5d2f29731459387dbf9eb933b7bd5aed9a765b88d4d",
      "160a1cb0dc9c0258cd0a7d23e94d8fa878bcb1925f2c64246b2dee1796bed512",
      "5ec6bc982a269b723e0668e540911a9a6a58921d6925e434ab10aa7940551a09", false
    ),
    (
      "e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec4011eaccd55b53f56c",
      "cdb267ce40c5cd45306fa5d2f29731459387dbf9eb933b7bd5aed9a765b88d4d",
      "21122a84e0b5fca4052f5b1235c80a537878b38f3142356b2c2384ebad4668b7",
      "e40bc836dac0f71076f9abe3a53f9c03c1ceeeddb658d0030494ace586687405", false
    ),
    (
      "85e241a07d148b41e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec40",
      "442aad9f089ad9e14647b1ef9099a1ff4798d78589e66f28eca69c11f582a623",
      "e96f66be976d82e60150baecff9906684aebb1ef181f67a7189ac78ea23b6c0e",
      "547f7690a0e2ddcd04d87dbc3490dc19b3b3052f7ff0538cb68afb369ba3a514", false
    ),
    (
      "85e241a07d148b41e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec40",
      "442aad9f089ad9e14647b1ef9099a1ff4798d78589e66f28eca69c11f582a623",
      "8ce5b96c8f26d0ab6c47958c9e68b937104cd36e13c33566acd2fe8d38aa1942",
      "7e71f98a473474f2f13f06f97c20d58cc3f54b8bd0d272f42b695dd7e89a8c22", false
    ),
    (
      "9bedc267423725d473888631ebf45988bad3db83851ee85c85e241a07d148b41",
      "f7badec5b8abeaf699583992219b7b223f1df3fbbea919844e3f7c554a43dd43",
      "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
      "03be9678ac102edcd92b0210bb34d7428d12ffc5df5f37e359941266a4e35f0f", false
    ),
    (
      "9bedc267423725d473888631ebf45988bad3db83851ee85c85e241a07d148b41",
      "f7badec5b8abeaf699583992219b7b223f1df3fbbea919844e3f7c554a43dd43",
      "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
      "ca8c5b64cd208982aa38d4936621a4775aa233aa0505711d8fdcfdaa943d4908", false
    ),
    (
      "e96b7021eb39c1a163b6da4e3093dcd3f21387da4cc4572be588fafae23c155b",
      "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
      "a9d55260f765261eb9b84e106f665e00b867287a761990d7135963ee0a7d59dc",
      "a5bb704786be79fc476f91d3f3f89b03984d8068dcf1bb7dfc6637b45450ac04", false
    ),
    (
      "39a591f5321bbe07fd5a23dc2f39d025d74526615746727ceefd6e82ae65c06f",
      "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
      "a9d55260f765261eb9b84e106f665e00b867287a761990d7135963ee0a7d59dc",
      "a5bb704786be79fc476f91d3f3f89b03984d8068dcf1bb7dfc6637b45450ac04", false
    ),
  ]

  @Test("Edge cases of the equation get the same verdict", arguments: speccheck)
  func edges(message: String, key: String, r: String, s: String, isValid: Bool) throws {
    let (message, signature) = try (#require(Hex.decode(message)), #require(Hex.decode(r + s)))
    let key = try #require(PublicKey(key))
    #expect(Sodium.verify(signature, of: message, by: key) == isValid)
    #expect(Ed25519.verify(signature, of: message, by: key) == isValid)
  }

  /// The points of small order in all their encodings, coordinates beyond the field, and a point
  /// that is not on the curve.
  static let oddPoints =
    [
      "0000000000000000000000000000000000000000000000000000000000000000",
      "0100000000000000000000000000000000000000000000000000000000000000",
      "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
      "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
      "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      "0200000000000000000000000000000000000000000000000000000000000000",
    ].flatMap { [$0, signed($0)] }

  /// The same y with the other sign of x.
  private static func signed(_ point: String) -> String {
    guard var bytes = Hex.decode(point), bytes.count == 32 else { return point }
    bytes[31] |= 0x80
    return Hex.encode(bytes)
  }

  @Test("Odd points are neither keys nor parts of signatures", arguments: oddPoints)
  func points(point: String) throws {
    let odd = try #require(PublicKey(point))
    let good = TestPlayer.ann.signer.signed([1], as: .event)
    let zero = Array(repeating: UInt8(0), count: 32)
    let message = SignatureTag.event.message([1])
    for (signature, key) in [
      (good.signature, odd), (odd.bytes + zero, odd), (odd.bytes + good.signature[32...], good.key),
      (odd.bytes + zero, good.key),
    ] {
      #expect(!Sodium.verify(signature, of: message, by: key))
      #expect(!Ed25519.verify(signature, of: message, by: key))
    }
  }

  @Test(
    "A signed message gets the same verdict, and so does a change of one bit", arguments: 0..<200)
  func bits(number: Int) throws {
    // Dice with the same results each time.
    let dice = Hash(sha256Of: [UInt8(number)]).bytes
    let signer = try #require(Signer.ed25519(seed: dice))
    var message = Array(repeating: dice[0], count: Int(dice[1]) + 1)
    var signature = signer.sign(message, as: .event)
    message = SignatureTag.event.message(message)
    #expect(Sodium.verify(signature, of: message, by: signer.publicKey))
    #expect(Ed25519.verify(signature, of: message, by: signer.publicKey))

    var key = signer.publicKey.bytes
    let bit = UInt8(1) << (dice[2] & 7)
    switch number % 3 {
    case 0: signature[Int(dice[3] & 63)] ^= bit
    case 1: message[Int(dice[3]) % message.count] ^= bit
    default: key[Int(dice[3] & 31)] ^= bit
    }
    let changed = try #require(PublicKey(bytes: key))
    #expect(!Sodium.verify(signature, of: message, by: changed))
    #expect(!Ed25519.verify(signature, of: message, by: changed))
  }

  @Test("S + L is no second form of a signature to either")
  func malleability() throws {
    let order = try #require(
      Hex.decode("edd3f55c1a631258d69cf7a2def9de14" + String(repeating: "0", count: 30) + "10"))
    let signed = TestPlayer.ann.signer.signed([1], as: .event)
    var (signature, carry) = (signed.signature, 0)
    for index in 0..<32 {
      carry += Int(signature[32 + index]) + Int(order[index])
      signature[32 + index] = UInt8(carry & 0xff)
      carry >>= 8
    }
    let message = SignatureTag.event.message([1])
    #expect(Sodium.verify(signed.signature, of: message, by: signed.key))
    #expect(!Sodium.verify(signature, of: message, by: signed.key))
    #expect(!Ed25519.verify(signature, of: message, by: signed.key))
  }
}
