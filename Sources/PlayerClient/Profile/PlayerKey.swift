import CubistBasics
public import MatchCore
public import MatchInterfaces
public import MatchWire

/// The secret key of one player: a seed of 32 bytes that an Ed25519 key is made of (RFC 8032).
///
/// Never printed but by `exported`.
public struct PlayerKey: Hashable, Sendable, CustomStringConvertible {
  /// The 32 secret bytes.
  public let seed: [UInt8]
  /// The player for whom it speaks. The id is derived from it, unless it is a later key.
  public let player: PlayerID
  /// Signs as the player.
  public var signer: Signer { madeSigner }

  private let madeSigner: Signer

  /// The key of a seed; nil unless the seed has 32 bytes.
  ///
  /// - Parameter player: The player of a later key; nil: the player with this first key.
  public init?(seed: [UInt8], player: PlayerID? = nil) {
    guard seed.count == 32, let signer = Signer.ed25519(seed: seed) else { return nil }
    self.seed = seed
    self.player = player ?? PlayerID(firstKey: signer.publicKey)
    madeSigner = signer
  }

  private init(_ key: PlayerKey, player: PlayerID) {
    (seed, madeSigner, self.player) = (key.seed, key.madeSigner, player)
  }

  /// The same key, for a player who has let it in.
  public func speaking(for player: PlayerID) -> PlayerKey { PlayerKey(self, player: player) }

  /// A new key of 256 random bits.
  public static func make(using randomness: Randomness) -> PlayerKey {
    guard let key = PlayerKey(seed: randomness.bytes(32)) else {
      preconditionFailure("every 32 bytes are the seed of a key")
    }
    return key
  }

  /// The key that verifies.
  public var publicKey: PublicKey { madeSigner.publicKey }

  /// Whether the player's id is derived from another key.
  public var isLater: Bool { player != PlayerID(firstKey: publicKey) }

  /// The public key: the secret is not for logs.
  public var description: String { "the secret key of \(publicKey)" }

  /// Keys are equal when their seeds are.
  public static func == (left: PlayerKey, right: PlayerKey) -> Bool { left.seed == right.seed }

  /// Hashes the public key.
  public func hash(into hasher: inout Hasher) { hasher.combine(publicKey) }
}

extension PlayerKey {
  /// The key as one line of text that `init(exported:)` reads: `cubist-key-1:`, the seed in 64
  /// hexadecimal digits, `:`, a checksum in 8. A later key has `cubist-key-2:` and the player's id
  /// in front of the checksum. Anyone with this text can play as the player.
  public var exported: String { KeyText.encode(seed, of: isLater ? player : nil) }

  /// Reads the output of `exported`; white space around it and the case of digits do not matter.
  /// - Throws: `KeyTextError` with the reason.
  public init(exported text: some StringProtocol) throws(KeyTextError) {
    let isSpace: (Character) -> Bool = { $0.isWhitespace }
    let trimmed = text.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
    let parts = String(trimmed).split(separator: ":", omittingEmptySubsequences: false)
    guard let first = parts.first, first.hasPrefix("cubist-key-") else { throw .notAKey }
    let isLater = first == KeyText.laterPrefix
    guard isLater || first == KeyText.prefix else { throw .unsupportedVersion }
    guard parts.count == (isLater ? 4 : 3), let checksum = parts.last else { throw .incomplete }
    guard parts[1].utf8.count == 64, let seed = Hex.decode(parts[1]) else { throw .incomplete }
    let player = isLater ? PlayerID(parts[2].lowercased()) : nil
    guard isLater == (player != nil) else { throw .incomplete }
    guard checksum.lowercased() == KeyText.checksum(of: seed, player),
      let key = PlayerKey(seed: seed, player: player)
    else { throw .checksumMismatch }
    self = key
  }
}

/// Why a text is not an exported key. The text itself is never repeated: it may be most of a
/// secret.
public enum KeyTextError: Error, Hashable, Sendable, CaseIterable, CustomStringConvertible {
  /// It does not begin like a key.
  case notAKey
  /// A version that this build does not read.
  case unsupportedVersion
  /// Something is missing or is not hexadecimal.
  case incomplete
  /// A character is wrong.
  case checksumMismatch

  /// The fault, and its remedy.
  public var description: String {
    switch self {
    case .notAKey:
      "This is not an exported key: it has to begin with \"cubist-key-1:\". Paste the whole line."
    case .unsupportedVersion:
      "The key was exported by a newer program. Update this one, then import it."
    case .incomplete:
      "The exported key is incomplete or has a wrong character. Paste the whole line again."
    case .checksumMismatch:
      "The exported key does not agree with its checksum. Copy it again, character by character."
    }
  }
}
