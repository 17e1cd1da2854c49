public import MatchCore
public import MatchInterfaces
import MatchWire

/// The secret key that can recover a player. It is not kept: a person has its words.
public struct RecoveryKey: Sendable, CustomStringConvertible {
  public let words: RecoveryWords
  let signer: Signer

  public init(_ words: RecoveryWords) {
    guard let signer = Signer.ed25519(seed: words.seed) else {
      preconditionFailure("every 32 bytes are the seed of a key")
    }
    self.words = words
    self.signer = signer
  }

  /// A new key of 128 random bits.
  public static func make(using randomness: Randomness) -> RecoveryKey {
    guard let words = RecoveryWords(entropy: randomness.bytes(RecoveryWords.entropyCount)) else {
      preconditionFailure("these are as many bytes as were asked for")
    }
    return RecoveryKey(words)
  }

  /// The key that verifies.
  public var publicKey: PublicKey { signer.publicKey }

  /// The public key: the words are not for logs.
  public var description: String { "the recovery key \(publicKey)" }
}
