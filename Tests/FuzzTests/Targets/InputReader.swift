/// Takes an input apart into numbers and pieces, for targets that need more than bytes.
struct InputReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isAtEnd: Bool { rest.isEmpty }

  /// The next byte, 0 at the end.
  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// The next bytes as a number, most significant first.
  mutating func number<Number: FixedWidthInteger>(_: Number.Type = Number.self) -> Number {
    (0..<Number.bitWidth / 8).reduce(0) { value, _ in
      (value << 8) | Number(truncatingIfNeeded: byte())
    }
  }

  /// So many bytes, or the rest if it is shorter.
  mutating func bytes(_ count: Int) -> [UInt8] {
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  /// A byte for the length, then so many bytes.
  mutating func counted() -> [UInt8] { bytes(Int(byte())) }

  /// A byte for the length, then so many bytes as text.
  mutating func text() -> String { String(decoding: counted(), as: UTF8.self) }

  /// Everything that is left.
  mutating func remainder() -> [UInt8] {
    defer { rest = [] }
    return Array(rest)
  }
}
