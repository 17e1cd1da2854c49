internal import CEmbedded
public import CubeRules

/// A list of words that a match is played with, known by its version.
///
/// A copy is as cheap as a reference, and lookups allocate nothing.
public struct Lexicon: WordList, Sendable {
  /// The most letters that a word of a list can have: no spelling has more.
  public static let maximumWordLength = Spelling.countLimit

  /// The largest word list that is read, in bytes: 16 MiB.
  public static let maximumFileSize = 1 << 24

  /// The name that matches pin.
  public let version: LexiconVersion

  let content: Content

  enum Content: Sendable {
    case everyWord
    case words(WordGraph, count: Int)
  }
}

extension Lexicon {
  /// The English words that travel inside the binary, read where they are.
  ///
  /// They are not checked again at every start: the tests compare them with the word list.
  public static let english: Lexicon = {
    let bytes = UnsafeRawBufferPointer(
      start: cubist_english_lexicon, count: cubist_english_lexicon_size)
    let units = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(PackedGraph.headerSize))
      .bindMemory(to: UInt32.self)
    guard
      let header = try? PackedGraph.header(bytes),
      header.unitCount == units.count
    else { preconditionFailure("the build embeds an english.lexicon that it does not know") }
    return Lexicon(
      version: header.version,
      content: .words(WordGraph(permanent: units), count: header.wordCount))
  }()

  /// Every spelling of three or more letters.
  public static let everyWord = Lexicon(version: .everyWord, content: .everyWord)

  /// Exactly the words of a sequence, in either case; its version tells the words.
  ///
  /// Strings that no spelling can equal are left out: the empty one, any with a character other
  /// than a letter A to Z, and any of more than ``maximumWordLength`` letters.
  public static func only(_ words: some Sequence<String>) -> Lexicon {
    let letters = words.compactMap { word -> ArraySlice<UInt8>? in
      let letters = word.utf8.map(letterIndex)
      let isWord = letters.count <= maximumWordLength && !letters.contains(notALetter)
      return isWord ? letters[...] : nil
    }
    return Lexicon(kind: "only", words: letters)
  }

  init(kind: StaticString, words: [ArraySlice<UInt8>]) {
    let (units, count) = WordGraphBuilder.build(words)
    let graph = WordGraph(copying: units)
    version = LexiconVersion(kind: kind, hash: graph.contentHash)
    content = .words(graph, count: count)
  }
}

extension Lexicon {
  /// How many words the list has, or nil for ``everyWord``.
  public var wordCount: Int? {
    switch content {
    case .everyWord: nil
    case .words(_, let count): count
    }
  }

  /// Whether a spelling is one of the words.
  public func contains(_ spelling: Spelling) -> Bool {
    switch content {
    case .everyWord: spelling.count >= 3
    case .words(let graph, _): graph.arcAfter(spelling)?.endsWord ?? false
    }
  }

  /// Whether a string, in either case, is one of the words.
  public func contains(_ word: String) -> Bool {
    switch content {
    case .everyWord: word.utf8.count >= 3 && Self.isSpelling(word)
    case .words(let graph, _): graph.arcAfter(word)?.endsWord ?? false
    }
  }

  /// Whether at least one of the words begins with a string, in either case.
  ///
  /// A word begins with itself, and every word with the empty string.
  public func isPrefix(_ prefix: String) -> Bool {
    switch content {
    case .everyWord: Self.isSpelling(prefix)
    case .words(let graph, let count): count > 0 && graph.arcAfter(prefix) != nil
    }
  }

  /// Calls a closure with every word as capitals, in alphabetical order.
  ///
  /// ``everyWord`` has no end, and never calls it.
  public func forEachWord(_ body: (String) -> Void) {
    guard case .words(let graph, _) = content else { return }
    graph.forEachWord(body)
  }

  private static func isSpelling(_ word: String) -> Bool {
    word.utf8.count <= maximumWordLength
      && word.utf8.allSatisfy { letterIndex($0) != notALetter }
  }
}

extension Lexicon {
  /// The number for a character that no word has; no arc has it.
  static let notALetter: UInt8 = 26

  /// The place in the alphabet, 0...25, of an ASCII letter in either case.
  @inline(__always)
  static func letterIndex(_ ascii: UInt8) -> UInt8 {
    let index = (ascii | 0x20) &- UInt8(ascii: "a")
    return index < notALetter ? index : notALetter
  }
}

extension WordGraph {
  /// The arc that a spelling leads to, or nil where no word begins with it.
  @inline(__always)
  fileprivate func arcAfter(_ spelling: Spelling) -> Arc? {
    read { units in
      var arc = Arc.start
      for index in 0..<spelling.count {
        guard let next = units.next(arc, spelling[index]) else { return nil }
        arc = next
      }
      return arc
    }
  }

  /// The arc that a string leads to, or nil where no word begins with it.
  @inline(__always)
  fileprivate func arcAfter(_ word: String) -> Arc? {
    // A short string has no storage to lend, and its bytes one by one cost as much as the walk.
    word.utf8.span.withUnsafeBufferPointer { ascii in
      read { units in
        var arc = Arc.start
        for byte in ascii {
          guard let next = units.next(arc, Lexicon.letterIndex(byte)) else { return nil }
          arc = next
        }
        return arc
      }
    }
  }
}
