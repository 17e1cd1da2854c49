import CubeRules
import CubistBasics

// deploy/wasm compiles this file too: the digests are the same in a browser's engine.

/// Texts with the published SHA-256 of each.
enum PublishedDigests {
  static let touch = "bc93decf27eb08b86769a7179d9bea382f658594f2b4f6afb6db93a6a0bd1576"
  static let masks = "ddd8b342d12959a00e917b516d904bd00a1cead29d4eb3c3e2ef294a51121fde"

  /// For each pair of faces, whether they touch.
  static func touchText() -> [UInt8] {
    var text: [UInt8] = []
    for first in Face.all {
      for second in Face.all { text.append(UInt8(ascii: first.touches(second) ? "1" : "0")) }
    }
    return text
  }

  /// The playable faces of 4,096 heaps, each as 21 hexadecimal digits in a line.
  static func masksText() -> [UInt8] {
    var text: [UInt8] = []
    for number in 0..<UInt32(4096) {
      let removed = CubeSet(rawValue: number * 32749 % (1 << 27))
      let mask = CubeSet.full.subtracting(removed).playableFaces.rawValue
      for place in (0..<UInt128(21)).reversed() {
        text.append(Hex.digit(UInt8(truncatingIfNeeded: mask >> (4 * place)) & 15))
      }
      text.append(UInt8(ascii: "\n"))
    }
    return text
  }

  /// The first text with another digest; nil: there is none.
  static func firstWrong(_ digest: ([UInt8]) -> String) -> String? {
    if digest(touchText()) != touch { return "the faces that touch" }
    if digest(masksText()) != masks { return "the playable faces" }
    return nil
  }
}
