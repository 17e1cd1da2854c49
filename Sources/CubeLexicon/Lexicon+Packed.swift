internal import Glibc

extension Lexicon {
  /// Reads a word list from a file: a packed graph, or plain text with one word on each line.
  ///
  /// A packed graph names its version; that of a text is `file-` and a hash of its words. The file
  /// is read into memory once, so that nothing written to it later is seen. In a text, words may
  /// come in any order, twice and in either case; blank lines and a carriage return at the end of a
  /// line are skipped. ``maximumFileSize`` bounds the file, ``maximumWordLength`` each line.
  ///
  /// - Throws: ``LexiconError`` for whatever is not such a file.
  public static func file(_ path: String) throws(LexiconError) -> Lexicon {
    let bytes = try readFile(path)
    return PackedGraph.isPacked(bytes) ? try Lexicon(packed: bytes) : try Lexicon(text: bytes)
  }

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

  private static func readFile(_ path: String) throws(LexiconError) -> [UInt8] {
    // Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw unreadable(path) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw unreadable(path) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: path) }
    guard status.st_size <= maximumFileSize else { throw .tooLarge }
    // One byte more than there should be, to see the end even where the file is growing.
    let wanted = Int(status.st_size) + 1
    var failed = false
    let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
      while count < wanted {
        let got = read(descriptor, buffer.baseAddress.map { $0 + count }, wanted - count)
        if got < 0, errno == EINTR { continue }
        failed = got < 0
        guard got > 0 else { break }
        count += got
      }
    }
    guard !failed else { throw unreadable(path) }
    guard bytes.count < wanted else { throw .tooLarge }
    return bytes
  }

  private static func unreadable(_ path: String) -> LexiconError {
    let reason = strerror(errno).map { String(cString: $0) } ?? "unknown"
    return .unreadable(path: path, reason: reason)
  }
}
