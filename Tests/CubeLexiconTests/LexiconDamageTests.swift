import CubeLexicon
import CubeRules
import Testing

@Suite("Damaged word graphs")
struct LexiconDamageTests {
  /// AB, with a valid end.
  private static let units = [Head.letters("A"), 2, Head.letters("B"), 4, Head.endOfWord]

  private static func refusal(_ bytes: [UInt8]) -> LexiconError? {
    do {
      _ = try Lexicon(packed: bytes)
      return nil
    } catch {
      return error
    }
  }

  @Test("The graph that the damaged ones are made from is sound")
  func sound() {
    #expect(Self.refusal(PackedFile(wordCount: 1, units: Self.units).bytes) == nil)
  }

  @Test("A header that does not fit is refused")
  func headers() {
    let file = PackedFile(wordCount: 1, units: Self.units)
    var other = file
    other.format = 2
    #expect(Self.refusal(other.bytes) == .unknownFormat(2))
    for name in ["", "Capital", "a b", "a\u{0}b", "\u{0}a"] {
      other = file
      other.name = Array(name.utf8)
      #expect(Self.refusal(other.bytes) == .badVersion, "\(name)")
    }
    for count: UInt32 in [0, 4, 6, .max, 0x4000_0005] {
      other = file
      other.statedUnitCount = count
      #expect(Self.refusal(other.bytes) == .truncated, "\(count)")
    }
  }

  @Test("A graph cut off anywhere or with bytes too many is refused")
  func cut() {
    let bytes = PackedFile(wordCount: 1, units: Self.units).bytes
    for count in bytes.indices {
      let error: LexiconError = count == 0 ? .empty : count < 8 ? .notPacked : .truncated
      #expect(Self.refusal(Array(bytes.prefix(count))) == error, "\(count) bytes")
    }
    for extra in 1...5 {
      #expect(Self.refusal(bytes + [UInt8](repeating: 0, count: extra)) == .truncated)
    }
  }

  @Test("A wrong magic is taken for a text and refused as that")
  func magic() throws {
    var file = PackedFile(wordCount: 1, units: Self.units)
    file.magic[0] = UInt8(ascii: "c")
    try withFile(file.bytes) { path in
      #expect(throws: LexiconError.notAWord(line: 1)) { try Lexicon.file(path) }
    }
    #expect(Self.refusal(file.bytes) == .notPacked)
  }

  @Test("A changed bit anywhere after the checksum is noticed by it")
  func checksum() {
    let bytes = PackedFile(wordCount: 1, units: Self.units).bytes
    // The stated number of units and the name are looked at before the checksum.
    for index in [12, 15, 16, 19] + Array(64..<bytes.count) {
      for bit in 0..<8 {
        var changed = bytes
        changed[index] ^= 1 << UInt8(bit)
        #expect(Self.refusal(changed) == .checksumMismatch)
      }
    }
  }

  @Test(
    "A graph with a right checksum and wrong nodes is refused with the place",
    arguments: [
      ([], 0, .endsInNode, 0),
      ([Head.letters("AB"), 2], 1, .endsInNode, 2),
      ([Head.letters("A") | 1 << 27, 2, Head.endOfWord], 1, .unknownBits, 0),
      ([Head.letters("A"), 2, Head.endOfWord | 1 << 31], 1, .unknownBits, 2),
      ([Head.letters("A"), 3, Head.endOfWord], 1, .arcOutOfRange, 1),
      ([Head.letters("A"), .max, Head.endOfWord], 1, .arcOutOfRange, 1),
      ([Head.letters("A"), 0], 1, .arcBackward, 1),
      ([Head.letters("A"), 2, Head.letters("A") | Head.endOfWord, 2], 1, .arcBackward, 3),
      ([Head.letters("A"), 1, Head.endOfWord], 1, .arcIntoNode, 1),
      ([Head.letters("A"), 3, Head.letters("A"), 4, Head.endOfWord], 1, .arcIntoNode, 1),
      ([Head.letters("A"), 2, Head.endOfWord, Head.endOfWord], 1, .unreachable, 3),
      ([Head.letters("A"), 2, 0], 0, .deadEnd, 2),
      ([Head.endOfWord], 1, .emptyWord, 0),
      ([Head.letters("A") | Head.endOfWord, 2, Head.endOfWord], 2, .emptyWord, 0),
      ([Head.letters("A"), 2, Head.endOfWord], 2, .wrongWordCount, 0),
      ([Head.letters("A"), 2, Head.endOfWord], 0, .wrongWordCount, 0),
    ] as [([UInt32], UInt32, LexiconError.GraphFault, Int)])
  func faults(units: [UInt32], words: UInt32, fault: LexiconError.GraphFault, unit: Int) {
    let file = PackedFile(wordCount: words, units: units)
    #expect(Self.refusal(file.bytes) == .damaged(fault, unit: unit))
  }

