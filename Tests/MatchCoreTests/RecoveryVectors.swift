import CubistBasics
import MatchCore

// deploy/wasm compiles this file too: the page makes recovery words.

enum RecoveryVectors {
  /// The secrets of 128 bits that BIP-39 names, and their words.
  static let bip39 = [
    (
      "00000000000000000000000000000000",
      "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about"
    ),
    (
      "7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f",
      "legal winner thank year wave sausage worth useful legal winner thank yellow"
    ),
    (
      "80808080808080808080808080808080",
      "letter advice cage absurd amount doctor acoustic avoid letter advice cage above"
    ),
    (
      "ffffffffffffffffffffffffffffffff",
      "zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo wrong"
    ),
    (
      "9e885d952ad362caeb4efe34a8e91bd2",
      "ozone drill grab fiber curtain grace pudding thank cruise elder eight picnic"
    ),
    (
      "c0ba5a8e914111210f2bd131f3d5e08d",
      "scheme spot photo card baby mountain device kick cradle pact join borrow"
    ),
    (
      "23db8160a31d3e0dca3688ed941adbf3",
      "cat swing flag economy stadium alone churn speed unique patch report train"
    ),
    (
      "f30f8c1da665478f49b001d94c5fc452",
      "vessel ladder alter error federal sibling chat ability sun glass valve picture"
    ),
  ]

  /// The first secret whose words are written or read otherwise; nil: there is none.
  static func firstWrong() -> String? {
    for (entropy, text) in bip39 {
      guard let words = Hex.decode(entropy).flatMap({ RecoveryWords(entropy: $0) }),
        words.words.joined(separator: " ") == text, (try? RecoveryWords(typed: text)) == words
      else { return "the words of \(entropy)" }
    }
    return nil
  }
}
