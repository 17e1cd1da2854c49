import Crypto
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

  @Test("Messages of every length, in two pieces cut anywhere, have swift-crypto's digest")
  func pieces() {
    let message = (0..<200).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
    for count in message.indices {
      let whole = Array(message[..<count])
      let digest = Hex.encode(Array(SHA256.hash(data: whole)))
      for cut in stride(from: 0, through: count, by: 7) {
        let found = HashVectors.portable([Array(whole[..<cut]), Array(whole[cut...])])
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

  @Test("RFC 4231's codes come out", arguments: HashVectors.rfc4231)
  func codes(vector: HashVectors.Code) { #expect(vector.found == vector.code) }
}
