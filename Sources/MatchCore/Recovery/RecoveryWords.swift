/// The secret of a recovery key as a person keeps it: 16 bytes as twelve words with a checksum, by
/// BIP-39.
public struct RecoveryWords: Hashable, Sendable, CustomStringConvertible {
  public static let count = 12
  /// The number of secret bytes.
  public static let entropyCount = 16

  /// The secret bytes.
  public let entropy: [UInt8]

  /// Takes 16 random bytes; nil for any other count.
  public init?(entropy: [UInt8]) {
    guard entropy.count == RecoveryWords.entropyCount else { return nil }
    self.entropy = entropy
  }

  /// Takes the words as a person types them: in either case, with any white space between them. The
  /// first four letters of a word are enough.
  public init(typed: some StringProtocol) throws(RecoveryWordsError) {
    let typed = typed.utf8.split { $0 == UInt8(ascii: " ") || (9...13).contains($0) }
    guard typed.count == RecoveryWords.count else { throw .wrongCount(typed.count) }
    var bits = BitWriter()
    for (index, word) in typed.enumerated() {
      let lower = word.map { (65...90).contains($0) ? $0 + 32 : $0 }
      guard let place = RecoveryWordList.place(of: lower) else {
        throw .unknownWord(String(decoding: word, as: UTF8.self), position: index + 1)
      }
      bits.append(place, count: RecoveryWords.bitsPerWord)
    }
    let checksum = bits.rest
    entropy = bits.bytes
    guard checksum == RecoveryWords.checksum(of: entropy) else { throw .wrongChecksum }
  }

  /// The words in their order.
  public var words: [String] {
    var words: [String] = []
    var (value, count) = (0, 0)
    // The checksum's four bits follow the 128 of the secret.
    for byte in entropy + [RecoveryWords.checksum(of: entropy) << 4] {
      (value, count) = (value << 8 | Int(byte), count + 8)
      guard count >= RecoveryWords.bitsPerWord else { continue }
      count -= RecoveryWords.bitsPerWord
      words.append(String(decoding: RecoveryWordList.words[value >> count], as: UTF8.self))
      value &= 1 << count - 1
    }
    return words
  }

  /// SHA-256(`cubist/recoveryKey/1\0` ‖ the 16 bytes): the seed of the Ed25519 key. A wallet that was
  /// made of the same words has another key.
  public var seed: [UInt8] {
    var hash = TaggedHash("cubist/recoveryKey/1")
    hash.update(entropy)
    return hash.finalize().bytes
  }

  /// Not the words: they are not for logs.
  public var description: String { "the words of a recovery key" }

  private static let bitsPerWord = 11

  /// The first four bits of the hash of the secret.
  private static func checksum(of entropy: [UInt8]) -> UInt8 {
    (Hash(sha256Of: entropy).bytes.first ?? 0) >> 4
  }

  private struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var value = 0
    private var count = 0

    /// The bits that fill no byte.
    var rest: UInt8 { UInt8(truncatingIfNeeded: value) }

    mutating func append(_ bits: Int, count added: Int) {
      (value, count) = (value << added | bits, count + added)
      while count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: value >> count))
        value &= 1 << count - 1
      }
    }
  }
}

/// Why a text is not the words of a recovery key.
public enum RecoveryWordsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There are more words, or fewer.
  case wrongCount(Int)
  /// The word at a position, from 1 on, is not on the list.
  case unknownWord(String, position: Int)
  /// Each word is on the list, and together they are no key.
  case wrongChecksum

  /// The fault, and its remedy.
  public var description: String {
    switch self {
    case .wrongCount(let count):
      "A recovery key has \(RecoveryWords.count) words, and these are \(count). Type all of them, "
        + "with spaces between them."
    case .unknownWord(let word, let position):
      "Word \(position), \"\(word)\", is not on the list. Look at what you wrote down, and type all "
        + "words again."
    case .wrongChecksum:
      "The words do not fit together: one of them is another word of the list, or two have changed "
        + "places. Look at what you wrote down, and type all words again."
    }
  }
}
