package import LibCrypto
package import MatchInterfaces

extension P256Key {
  /// The first key that random bytes make. Less than one of 2³² attempts makes none; nil if eight do
  /// not.
  package static func made(by randomness: Randomness) -> P256Key? {
    for _ in 0..<8 {
      if let key = P256Key(scalar: randomness.bytes(scalarCount)) { return key }
    }
    return nil
  }
}
