/// Bytes as a key.
///
/// An array is hashed byte by byte. That took a sixth of a run in a debug build. This is hashed as
/// one piece.
struct BytesKey: Hashable {
  private var bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func hash(into hasher: inout Hasher) {
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}
