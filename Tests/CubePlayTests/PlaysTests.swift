import Foundation
import Testing

@Suite("The same random plays everywhere")
struct PlaysTests {
  /// As a file of Swift, so that a browser's module has them too.
  private static func source(of numbers: [UInt64]) -> String {
    var text = """
      // deploy/wasm compiles this file too. After a wanted change of the game,
      // CUBIST_KEEP_PLAYS=1 deploy/test --filter PlaysTests writes it again.

      extension Plays {
        static let goldens: [UInt64] = [

      """
    for start in stride(from: 0, to: numbers.count, by: 4) {
      let row = numbers[start..<min(start + 4, numbers.count)].map(literal)
      text += "    \(row.joined(separator: ", ")),\n"
    }
    return text + "  ]\n}\n"
  }

  private static func literal(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    let padded = Array(String(repeating: "0", count: 16 - digits.count) + digits)
    return "0x"
      + stride(from: 0, to: 16, by: 4).map { String(padded[$0..<($0 + 4)]) }
      .joined(separator: "_")
  }

  @Test("Random plays come to the numbers that they come to in WebAssembly")
  func golden() throws {
    if ProcessInfo.processInfo.environment["CUBIST_KEEP_PLAYS"] != nil {
      let path = #filePath.replacing("PlaysTests.swift", with: "PlayGoldens.swift")
      let numbers = (0..<256).map { Plays.number(seed: $0) }
      try Self.source(of: numbers).write(toFile: path, atomically: true, encoding: .utf8)
    } else {
      #expect(Plays.firstWrong() == nil)
      #expect(Plays.goldens.count == 256 && Set(Plays.goldens).count == 256)
    }
  }
}
