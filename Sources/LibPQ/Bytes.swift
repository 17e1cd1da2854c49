/// Decoders of PostgreSQL's binary formats.
enum Bytes {
  enum Decoded<T> {
    case value(T)
    case malformed
    case unrepresentable
  }

  static func bool(_ bytes: UnsafeRawBufferPointer) -> Decoded<Bool> {
    bytes.count == 1 ? .value(bytes[0] != 0) : .malformed
  }

  static func int16(_ bytes: UnsafeRawBufferPointer) -> Decoded<Int16> { integer(bytes) }

  static func int32(_ bytes: UnsafeRawBufferPointer) -> Decoded<Int32> { integer(bytes) }

  static func int64(_ bytes: UnsafeRawBufferPointer) -> Decoded<Int64> { integer(bytes) }

  static func uuid(_ bytes: UnsafeRawBufferPointer) -> Decoded<UInt128> { integer(bytes) }

  static func bytes(_ bytes: UnsafeRawBufferPointer) -> Decoded<[UInt8]> { .value(Array(bytes)) }

  static func text(_ bytes: UnsafeRawBufferPointer) -> Decoded<String> {
    // The session's encoding is UTF-8, and the server checks all stored text.
    .value(String(decoding: bytes, as: UTF8.self))
  }

  static func jsonb(_ bytes: UnsafeRawBufferPointer) -> Decoded<String> {
    guard bytes.first == 1 else { return .malformed }  // The version of the format.
    return text(UnsafeRawBufferPointer(rebasing: bytes[1...]))
  }

  static func timestamp(_ bytes: UnsafeRawBufferPointer) -> Decoded<Int64> {
    guard case .value(let value) = int64(bytes) else { return .malformed }
    let (sum, overflow) = value.addingReportingOverflow(postgreSQLEpochMicroseconds)
    return overflow || value == .min ? .unrepresentable : .value(sum)
  }

  /// Reads an array of at most one dimension, as `array_send` in `arrayfuncs.c` writes it.
  static func array<T>(
    _ bytes: UnsafeRawBufferPointer, of types: [TypeOID],
    _ decode: (UnsafeRawBufferPointer) -> Decoded<T>
  ) -> Decoded<[T?]> {
    var reader = Reader(bytes: bytes)
    guard let dimensions = reader.next(), reader.next() != nil, let type = reader.next(),
      types.contains(where: { $0.rawValue == UInt32(bitPattern: type) })
    else { return .malformed }
    guard dimensions != 0 else { return .value([]) }
    guard dimensions == 1, let count = reader.next(), count >= 0, reader.next() != nil else {
      return dimensions > 1 ? .unrepresentable : .malformed
    }
    var elements: [T?] = []
    elements.reserveCapacity(min(Int(count), bytes.count / 4))
    for _ in 0..<count {
      guard let length = reader.next() else { return .malformed }
      if length == -1 {
        elements.append(nil)
        continue
      }
      guard let element = reader.next(length) else { return .malformed }
      switch decode(element) {
      case .value(let value): elements.append(value)
      case .malformed: return .malformed
      case .unrepresentable: return .unrepresentable
      }
    }
    return .value(elements)
  }

  private static func integer<T: FixedWidthInteger & BitwiseCopyable>(
    _ bytes: UnsafeRawBufferPointer
  ) -> Decoded<T> {
    guard bytes.count == MemoryLayout<T>.size else { return .malformed }
    return .value(T(bigEndian: bytes.loadUnaligned(as: T.self)))
  }

  private struct Reader {
    let bytes: UnsafeRawBufferPointer
    var offset = 0

    mutating func next() -> Int32? {
      guard bytes.count - offset >= 4 else { return nil }
      defer { offset += 4 }
      return Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self))
    }

    mutating func next(_ length: Int32) -> UnsafeRawBufferPointer? {
      guard length >= 0, bytes.count - offset >= Int(length) else { return nil }
      defer { offset += Int(length) }
      return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Int(length)])
    }
  }
}
