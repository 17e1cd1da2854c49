import CubeLexicon
import CubeRules
import CubistBasics
import Testing

@Suite("Damaged word graphs")
struct LexiconDamageTests {
  /// AB: the root has place 0, the second node place 1, and nothing is in between.
  private static let units = [Unit.arc("A", to: 1), 0, Unit.end("B")]

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

  // Failure: LexiconError.unknownFormat: The graph has another format.
  // Failure: LexiconError.badVersion: The name of the version is not allowed.
  @Test("A header that does not fit is refused")
  func headers() {
    let file = PackedFile(wordCount: 1, units: Self.units)
    var other = file
    for format: UInt32 in [1, 3] {
      other.format = format
      #expect(Self.refusal(other.bytes) == .unknownFormat(format))
    }
    for name in ["", "Capital", "a b", "a\u{0}b", "\u{0}a"] {
      other = file
      other.name = Array(name.utf8)
      #expect(Self.refusal(other.bytes) == .badVersion, "\(name)")
    }
    for count: UInt32 in [0, 2, 4, .max, 0x4000_0003] {
      other = file
      other.statedUnitCount = count
      #expect(Self.refusal(other.bytes) == .truncated, "\(count)")
    }
  }

  // Failure: LexiconError.notPacked: The file is not a packed graph.
  // Failure: LexiconError.truncated: The graph is cut off.
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

  // Failure: LexiconError.checksumMismatch: A bit is wrong.
  @Test("A changed bit anywhere after the checksum is noticed by it")
  func checksum() {
    let bytes = PackedFile(wordCount: 1, units: Self.units).bytes
    // The stated number of units and the name are checked before the checksum.
    for index in [12, 15, 16, 19] + Array(64..<bytes.count) {
      for bit in 0..<8 {
        var changed = bytes
        changed[index] ^= 1 << UInt8(bit)
        #expect(Self.refusal(changed) == .checksumMismatch)
      }
    }
  }

  // Failure: LexiconError.damaged: The checksum is right, and the graph is wrong.
  @Test(
    "A graph with a right checksum and wrong nodes is refused with the place",
    arguments: [
      ([], 1, .wrongWordCount, 0),
      ([Unit.end("A"), 32], 1, .unknownBits, 1),
      ([Unit.end("A"), 1 << 6], 1, .unknownBits, 1),
      ([Unit.end("["), 0], 1, .unknownBits, 0),
      ([Unit.arc("A", to: 1), 31], 1, .unknownBits, 1),
      ([Unit.arc("A", to: 3), 0, Unit.end("B")], 1, .arcOutOfRange, 0),
      ([Unit.arc("A", to: 1 << 26 - 1), 0, Unit.end("B")], 1, .arcOutOfRange, 0),
      ([Unit.arc("A", to: 1), 0, Unit.end("B", to: 2)], 1, .arcBackward, 2),
      ([Unit.arc("A", to: 1), 0, Unit.end("B", to: 1)], 1, .arcBackward, 2),
      ([Unit.arc("A", to: 2), 0, Unit.end("B")], 1, .arcToNothing, 0),
      ([Unit.end("A"), 0, Unit.end("B")], 2, .unreachable, 2),
      ([Unit.end("A"), Unit.end("C")], 2, .unreachable, 1),
      ([Unit.arc("A", to: 1), 0, Unit.arc("B", to: 0)], 0, .deadEnd, 2),
      (units, 2, .wrongWordCount, 0),
      (units, 0, .wrongWordCount, 0),
    ] as [([UInt32], UInt32, LexiconError.GraphFault, Int)])
  func faults(units: [UInt32], words: UInt32, fault: LexiconError.GraphFault, unit: Int) {
    let file = PackedFile(wordCount: words, units: units)
    #expect(Self.refusal(file.bytes) == .damaged(fault, unit: unit))
  }

  // Failure: LexiconError.empty: The list has no words.
  @Test("A packed graph without words is refused as empty")
  func empty() {
    #expect(Self.refusal(PackedFile(wordCount: 0, units: []).bytes) == .empty)
    #expect(Self.refusal(PackedFile(wordCount: 0, units: [0, 0]).bytes) == .empty)
  }

  @Test("A graph of more words than can be counted, or of too long words, is refused")
  func endless() {
    // Two arcs from each node to the next double the number of words with each letter.
    var units: [UInt32] = []
    for _ in 0..<100 {
      let next = UInt32(units.count + 2)
      units += [Unit.arc("A", to: next), Unit.arc("B", to: next)]
    }
    units.append(Unit.end("A"))
    #expect(
      Self.refusal(PackedFile(wordCount: 1, units: units).bytes)
        == .damaged(.wrongWordCount, unit: 2 * 37))
    units = (1..<163).map { Unit.arc("A", to: $0) } + [Unit.end("A")]
    #expect(
      Self.refusal(PackedFile(wordCount: 1, units: units).bytes) == .damaged(.wordTooLong, unit: 0))
  }

  @Test(
    "Graphs damaged at random under a right checksum are refused or usable, and never crash",
    arguments: 1...4 as ClosedRange<UInt64>)
  func randomDamage(seed: UInt64) throws {
    var generator = SplitMix64(state: seed)
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
        let other = damaged[damaged.indices.randomElement(using: &generator) ?? 0]
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: damaged[index] ^= 1 << UInt32.random(in: 0..<32, using: &generator)
        case 1: damaged[index] ^= Unit.end("@")
        case 2: damaged[index] = UInt32.random(in: 0..<UInt32(units.count), using: &generator)
        case 3: damaged[index] = other
        default: damaged[index] = damaged[index] & 63 | other & ~63
        }
      }
      guard let lexicon = Self.usable(damaged, wordCounts: 30...60) else {
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
    // A seed shows little without some of both outcomes.
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
    var generator = SplitMix64(state: seed)
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
