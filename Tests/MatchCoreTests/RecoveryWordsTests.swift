import CubistBasics
import CustomDump
import MatchCore
import Testing

@Suite("Words of a recovery key")
struct RecoveryWordsTests {
  @Test("The vectors of BIP-39 are written and read", arguments: RecoveryVectors.bip39)
  func bip39(entropy: String, text: String) throws {
    let bytes = try #require(Hex.decode(entropy))
    let words = try #require(RecoveryWords(entropy: bytes))
    expectNoDifference(words.words.joined(separator: " "), text)
    #expect(try RecoveryWords(typed: text) == words)
  }

  @Test("The list is BIP-39's: each word is in its place, and four letters are enough")
  func list() throws {
    var places: [String] = []
    for place in 0..<2_048 {
      // The first word has the first eleven bits.
      let start = [UInt8(place >> 3), UInt8(place & 7) << 5] + [UInt8](repeating: 0, count: 14)
      let words = try #require(RecoveryWords(entropy: start))
      places.append(words.words[0])
      let short = words.words.map { $0.prefix(4) }.joined(separator: " ")
      #expect(try RecoveryWords(typed: short) == words)
    }
    let text = places.map { $0 + "\n" }.joined()
    #expect(
      Hash(sha256Of: Array(text.utf8)).description
        == "2f5eed53a4727b4bf8880d8f3f199efc90e58503646d9ff8eff3a2ed3b24dbda")
  }

  @Test("Upper case, line ends and more spaces are read; fewer than four letters are not")
  func typed() throws {
    let words = try RecoveryWords(typed: RecoveryVectors.bip39[6].1)
    #expect(
      try RecoveryWords(
        typed: "  Cat SWIN flag\teconom stad  alon\nchur spee uniq patc repo trai\n")
        == words)
    #expect(throws: RecoveryWordsError.unknownWord("swi", position: 2)) {
      try RecoveryWords(
        typed: "cat swi flag economy stadium alone churn speed unique patch report train")
    }
  }

  // Failure: RecoveryWordsError.wrongCount: There are more words than twelve, or fewer.
  // Failure: RecoveryWordsError.unknownWord: A word is not on the list. The error names it and its
  //   position.
  // Failure: RecoveryWordsError.wrongChecksum: Each word is on the list, but another one was
  //   written down, or two have changed places.
  @Test("A mistake is named: the number of words, a word with its place, or the checksum")
  func faults() {
    let right = RecoveryVectors.bip39[6].1
    #expect(throws: RecoveryWordsError.wrongCount(0)) { try RecoveryWords(typed: " ") }
    #expect(throws: RecoveryWordsError.wrongCount(13)) { try RecoveryWords(typed: right + " cat") }
    #expect(throws: RecoveryWordsError.unknownWord("Chürn", position: 7)) {
      try RecoveryWords(typed: right.replacing("churn", with: "Chürn"))
    }
    #expect(throws: RecoveryWordsError.unknownWord("cats", position: 1)) {
      try RecoveryWords(typed: right.replacing("cat ", with: "cats "))
    }
    #expect(throws: RecoveryWordsError.wrongChecksum) {
      try RecoveryWords(typed: right.replacing("train", with: "zoo"))
    }
    expectNoDifference(
      "\(RecoveryWordsError.unknownWord("cats", position: 1))",
      "Word 1, \"cats\", is not on the list. Look at what you wrote down, and type all words again."
    )
    #expect("\(RecoveryWordsError.wrongCount(11))".contains("12 words, and these are 11"))
    #expect("\(RecoveryWordsError.wrongChecksum)".contains("do not fit together"))
  }

  @Test("Any other number of bytes is no secret")
  func count() {
    #expect(RecoveryWords(entropy: [UInt8](repeating: 1, count: 15)) == nil)
    #expect(RecoveryWords(entropy: [UInt8](repeating: 1, count: 32)) == nil)
  }

  @Test("The key's seed is a hash of the secret with a tag of its own, and no text shows the words")
  func seed() throws {
    let words = try RecoveryWords(typed: RecoveryVectors.bip39[1].1)
    let tagged = Array("cubist/recoveryKey/1".utf8) + [0] + words.entropy
    #expect(words.seed == Hash(sha256Of: tagged).bytes)
    #expect("\(words)" == "the words of a recovery key")
  }
}
