import CubeLexicon
import Foundation
import Testing

@Suite("Word list files")
struct LexiconFileTests {
  @Test("A text may be unsorted, mixed in case, with blank lines and carriage returns")
  func text() throws {
    try withFile(Array("game\r\n\ncubes\nCUBE\ngame\nat".utf8)) { path in
      let lexicon = try Lexicon.file(path)
      var words: [String] = []
      lexicon.forEachWord { words.append($0) }
      #expect(words == ["AT", "CUBE", "CUBES", "GAME"])
      #expect(lexicon.wordCount == 4)
      let twin = Lexicon.only(words).version.rawValue
      #expect(lexicon.version.rawValue == "file-" + twin.dropFirst("only-".count))
    }
  }

  @Test("A packed graph is read back with its version and words")
  func packed() throws {
    let original = Lexicon.only(["game", "cube", "cubes", "quiz"])
    try withFile(try #require(original.packed)) { path in
      let read = try Lexicon.file(path)
      #expect(read.version == original.version)
      #expect(read.wordCount == 4)
      #expect(read.contains("quiz"))
      #expect(!read.contains("cub"))
    }
    let english = try Lexicon.file(Repository.graphPath)
    #expect(english.version == Lexicon.english.version)
  }

  @Test("A graph written by hand from the description of the format is read")
  func handWritten() throws {
    // CAT, CATS, COT, COTS: nodes at 0, 3, 18 and 38, and the letter n of each is n - 1 further on.
    var units = [UInt32](repeating: 0, count: 57)
    units[2] = Unit.arc("C", to: 3)
    units[3] = Unit.arc("A", to: 18)
    units[17] = Unit.arc("O", to: 18)
    units[37] = Unit.end("T", to: 38)
    units[56] = Unit.end("S")
    let file = PackedFile(wordCount: 4, units: units)
    let lexicon = try Lexicon(packed: file.bytes)
    #expect(lexicon.version.rawValue == "test-1")
    var words: [String] = []
    lexicon.forEachWord { words.append($0) }
    #expect(words == ["CAT", "CATS", "COT", "COTS"])
    #expect(lexicon.packed == file.bytes)
  }

  // Failure: LexiconError.notAWord: A line is not a word.
  // Failure: LexiconError.lineTooLong: A line is too long for a word.
  @Test(
    "A malformed text is refused with its line",
    arguments: [
      ("", .empty),
      ("\n\r\n\n", .empty),
      ("cube\nit's\n", .notAWord(line: 2)),
      ("cube\n\ncafé", .notAWord(line: 3)),
      ("cube game", .notAWord(line: 1)),
      ("cube\n\u{0}", .notAWord(line: 2)),
      ("\r\r\n", .notAWord(line: 1)),
      (
        String(repeating: "a", count: 162) + "\n" + String(repeating: "a", count: 163),
        .lineTooLong(line: 2)
      ),
    ] as [(String, LexiconError)])
  func malformedText(text: String, error: LexiconError) throws {
    try withFile(Array(text.utf8)) { path in
      #expect(throws: error) { try Lexicon.file(path) }
    }
  }

  @Test("Bytes that are not UTF-8 are refused with their line")
  func invalidBytes() throws {
    try withFile(Array("cube\n".utf8) + [0xff, 0xfe]) { path in
      #expect(throws: LexiconError.notAWord(line: 2)) { try Lexicon.file(path) }
    }
  }

  // Failure: LexiconError.unreadable: The system denies access to the file.
  // Failure: LexiconError.notAFile: The path is a folder or a device.
  // Failure: LexiconError.tooLarge: The file exceeds 16 MiB.
  @Test("A file is refused that is missing, a folder, a device or too large")
  func unreadable() throws {
    #expect(throws: LexiconError.unreadable(path: "/nowhere", reason: "No such file or directory"))
    { try Lexicon.file("/nowhere") }
    #expect(throws: LexiconError.notAFile(path: "/tmp")) { try Lexicon.file("/tmp") }
    #expect(throws: LexiconError.notAFile(path: "/dev/zero")) { try Lexicon.file("/dev/zero") }
    let large = [UInt8](repeating: UInt8(ascii: "\n"), count: Lexicon.maximumFileSize + 1)
    try withFile(large) { path in
      #expect(throws: LexiconError.tooLarge) { try Lexicon.file(path) }
    }
    #expect(throws: LexiconError.tooLarge) { try Lexicon(packed: large) }
    #expect(throws: LexiconError.empty) { try Lexicon(packed: []) }
  }

  @Test("A pipe that nobody writes to is refused at once")
  func pipe() throws {
    let path = FileManager.default.temporaryDirectory
      .appending(path: "lexicon-\(UUID().uuidString)").path
    try #require(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    #expect(throws: LexiconError.notAFile(path: path)) { try Lexicon.file(path) }
  }

  @Test("Every error names fault, value and remedy in one sentence")
  func descriptions() {
    #expect(
      LexiconError.notAWord(line: 7).description
        == "Line 7 of the word list is not a word of the letters A to Z; correct or remove it.")
    #expect(
      LexiconError.damaged(.arcOutOfRange, unit: 12).description
        == "The packed word list is not a word graph (arcOutOfRange at unit 12); make it again.")
    #expect(
      LexiconError.tooLarge.description
        == "The word list is too large; a file may have 16777216 bytes.")
  }
}
