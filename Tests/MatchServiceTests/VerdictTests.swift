import CubistBasics
import Foundation
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

/// A record that the service accepts has to hold for everybody. Service and players verify by
/// libsodium, makers' programs perhaps by swift-crypto: deploy/nightly runs this suite with that, too.
/// OpenSSL stands for libraries of which nobody knows.
@Suite("Two libraries, one verdict")
struct VerdictTests {
  /// The vectors that a browser has to agree with, too: Tests/Browser/test_checks.py.
  struct Vectors: Decodable {
    struct Edge: Decodable, Sendable {
      let message, key, signature: String
      let isValid: Bool
    }

    let edges: [Edge]
    /// The points of small order in all their encodings, coordinates beyond the field, and a point
    /// that is not on the curve.
    let oddPoints: [String]
  }

  static let vectors: Vectors = {
    let path = #filePath.replacing(
      "MatchServiceTests/VerdictTests.swift", with: "Vectors/signatures.json")
    let data = FileManager.default.contents(atPath: path) ?? Data()
    return (try? JSONDecoder().decode(Vectors.self, from: data))
      ?? Vectors(edges: [], oddPoints: [])
  }()

  @Test("The vectors are there")
  func present() { #expect(Self.vectors.edges.count == 12 && Self.vectors.oddPoints.count == 18) }

  @Test("Edge cases of the equation get the same verdict", arguments: vectors.edges)
  func edges(edge: Vectors.Edge) throws {
    let message = try #require(Hex.decode(edge.message))
    let signature = try #require(Hex.decode(edge.signature))
    let key = try #require(PublicKey(edge.key))
    #expect(OpenSSLVerifier.verify(signature, of: message, by: key) == edge.isValid)
    #expect(Ed25519.verify(signature, of: message, by: key) == edge.isValid)
  }

  @Test("Odd points are neither keys nor parts of signatures", arguments: vectors.oddPoints)
  func points(point: String) throws {
    let odd = try #require(PublicKey(point))
    let good = TestPlayer.ann.signer.signed([1], as: .event)
    let zero = Array(repeating: UInt8(0), count: 32)
    let message = SignatureTag.event.message([1])
    for (signature, key) in [
      (good.signature, odd), (odd.bytes + zero, odd), (odd.bytes + good.signature[32...], good.key),
      (odd.bytes + zero, good.key),
    ] {
      #expect(!OpenSSLVerifier.verify(signature, of: message, by: key))
      #expect(!Ed25519.verify(signature, of: message, by: key))
    }
  }

  /// What a reading says of Ann's event.
  private func refusal(_ action: Event.Action) -> Refusal? {
    guard
      case .refused(let refusal, _) = EventReading.read(
        TestPlayer.ann.body(TestPlayer.ann.event(action)), service: .test, verifier: .live,
        place: { _ in nil })
    else { return nil }
    return refusal
  }

  // Failure: Refusal.malformed: ° The payload is not an event of this version, or names a recovery
  //   key that can never sign, or the message has a priority above 4.
  @Test("A key of small order or in a second form is named as no recovery key, nor brought in")
  func namedKeys() throws {
    let odd = Self.vectors.oddPoints.compactMap { PublicKey($0) }
    // Two are in the right form, but not on the curve: no signature by them holds.
    let weak = odd.filter { !Ed25519.isAcceptable($0) }
    let beyond = (UInt8(0)..<19).compactMap { offset in
      PublicKey(bytes: [0xed + offset] + Array(repeating: UInt8(0xff), count: 30) + [0x7f])
    }
    #expect(odd.count == 18 && weak.count == 16 && beyond.count == 19)
    for key in weak + beyond {
      #expect(
        refusal(.recoveryKeyNamed(key)) == .malformed("key is no key that can sign"), "\(key)")
    }
    for key in odd + beyond {
      // The identity has a signature of zeros for any message in some libraries.
      let proof = [1] + Array(repeating: UInt8(0), count: 63)
      #expect(refusal(.playerRecovered(key, proof: proof)) == .badSignature, "\(key)")
    }
    #expect(refusal(.recoveryKeyNamed(TestPlayer.bob.key)) == nil)
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
    #expect(OpenSSLVerifier.verify(signature, of: message, by: signer.publicKey))
    #expect(Ed25519.verify(signature, of: message, by: signer.publicKey))

    var key = signer.publicKey.bytes
    let bit = UInt8(1) << (dice[2] & 7)
    switch number % 3 {
    case 0: signature[Int(dice[3] & 63)] ^= bit
    case 1: message[Int(dice[3]) % message.count] ^= bit
    default: key[Int(dice[3] & 31)] ^= bit
    }
    let changed = try #require(PublicKey(bytes: key))
    #expect(!OpenSSLVerifier.verify(signature, of: message, by: changed))
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
    #expect(OpenSSLVerifier.verify(signed.signature, of: message, by: signed.key))
    #expect(!OpenSSLVerifier.verify(signature, of: message, by: signed.key))
    #expect(!Ed25519.verify(signature, of: message, by: signed.key))
  }
}
