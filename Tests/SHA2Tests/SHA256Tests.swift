import Crypto
import CubistBasics
import SHA2
import Testing

@Suite("SHA-256")
struct SHA256Tests {
  /// Source: NIST, "Examples with intermediate values", SHA256.pdf, and the long one of FIPS 180-2,
  /// appendix B.3.
  static let vectors: [(String, Int, String)] = [
    ("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"
        + "lmnopqrsmnopqrstnopqrstu", 1,
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
    ),
    ("a", 1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
  ]

  @Test("NIST's vectors come out, by either implementation", arguments: vectors)
  func nist(text: String, count: Int, digest: String) {
    let bytes = Array(String(repeating: text, count: count).utf8)
    #expect(Hex.encode(portable([bytes])) == digest)
    var hash = SHA256Hasher()
    bytes.withUnsafeBytes { hash.update($0) }
    #expect(Hex.encode(hash.finalize { Array($0) }) == digest)
  }

  @Test("Messages of every length, in two pieces cut anywhere, have swift-crypto's digest")
  func pieces() {
    let message = (0..<200).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
    for count in message.indices {
      let whole = Array(message[..<count])
      let digest = Array(SHA256.hash(data: whole))
      for cut in stride(from: 0, through: count, by: 7) {
        let found = portable([Array(whole[..<cut]), Array(whole[cut...])])
        #expect(found == digest, "\(cut) of \(count)")
      }
    }
  }

  @Test("A digest can be taken, and more bytes follow")
  func goingOn() {
    var hash = PortableSHA256()
    Array("ab".utf8).withUnsafeBytes { hash.update($0) }
    #expect(hash.finalize { Array($0) } == Array(SHA256.hash(data: Array("ab".utf8))))
    Array("c".utf8).withUnsafeBytes { hash.update($0) }
    #expect(hash.finalize { Array($0) } == Array(SHA256.hash(data: Array("abc".utf8))))
  }

  /// Source: RFC 4231, sections 4.2, 4.3 and 4.7: a usual key, a short one, one longer than a
  /// block.
  @Test(
    "RFC 4231's codes come out",
    arguments: [
      (
        Array(repeating: UInt8(0x0b), count: 20), "Hi There",
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
      ),
      (
        Array("Jefe".utf8), "what do ya want for nothing?",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      ),
      (
        Array(repeating: 0xaa, count: 131),
        "Test Using Larger Than Block-Size Key - Hash Key First",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
      ),
    ])
  func codes(key: [UInt8], message: String, code: String) {
    #expect(Hex.encode(HMACSHA256.code(for: Array(message.utf8), key: key)) == code)
  }

  private func portable(_ pieces: [[UInt8]]) -> [UInt8] {
    var hash = PortableSHA256()
    for piece in pieces { piece.withUnsafeBytes { hash.update($0) } }
    return hash.finalize { Array($0) }
  }
}
