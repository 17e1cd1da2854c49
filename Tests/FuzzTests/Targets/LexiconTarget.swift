@testable import CubeLexicon

extension FuzzTarget {
  static let lexiconTargets = [
    FuzzTarget(name: "packedLexicon", run: packed), FuzzTarget(name: "textLexicon", run: text),
  ]

  /// Packed graphs: as they come, and with a header and checksum that fit the rest.
  @Sendable private static func packed(_ bytes: [UInt8]) throws {
    if let lexicon = try attempt({ try Lexicon(packed: bytes) }) {
      try hold(lexicon.packed == bytes, "a packed word list has a second form")
      try check(lexicon)
    }
    if let lexicon = try attempt({ try Lexicon(packed: fitted(bytes)) }) { try check(lexicon) }
  }

  /// Word lists as text.
  @Sendable private static func text(_ bytes: [UInt8]) throws {
    guard let lexicon = try attempt({ try Lexicon(text: bytes) }) else { return }
    try check(lexicon)
    let packed = try Lexicon(packed: lexicon.packed ?? [])
    try hold(packed.version == lexicon.version, "a packed word list has another version")
    try hold(Self.count(packed) == Self.count(lexicon), "a packed word list has other words")
  }

  /// Not inlined: Swift 6.3.1 cannot compile the caller with it (CopyPropagation).
  @inline(never)
  private static func count(_ lexicon: Lexicon) -> Int? { lexicon.wordCount }

  /// A graph of few nodes can have more words than anyone can count.
  private static func check(_ lexicon: Lexicon) throws {
    guard let count = Self.count(lexicon), count <= 10_000 else { return }
    var words: [String] = []
    lexicon.forEachWord { words.append($0) }
    try hold(words.count == count, "\(words.count) words where \(count) are stated")
    try hold(words.allSatisfy { lexicon.contains($0) && lexicon.isPrefix($0) }, "a word is missing")
    try hold(zip(words, words.dropFirst()).allSatisfy { $0 < $1 }, "words are out of order")
    try hold(Self.count(Lexicon.only(words)) == count, "the same words make another list")
  }

  /// A number of words, then a graph's units: with the header that belongs to them.
  private static func fitted(_ bytes: [UInt8]) -> [UInt8] {
    var body = Array(bytes.prefix(4))
    body += Array(repeating: 0, count: 4 - body.count)
    let units = Array(bytes.dropFirst(4))
    body += littleEndian(UInt32(units.count / 4))
    let name = Array("fuzz".utf8)
    body += name + repeatElement(0, count: LexiconVersion.maximumLength - name.count)
    body += units.prefix(units.count / 4 * 4)
    return PackedGraph.magic + littleEndian(PackedGraph.format)
      + littleEndian(PackedGraph.checksum(body[...])) + body
  }

  private static func littleEndian(_ number: UInt32) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }
}
