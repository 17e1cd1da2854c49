internal import Glibc
import SystemCalls

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
    let bytes = try readFile(path).get()
    return PackedGraph.isPacked(bytes) ? try Lexicon(packed: bytes) : try Lexicon(text: bytes)
  }

  private static func readFile(_ path: String) -> Result<[UInt8], LexiconError> {
    do throws(SystemError) {
      // Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
      let descriptor = try SystemFile.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
      defer { close(descriptor) }
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { throw .last() }
      guard status.st_mode & S_IFMT == S_IFREG else { return .failure(.notAFile(path: path)) }
      guard status.st_size <= maximumFileSize,
        let bytes = try SystemFile.read(descriptor, atMost: maximumFileSize)
      else { return .failure(.tooLarge) }
      return .success(bytes)
    } catch {
      return .failure(.unreadable(path: path, reason: "\(error)"))
    }
  }
}
