import CubistBasics
package import MatchCore

/// The text of a player's secret key: `cubist-key-1:`, the seed in 64 hexadecimal digits, `:`, a
/// checksum in 8. The text of a later key is `cubist-key-2:`, the seed, `:`, the player's id, `:`, a
/// checksum: the id cannot be derived from it.
package enum KeyText {
  /// What it begins with.
  package static let prefix = "cubist-key-1"
  /// The beginning of the text of a later key.
  package static let laterPrefix = "cubist-key-2"

  /// The text of a seed of 32 bytes; with a player that of a later key.
  package static func encode(_ seed: [UInt8], of player: PlayerID? = nil) -> String {
    let checksum = checksum(of: seed, player)
    guard let player else { return "\(prefix):\(Hex.encode(seed)):\(checksum)" }
    return "\(laterPrefix):\(Hex.encode(seed)):\(player):\(checksum)"
  }

  /// The first four bytes of SHA-256(`cubist/key/1\0` ‖ seed), or of SHA-256(`cubist/key/2\0` ‖
  /// seed ‖ player id).
  package static func checksum(of seed: [UInt8], _ player: PlayerID? = nil) -> String {
    var hash = TaggedHash(player == nil ? "cubist/key/1" : "cubist/key/2")
    hash.update(seed)
    if let player { hash.update(player) }
    return Hex.encode(hash.finalize().bytes.prefix(4))
  }
}
