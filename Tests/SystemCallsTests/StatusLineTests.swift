import Glibc
import SystemCalls
import Testing

@Suite("The line that says how far a program has come")
struct StatusLineTests {
  @Test("A terminal's line is written over, elsewhere lines follow one another")
  func lines() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { close(ends[0]) }
    for text in ["one", "two", ""] {
      StatusLine.write(text, isTerminal: true, to: ends[1])
    }
    StatusLine.write("three", isTerminal: false, to: ends[1])
    close(ends[1])
    let bytes = try #require(try SystemFile.read(ends[0]))
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == "\rone\u{1b}[K\rtwo\u{1b}[K\r\u{1b}[Kthree\n")
  }
}
