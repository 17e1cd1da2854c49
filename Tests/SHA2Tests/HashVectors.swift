import CubistBasics
import SHA2

// deploy/wasm compiles this file too: browsers have the project's own SHA-256.

/// Messages with the digests and codes that standards state.
enum HashVectors {
  struct Digest {
    var text: String
    /// The message is the text so many times.
    var count: Int
    var digest: String

    var message: [UInt8] { Array(String(repeating: text, count: count).utf8) }
  }

  struct Code {
    var key: [UInt8]
    var message: String
    var code: String

    var found: String { Hex.encode(HMACSHA256.code(for: Array(message.utf8), key: key)) }
  }

  /// Source: NIST, "Examples with intermediate values", SHA256.pdf, and the long one of FIPS 180-2,
  /// appendix B.3.
  static let nist = [
    Digest(
      text: "", count: 1,
      digest: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    Digest(
      text: "abc", count: 1,
      digest: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    Digest(
      text: "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", count: 1,
      digest: "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
    Digest(
      text: "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
        + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu", count: 1,
      digest: "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"),
    Digest(
      text: "a", count: 1_000_000,
      digest: "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
  ]

  /// Source: RFC 4231, sections 4.2, 4.3 and 4.7: a usual key, a short one, one longer than a
  /// block.
  static let rfc4231 = [
    Code(
      key: Array(repeating: 0x0b, count: 20), message: "Hi There",
      code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    Code(
      key: Array("Jefe".utf8), message: "what do ya want for nothing?",
      code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    Code(
      key: Array(repeating: 0xaa, count: 131),
      message: "Test Using Larger Than Block-Size Key - Hash Key First",
      code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
  ]

  /// The digest by the project's own code, of a message in pieces.
  static func portable(_ pieces: [[UInt8]]) -> String {
    var hash = PortableSHA256()
    for piece in pieces { piece.withUnsafeBytes { hash.update($0) } }
    return Hex.encode(hash.finalize { Array($0) })
  }

  /// The first message with another digest or code; nil: there is none.
  static func firstWrong() -> String? {
    for vector in nist where portable([vector.message]) != vector.digest {
      return "“\(vector.text)”, \(vector.count) times"
    }
    for vector in rfc4231 where vector.found != vector.code { return "“\(vector.message)”" }
    return nil
  }
}
