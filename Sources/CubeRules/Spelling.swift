/// The upper-case characters that a word move spells, `QU` as two, kept without heap allocation.
///
/// A collection of positions in the alphabet, 0 for A to 25 for Z; at most 162 of them, the number
/// that 81 faces `QU` spell.
public struct Spelling: Hashable, Sendable, CustomStringConvertible {
  /// Twelve letters a chunk, 5 bits each from the lowest on, 1 for A to 26 for Z and 0 for none.
  ///
  /// Two flags above them tell the chunks of a long word from a short word; see `SpellingChunk`.
  private var chunks: InlineArray<14, UInt64>
  private var length: UInt8

  /// The greatest number of characters that a word move can spell: 162.
  public static let countLimit = 162

  /// No characters.
  public init() {
    chunks = InlineArray(repeating: 0)
    length = 0
  }

  /// The spelling of a word of characters `A`...`Z`.
  ///
  /// Any other character and more than ``countLimit`` of them yield nil.
  public init?(_ word: String) {
    self.init()
    for ascii in word.utf8 {
      guard length < Self.countLimit, let letter = Letter(ascii: ascii) else { return nil }
      append(letter.rawValue)
    }
  }

  /// The characters spelled.
  public var description: String {
    String(decoding: map { UInt8(ascii: "A") + $0 }, as: UTF8.self)
  }

  /// Spellings are equal when they have the same characters.
  public static func == (lhs: Spelling, rhs: Spelling) -> Bool {
    lhs.length == rhs.length
      && (0..<lhs.chunkCount).allSatisfy { lhs.chunks[$0] == rhs.chunks[$0] }
  }

  /// Hashes all characters.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(length)
    for index in 0..<chunkCount {
      hasher.combine(chunks[index])
    }
  }
}

extension Spelling: RandomAccessCollection {
  /// The position of the first character: 0.
  public var startIndex: Int { 0 }

  /// The position after the last character, which is the count.
  public var endIndex: Int { Int(length) }

  /// How many characters the spelling has, `QU` counting as two.
  public var count: Int { Int(length) }

  /// The place in the alphabet of the character at a position: 0 for A to 25 for Z.
  public subscript(position: Int) -> UInt8 {
    precondition(0..<count ~= position, "a position of a spelling is below its count")
    let (chunk, place) = position.quotientAndRemainder(dividingBy: SpellingChunk.capacity)
    return SpellingChunk.letter(at: place, in: chunks[chunk]) - 1
  }
}

extension Spelling {
  /// How many chunks the characters fill.
  var chunkCount: Int {
    (count + SpellingChunk.capacity - 1) / SpellingChunk.capacity
  }

  /// One chunk, as a game keeps it among its used words.
  func chunk(_ index: Int) -> UInt64 { chunks[index] }

  /// Adds the character at a place of the alphabet, 0...25.
  mutating func append(_ letter: UInt8) {
    precondition(count < Self.countLimit, "a spelling has at most 162 characters")
    let (chunk, place) = count.quotientAndRemainder(dividingBy: SpellingChunk.capacity)
    if place == 0, chunk > 0 {
      chunks[chunk - 1] |= SpellingChunk.continues
      chunks[chunk] = SpellingChunk.continuation
    }
    chunks[chunk] |= UInt64(letter + 1) &<< UInt64(5 * place)
    length += 1
  }

  /// Adds the one or two characters of a letter.
  mutating func append(_ letter: Letter) {
    append(letter.rawValue)
    if letter == .q {
      append(Letter.u.rawValue)
    }
  }
}

/// The layout of one of the 64-bit chunks that spellings and used words are packed into.
enum SpellingChunk {
  /// How many letters a chunk holds.
  static let capacity = 12

  /// The flag of a chunk that another chunk of the same word follows.
  static let continues: UInt64 = 1 << 60

  /// The flag of a chunk that is not the first of its word.
  static let continuation: UInt64 = 1 << 61

  /// The letter at a place 0..<12: 1 for A to 26 for Z, or 0 for none.
  static func letter(at place: Int, in chunk: UInt64) -> UInt8 {
    UInt8(truncatingIfNeeded: chunk &>> UInt64(5 * place) & 31)
  }
}
