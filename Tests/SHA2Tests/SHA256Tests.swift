import CubistBasics
import SHA2
import Testing

@Suite("SHA-256")
struct SHA256Tests {
  @Test("NIST's vectors come out, by either implementation", arguments: HashVectors.nist)
  func nist(vector: HashVectors.Digest) {
    let bytes = vector.message
    #expect(HashVectors.portable([bytes]) == vector.digest)
    var hash = SHA256Hasher()
    bytes.withUnsafeBytes { hash.update($0) }
    #expect(Hex.encode(hash.finalize { Array($0) }) == vector.digest)
  }

  @Test("Messages of every length, in two pieces cut anywhere, have the library's digest")
  func pieces() {
    let message = (0..<200).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
    for count in message.indices {
      let whole = Array(message[..<count])
      let digest = Self.digest(whole)
      for cut in stride(from: 0, through: count, by: 7) {
        let found = HashVectors.portable([Array(whole[..<cut]), Array(whole[cut...])])
        #expect(found == digest, "\(cut) of \(count)")
        var hash = SHA256Hasher()
        whole[..<cut].withUnsafeBytes { hash.update($0) }
        whole[cut...].withUnsafeBytes { hash.update($0) }
        #expect(hash.finalize { Hex.encode(Array($0)) } == digest, "\(cut) of \(count)")
      }
    }
  }

  @Test("A digest can be taken, and more bytes follow")
  func goingOn() {
    var hash = PortableSHA256()
    Array("ab".utf8).withUnsafeBytes { hash.update($0) }
    #expect(hash.finalize { Hex.encode(Array($0)) } == Self.digest(Array("ab".utf8)))
    Array("c".utf8).withUnsafeBytes { hash.update($0) }
    #expect(hash.finalize { Hex.encode(Array($0)) } == Self.digest(Array("abc".utf8)))
    var other = SHA256Hasher()
    Array("ab".utf8).withUnsafeBytes { other.update($0) }
    let copy = other
    Array("c".utf8).withUnsafeBytes { other.update($0) }
    #expect(copy.finalize { Hex.encode(Array($0)) } == Self.digest(Array("ab".utf8)))
    #expect(other.finalize { Hex.encode(Array($0)) } == Self.digest(Array("abc".utf8)))
  }

  /// By the library.
  private static func digest(_ message: [UInt8]) -> String {
    var hash = SHA256Hasher()
    message.withUnsafeBytes { hash.update($0) }
    return hash.finalize { Hex.encode(Array($0)) }
  }

  @Test("RFC 4231's codes come out", arguments: HashVectors.rfc4231)
  func codes(vector: HashVectors.Code) { #expect(vector.found == vector.code) }
}