  @Test("A packed graph without words is refused as empty")
  func empty() {
    #expect(Self.refusal(PackedFile(wordCount: 0, units: [0]).bytes) == .empty)
  }

  @Test("A graph of more words than can be counted, or of too long words, is refused")
  func endless() {
    // Two arcs from each node to the next double the number of words with each letter.
    var units: [UInt32] = []
    for _ in 0..<100 {
      let next = UInt32(units.count + 3)
      units += [Head.letters("AB"), next, next]
    }
    #expect(
      Self.refusal(PackedFile(wordCount: 1, units: units + [Head.endOfWord]).bytes)
        == .damaged(.wrongWordCount, unit: 3 * 37))
    units = []
    for _ in 0..<163 {
      units += [Head.letters("A"), UInt32(units.count + 2)]
    }
    units += [Head.endOfWord]
    #expect(
      Self.refusal(PackedFile(wordCount: 1, units: units).bytes) == .damaged(.wordTooLong, unit: 0))
  }

  @Test(
    "Graphs damaged at random under a right checksum are refused or usable, and never crash",
    arguments: 1...4 as ClosedRange<UInt64>)
  func randomDamage(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let puzzle = Puzzle.candidate(0, seed: seed)
    let words = Repository.words.shuffled(using: &generator).prefix(40)
    let packed = try #require(Lexicon.only(words).packed)
    let units = stride(from: 64, to: packed.count, by: 4).map { offset in
      (0..<4).reduce(UInt32(0)) { $0 | UInt32(packed[offset + $1]) << UInt32(8 * $1) }
    }
    var refused = 0
    for _ in 0..<150 {
      var damaged = units
      for _ in 0..<Int.random(in: 1...2, using: &generator) {
        let index = damaged.indices.randomElement(using: &generator) ?? 0
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: damaged[index] ^= 1 << UInt32.random(in: 0..<28, using: &generator)
        case 1: damaged[index] = UInt32.random(in: 0..<UInt32(units.count), using: &generator)
        default: damaged[index] = damaged[damaged.indices.randomElement(using: &generator) ?? 0]
        }
      }
      guard let lexicon = Self.usable(damaged, wordCounts: 36...44) else {
        refused += 1
        continue
      }
      var listed = 0
      lexicon.forEachWord { word in
        listed += 1
        #expect(lexicon.contains(word), "seed \(seed)")
      }
      #expect(listed == lexicon.wordCount, "seed \(seed)")
      _ = lexicon.words(on: CubeGame(puzzle: puzzle))
    }
    // Some of both, or the seed shows little.
    #expect(50..<150 ~= refused, "seed \(seed): \(refused) refused")
  }

  /// The list that units make under one of some word counts, or nil where they make none.
  private static func usable(_ units: [UInt32], wordCounts: ClosedRange<UInt32>) -> Lexicon? {
    for count in wordCounts {
      do {
        return try Lexicon(packed: PackedFile(wordCount: count, units: units).bytes)
      } catch .damaged(.wrongWordCount, _) {
        continue
      } catch {
        return nil
      }
    }
    return nil
  }

  @Test(
    "Bytes damaged at random are refused and never crash", arguments: 1...4 as ClosedRange<UInt64>)
  func randomBytes(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let packed = try #require(Lexicon.only(Repository.words.prefix(30)).packed)
    for _ in 0..<100 {
      var bytes = packed
      let index = bytes.indices.randomElement(using: &generator) ?? 0
      bytes[index] ^= UInt8.random(in: 1...255, using: &generator)
      #expect(Self.refusal(bytes) != nil, "seed \(seed): byte \(index)")
      bytes.removeLast(Int.random(in: 1...bytes.count, using: &generator))
      #expect(Self.refusal(bytes) != nil, "seed \(seed)")
    }
  }
}
