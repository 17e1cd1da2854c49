import CubePlay
import MatchCore

/// The making of recovery words. Each secret stays for one step alone.
enum WordsMaking {
  case none
  /// The page has given random bytes.
  case begun([UInt8])
  /// The page is to find the public half of the key of these words.
  case made(RecoveryWords)

  /// The secret half of the key, from which the page finds the public one.
  var seed: [UInt8]? { if case .made(let words) = self { words.seed } else { nil } }
}

extension ServiceWorld {
  mutating func carryOut(_ recovery: RecoveryEffect, _ effect: GameEffect) -> [GameAction] {
    switch recovery {
    case .makeWords:
      guard case .begun(let entropy) = making, let words = RecoveryWords(entropy: entropy) else {
        return effect.failed(.said("No words could be made. Try again."))
      }
      making = .made(words)
    case .name(let text):
      guard let key = PublicKey(text) else { return effect.failed(.said("That is no key.")) }
      tell(.recoveryKeyNamed(key), for: effect)
    case .object(let text):
      guard let recovery = EventID(text) else {
        return effect.failed(.said("There is no such recovery."))
      }
      tell(.recoveryObjected(recovery), for: effect)
    }
    return []
  }

  /// Takes the public half of the key of the new words, as text. The words are forgotten here.
  mutating func takeWordsKey(_ text: String) -> [GameAction] {
    guard case .made(let words) = making else { return [] }
    making = .none
    guard let key = PublicKey(text) else {
      let fault = "This browser makes no key of words. Make them on a terminal: cubist key words."
      return [.menu(.keys(.recovery(.notMade(fault))))]
    }
    let sheet = RecoverySheet(
      words: words.words, asked: Self.places(for: key), key: key.description)
    return [.menu(.keys(.recovery(.made(sheet))))]
  }

  /// The places of three words, by the digits of a public key: it tells nothing of the words.
  private static func places(for key: PublicKey) -> [Int] {
    var places = Array(0..<RecoveryWords.count)
    for byte in key.bytes.prefix(RecoveryWords.count - askedCount) {
      places.remove(at: Int(byte) % places.count)
    }
    return places
  }

  /// How many of the words are asked for.
  private static let askedCount = 3
}
