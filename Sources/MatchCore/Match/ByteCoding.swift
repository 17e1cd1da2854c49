/// Writes numbers and bytes one after another, most significant byte first.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  /// Makes room for this many bytes.
  init(capacity: Int) { bytes.reserveCapacity(capacity) }

  mutating func put(_ value: UInt8) { bytes.append(value) }

  mutating func put<Number: FixedWidthInteger>(_ value: Number) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// Replaces a number that was put at an offset.
  mutating func replace(at offset: Int, with value: UInt64) {
    for byte in 0..<8 {
      bytes[offset + byte] = UInt8(truncatingIfNeeded: value >> (56 - 8 * UInt64(byte)))
    }
  }

  mutating func put(raw: some Collection<UInt8>) { bytes.append(contentsOf: raw) }

  /// Seven bits per byte, the lowest first. The highest bit says that more follow. Negative values
  /// become 0.
  mutating func put(varint value: Int) {
    var rest = UInt64(clamping: value)
    while rest > 0x7f {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// Length first, at most 65,535.
  mutating func put(counted: some Collection<UInt8>) {
    put(UInt16(clamping: counted.count))
    bytes.append(contentsOf: counted)
  }

  mutating func put(_ text: String) { put(counted: text.utf8) }

  mutating func put(_ hash: Hash) { hash.withUnsafeBytes { bytes.append(contentsOf: $0) } }

  mutating func put(_ key: PublicKey) { key.withUnsafeBytes { bytes.append(contentsOf: $0) } }

  mutating func put<Value>(_ value: Value?, _ body: (inout ByteWriter, Value) -> Void) {
    put(UInt8(value == nil ? 0 : 1))
    if let value { body(&self, value) }
  }
}

/// Reads the bytes of `ByteWriter`. Anything that does not fit is `ByteReader.Malformed`.
struct ByteReader {
  struct Malformed: Error {}

  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { offset == bytes.count }

  mutating func byte() throws(Malformed) -> UInt8 {
    guard offset < bytes.count else { throw Malformed() }
    defer { offset += 1 }
    return bytes[offset]
  }

  /// The next byte, without taking it.
  func nextByte() throws(Malformed) -> UInt8 {
    guard offset < bytes.count else { throw Malformed() }
    return bytes[offset]
  }

  mutating func number<Number: FixedWidthInteger>(
    _: Number.Type = Number.self
  ) throws(Malformed) -> Number {
    var value: Number = 0
    for _ in 0..<(Number.bitWidth / 8) {
      value = (value << 8) | Number(truncatingIfNeeded: try byte())
    }
    return value
  }

  /// A number as `ByteWriter.put(varint:)` writes it.
  mutating func varint() throws(Malformed) -> Int {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 63, by: 7) {
      let next = try byte()
      value |= UInt64(next & 0x7f) << shift
      if next & 0x80 == 0 { return Int(truncatingIfNeeded: value) }
    }
    throw Malformed()
  }

  mutating func raw(_ count: Int) throws(Malformed) -> [UInt8] { Array(try slice(count)) }

  mutating func slice(_ count: Int) throws(Malformed) -> ArraySlice<UInt8> {
    guard count >= 0, bytes.count - offset >= count else { throw Malformed() }
    defer { offset += count }
    return bytes[offset..<offset + count]
  }

  mutating func counted() throws(Malformed) -> [UInt8] {
    try raw(Int(try number(UInt16.self)))
  }

  mutating func text() throws(Malformed) -> String {
    String(decoding: try counted(), as: UTF8.self)
  }

  mutating func optional<Value>(
    _ body: (inout ByteReader) throws(Malformed) -> Value
  ) throws(Malformed) -> Value? {
    switch try byte() {
    case 0: nil
    case 1: try body(&self)
    default: throw Malformed()
    }
  }

  mutating func hash() throws(Malformed) -> Hash {
    guard let hash = Hash(bytes: try raw(32)) else { throw Malformed() }
    return hash
  }
}
