/// HMAC with SHA-256.
///
/// Source: RFC 2104.
package enum HMACSHA256 {
  /// The 32 bytes of the code of a message under a key.
  package static func code(for message: [UInt8], key: [UInt8]) -> [UInt8] {
    let short = key.count > 64 ? digest(key) : key
    let padded = short + Array(repeating: 0, count: 64 - short.count)
    let inner = digest(padded.map { $0 ^ 0x36 }, message)
    return digest(padded.map { $0 ^ 0x5c }, inner)
  }

  private static func digest(_ pieces: [UInt8]...) -> [UInt8] {
    var hash = SHA256Hasher()
    for piece in pieces { piece.withUnsafeBytes { hash.update($0) } }
    return hash.finalize { Array($0) }
  }
}
