/// The header of a packed word graph; `Sources/CEmbedded/README.md` describes the format.
enum PackedGraph {
  static let magic: [UInt8] = Array("CubeLex\0".utf8)
  static let format: UInt32 = 2
  static let headerSize = 64

  private static let checksumEnd = 16
  private static let nameOffset = 24

  /// The fields that a reader needs.
  struct Header {
    var version: LexiconVersion
    var wordCount: Int
    var unitCount: Int
  }

  /// The bytes of a graph with its header.
  static func pack(_ graph: WordGraph, version: LexiconVersion, wordCount: Int) -> [UInt8] {
    graph.read { units in
      var body: [UInt8] = []
      body.reserveCapacity(headerSize + 4 * units.count)
      append(UInt32(wordCount), to: &body)
      append(UInt32(units.count), to: &body)
      let name = Array(version.rawValue.utf8)
      body += name + repeatElement(0, count: LexiconVersion.maximumLength - name.count)
      for index in 0..<units.count {
        append(units[index], to: &body)
      }
      var bytes = magic
      append(format, to: &bytes)
      append(checksum(body[...]), to: &bytes)
      return bytes + body
    }
  }

  /// Whether some bytes claim to be a packed graph.
  static func isPacked(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: magic)
  }

  /// Reads a graph from bytes that may hold anything, and checks all of it.
  static func unpack(_ bytes: [UInt8]) throws(LexiconError) -> (Header, WordGraph) {
    guard isPacked(bytes) else { throw .notPacked }
    guard bytes.count >= headerSize else { throw .truncated }
    let header = try header(bytes)
    guard header.unitCount == (bytes.count - headerSize) / 4, bytes.count % 4 == 0 else {
      throw .truncated
    }
    guard checksum(bytes[checksumEnd...]) == number(at: 12, of: bytes) else {
      throw .checksumMismatch
    }
    let units = stride(from: headerSize, to: bytes.count, by: 4).map { number(at: $0, of: bytes) }
    try WordGraphValidator(units: units).validate(wordCount: header.wordCount)
    return (header, WordGraph(copying: units))
  }

  /// Reads the header from bytes that begin with it, without a look at the checksum.
  static func header<Bytes: RandomAccessCollection<UInt8>>(
    _ bytes: Bytes
  ) throws(LexiconError) -> Header where Bytes.Index == Int {
    let format = number(at: 8, of: bytes)
    guard format == Self.format else { throw .unknownFormat(format) }
    let field = bytes[nameOffset..<nameOffset + LexiconVersion.maximumLength]
    let name = field.prefix { $0 != 0 }
    guard
      field[name.endIndex...].allSatisfy({ $0 == 0 }),
      let version = LexiconVersion(rawValue: String(decoding: name, as: UTF8.self))
    else { throw .badVersion }
    return Header(
      version: version,
      wordCount: Int(number(at: 16, of: bytes)),
      unitCount: Int(number(at: 20, of: bytes)))
  }

  private static func number<Bytes: RandomAccessCollection<UInt8>>(
    at offset: Int, of bytes: Bytes
  ) -> UInt32 where Bytes.Index == Int {
    (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << UInt32(8 * $1) }
  }

  private static func append(_ number: UInt32, to bytes: inout [UInt8]) {
    for shift in stride(from: UInt32(0), to: 32, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }

  /// The CRC-32 of zlib and PNG: reflected polynomial 0xEDB88320 (ISO 3309).
  static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    let table = (0..<256).map { (byte: UInt32) in
      (0..<8).reduce(byte) { crc, _ in crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0xedb8_8320 }
    }
    var crc: UInt32 = .max
    for byte in bytes {
      crc = table[Int((crc ^ UInt32(byte)) & 0xff)] ^ crc >> 8
    }
    return ~crc
  }
}
