extension Lexicon {
  /// Reads a word list from the bytes of a packed graph, which are checked altogether.
  ///
  /// - Throws: ``LexiconError``, for a text too: it is no packed graph.
  public init(packed bytes: [UInt8]) throws(LexiconError) {
    guard bytes.count <= Self.maximumFileSize else { throw .tooLarge }
    guard !bytes.isEmpty else { throw .empty }
    let (header, graph) = try PackedGraph.unpack(bytes)
    version = header.version
    content = .words(graph, count: header.wordCount)
  }

  /// The bytes of a packed graph, from which the same list can be read, or nil for ``everyWord``.
  public var packed: [UInt8]? {
    guard case .words(let graph, let count) = content else { return nil }
    return PackedGraph.pack(graph, version: version, wordCount: count)
  }

  init(text: [UInt8]) throws(LexiconError) {
    var letters: [UInt8] = []
    letters.reserveCapacity(text.count)
    var words: [Range<Int>] = []
    var number = 0
    var rest = text[...]
    while !rest.isEmpty {
      number += 1
      var line = rest.prefix { $0 != UInt8(ascii: "\n") }
      rest = rest[line.endIndex...].dropFirst()
      if line.last == UInt8(ascii: "\r") {
        line.removeLast()
      }
      guard !line.isEmpty else { continue }
      guard line.count <= Self.maximumWordLength else { throw .lineTooLong(line: number) }
      let start = letters.count
      for byte in line {
        let letter = Self.letterIndex(byte)
        guard letter != Self.notALetter else { throw .notAWord(line: number) }
        letters.append(letter)
      }
      words.append(start..<letters.count)
    }
    guard !words.isEmpty else { throw .empty }
    self.init(kind: "file", words: words.map { letters[$0] })
  }
}
