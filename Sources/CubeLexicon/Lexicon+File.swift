internal import Glibc

// The only file of the module that asks the system for anything: deploy/wasm leaves it out.

extension Lexicon {
  /// Reads a word list from a file: a packed graph, or plain text with one word on each line.
  ///
  /// A packed graph names its version; that of a text is `file-` and a hash of its words. The file
  /// is read into memory once, so that nothing written to it later is seen. In a text, words may
  /// come in any order, twice and in either case; blank lines and a carriage return at the end of a
  /// line are skipped. ``maximumFileSize`` bounds the file, ``maximumWordLength`` each line.
  ///
  /// - Throws: ``LexiconError`` for any other file.
  public static func file(_ path: String) throws(LexiconError) -> Lexicon {
    let bytes = try readFile(path)
    return PackedGraph.isPacked(bytes) ? try Lexicon(packed: bytes) : try Lexicon(text: bytes)
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
