import CubistBasics
import MatchCore

/// The text of a player's secret key: `cubist-key-1:`, the seed in 64 hexadecimal digits, `:`, a
/// checksum in 8.
package enum KeyText {
  /// What it begins with.
  package static let prefix = "cubist-key-1"

  /// The text of a seed of 32 bytes.
  package static func encode(_ seed: [UInt8]) -> String {
    "\(prefix):\(Hex.encode(seed)):\(checksum(of: seed))"
  }

  /// The first four bytes of SHA-256(`cubist/key/1\0` ‖ seed).
  package static func checksum(of seed: [UInt8]) -> String {
    var hash = TaggedHash("cubist/key/1")
    hash.update(seed)
    return Hex.encode(hash.finalize().bytes.prefix(4))
  }
}
