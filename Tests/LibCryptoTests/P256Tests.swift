import COpenSSL
import CubistBasics
import LibCrypto
import Testing

@Suite("Keys of P-256")
struct P256Tests {
  /// Source: RFC 7515, appendix A.3.
  private enum ES256 {
    static let scalar = "8e9b109e719098bf980487df1f5d77e9cb29606ebed2263b5f57c213df84f4b2"
    static let point =
      "047fcdce2770f6c45d4183cbee6fdb4b7b580733357be9ef13bacf6e3c7bd15445"
      + "c7f144cd1bbd9b7e872cdfedb9eeb9f4b3695d6ea90b24ad8a4623288588e5ad"
    static let message =
      "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxl"
      + "LmNvbS9pc19yb290Ijp0cnVlfQ"
    static let signature =
      "0ed1215379636c483c2f7f155807d402a3b228033af97c7e17819ac3169ea665"
      + "c50a07d38c3c70e5d8f12daf084a5480a66590c5f293509a8f3f7f8a83a354d5"
  }

  private static func bytes(_ text: String) throws -> [UInt8] { try #require(Hex.decode(text)) }

  @Test("A secret number has its public half, and the signature of RFC 7515 is that key's")
  func es256() throws {
    let key = try #require(P256Key(scalar: Self.bytes(ES256.scalar)))
    #expect(try key.publicKey == Self.bytes(ES256.point))
    let known = try #require(P256PublicKey(key.publicKey))
    let (message, signature) = (Array(ES256.message.utf8), try Self.bytes(ES256.signature))
    #expect(known.isValid(signature, of: message))
    #expect(!known.isValid(signature, of: message + [0]))
    for index in signature.indices {
      var changed = signature
      changed[index] ^= 1
      #expect(!known.isValid(changed, of: message))
    }
    for count in [0, 1, 63, 65, 128] {
      let odd = Array((signature + signature).prefix(count))
      #expect(!known.isValid(odd, of: message))
    }
    #expect(!known.isValid([UInt8](repeating: 0, count: 64), of: message))
  }

  @Test("What a key signs, its public half knows and another's does not")
  func signing() throws {
    let key = try #require(P256Key(scalar: Self.bytes(ES256.scalar)))
    let known = try #require(P256PublicKey(key.publicKey))
    let stranger = try #require(P256Key(scalar: [UInt8](repeating: 1, count: 32)))
    let other = try #require(P256PublicKey(stranger.publicKey))
    // Numbers that begin with zeros are as long as all others.
    for length in 0..<600 {
      let message = [UInt8](repeating: 7, count: length)
      let signature = try key.signature(of: message)
      #expect(signature.count == 64)
      #expect(known.isValid(signature, of: message))
      #expect(!other.isValid(signature, of: message))
    }
  }

  /// Source: NIST CAVP, “ECC CDH Primitive”, P-256, counts 0 and 1.
  @Test(
    "Two keys have the secret of NIST's vectors",
    arguments: [
      (
        "7d7dc5f71eb29ddaf80d6214632eeae03d9058af1fb6d22ed80badb62bc1a534",
        "04700c48f77f56584c5cc632ca65640db91b6bacce3a4df6b42ce7cc838833d287"
          + "db71e509e3fd9b060ddb20ba5c51dcc5948d46fbf640dfe0441782cab85fa4ac",
        "46fc62106420ff012e54a434fbdd2d25ccc5852060561e68040dd7778997bd7b"
      ),
      (
        "38f65d6dce47676044d58ce5139582d568f64bb16098d179dbab07741dd5caf5",
        "04809f04289c64348c01515eb03d5ce7ac1a8cb9498f5caa50197e58d43a86a7ae"
          + "b29d84e811197f25eba8f5194092cb6ff440e26d4421011372461f579271cda3",
        "057d636096cb80b67a8c038c890e887d1adfa4195e9b3ce241c8a778c59cda67"
      ),
    ])
  func agreement(scalar: String, point: String, secret: String) throws {
    let key = try #require(P256Key(scalar: Self.bytes(scalar)))
    let other = try #require(P256PublicKey(Self.bytes(point)))
    #expect(try key.sharedSecret(with: other).bytes == Self.bytes(secret))
  }

  @Test(
    "Zero, the order of the curve, more than that, and another length are no keys",
    arguments: [
      "", "00", "01", String(repeating: "00", count: 32), String(repeating: "ff", count: 32),
      "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
      "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632552",
      String(repeating: "01", count: 31), String(repeating: "01", count: 33),
    ])
  func noScalar(text: String) throws { #expect(try P256Key(scalar: Self.bytes(text)) == nil) }

  @Test("The smallest and the largest number are keys")
  func scalars() throws {
    let one = try Self.bytes(String(repeating: "00", count: 31) + "01")
    let last = try Self.bytes(
      "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550")
    let (first, second) = (try #require(P256Key(scalar: one)), try #require(P256Key(scalar: last)))
    // They are the base point and its negative.
    #expect(first.publicKey[..<33] == second.publicKey[..<33])
    #expect(first.publicKey != second.publicKey)
  }

  @Test("A point of another form, length or curve is no public key")
  func noPoint() throws {
    let point = try Self.bytes(ES256.point)
    #expect(P256PublicKey([]) == nil)
    #expect(P256PublicKey([0]) == nil)
    #expect(P256PublicKey(Array(point.dropLast())) == nil)
    #expect(P256PublicKey(point + [0]) == nil)
    // Compressed, and hybrid.
    #expect(P256PublicKey([3] + point[1..<33]) == nil)
    for form: UInt8 in [0, 1, 2, 3, 5, 6, 7, 0xff] {
      #expect(P256PublicKey([form] + point[1...]) == nil)
    }
    for index in 1..<65 {
      var changed = point
      changed[index] ^= 1
      #expect(P256PublicKey(changed) == nil)
    }
  }

  // Failure: LibCryptoError
  @Test("A refused value leaves no complaint for others who use the library in this thread")
  func noComplaint() {
    ERR_clear_error()
    #expect(P256PublicKey([4] + [UInt8](repeating: 1, count: 64)) == nil)
    #expect(P256Key(pem: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n") == nil)
    #expect(P256Key(scalar: [UInt8](repeating: 0xff, count: 32)) == nil)
    #expect(ERR_peek_error() == 0)
  }

  @Test("Many threads sign with one key at once")
  func threads() async throws {
    let key = try #require(P256Key(scalar: Self.bytes(ES256.scalar)))
    let known = try #require(P256PublicKey(key.publicKey))
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<200 {
        group.addTask {
          let message = [UInt8(truncatingIfNeeded: number)]
          return known.isValid(try key.signature(of: message), of: message)
        }
      }
      for try await isValid in group { #expect(isValid) }
    }
  }
}
