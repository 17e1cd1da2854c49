import CubistBasics
import SHA2

/// Thirty-two bytes stored in the value itself. Events carry several of them, and none costs an
/// allocation.
struct Bytes32: Hashable, Sendable {
  // The bytes as they lie in memory. The numbers that they form have no meaning.
  private var first: UInt64 = 0
  private var second: UInt64 = 0
  private var third: UInt64 = 0
  private var fourth: UInt64 = 0

  static let zero = Bytes32()

  private init() {}

  /// Takes 32 bytes; nil for any other count.
  init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == 32 else { return nil }
    withUnsafeMutableBytes(of: &self) { $0.copyBytes(from: bytes) }
  }

  /// The first sixteen bytes as one big-endian number.
  var prefix128: UInt128 {
    UInt128(UInt64(bigEndian: first)) &<< 64 | UInt128(UInt64(bigEndian: second))
  }

  var array: [UInt8] { withUnsafeBytes { Array($0) } }

  /// Lends the bytes.
  func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    Swift.withUnsafeBytes(of: self, body)
  }
}

/// An Ed25519 public key, 32 bytes as in RFC 8032. The verifier decides whether it is acceptable.
public struct PublicKey: Hashable, Sendable, CustomStringConvertible {
  private let content: Bytes32

  /// Takes 32 bytes; nil for any other count.
  public init?(bytes: some Collection<UInt8>) {
    guard let content = Bytes32(bytes) else { return nil }
    self.content = content
  }

  /// Reads 64 hexadecimal digits; nil for anything else.
  public init?(_ text: some StringProtocol) {
    guard let bytes = Hex.decode(text) else { return nil }
    self.init(bytes: bytes)
  }

  /// The 32 raw bytes, copied.
  public var bytes: [UInt8] { content.array }

  /// Lends the 32 raw bytes.
  public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    content.withUnsafeBytes(body)
  }

  /// 64 lower-case hexadecimal digits.
  public var description: String { Hex.encode(bytes) }
}

/// A SHA-256 digest.
public struct Hash: Hashable, Sendable, CustomStringConvertible {
  private let content: Bytes32

  /// Takes 32 bytes; nil for any other count.
  public init?(bytes: some Collection<UInt8>) {
    guard let content = Bytes32(bytes) else { return nil }
    self.content = content
  }

  fileprivate init(_ hash: SHA256Hasher) {
    // A digest of SHA-256 has 32 bytes.
    content = hash.finalize { Bytes32($0) } ?? .zero
  }

  /// The digest of some bytes.
  public init(sha256Of bytes: [UInt8]) {
    var hash = SHA256Hasher()
    bytes.withUnsafeBytes { hash.update($0) }
    self.init(hash)
  }

  /// Reads 64 hexadecimal digits; nil for anything else.
  public init?(_ text: some StringProtocol) {
    guard let bytes = Hex.decode(text) else { return nil }
    self.init(bytes: bytes)
  }

  /// The hash before the first entry of a record: 32 zero bytes.
  public static let zero = Hash(.zero)

  private init(_ content: Bytes32) { self.content = content }

  /// The 32 bytes, copied.
  public var bytes: [UInt8] { content.array }

  /// Lends the 32 bytes.
  public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    content.withUnsafeBytes(body)
  }

  /// 64 lower-case hexadecimal digits.
  public var description: String { Hex.encode(bytes) }

  /// The first sixteen bytes as one big-endian number.
  public var prefix128: UInt128 { content.prefix128 }
}

/// SHA-256 over a tag, a zero byte and the content. The tag keeps the uses of the hash apart.
public struct TaggedHash {
  private var hash = SHA256Hasher()

  /// Begins with `tag ‖ 0`.
  public init(_ tag: StaticString) {
    tag.withUTF8Buffer { hash.update(UnsafeRawBufferPointer($0)) }
    endText()
  }

  /// Adds bytes.
  public mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { hash.update($0) } }

  /// Adds a number as eight big-endian bytes.
  public mutating func update(_ number: Int64) {
    withUnsafeBytes(of: number.bigEndian) { hash.update($0) }
  }

  /// Adds the sixteen bytes of an identifier.
  public mutating func update(_ id: some Identifier) {
    withUnsafeBytes(of: id.rawValue.bigEndian) { hash.update($0) }
  }

  /// Adds the 32 bytes of a hash.
  public mutating func update(_ other: Hash) {
    other.withUnsafeBytes { hash.update($0) }
  }

  /// Adds the 32 bytes of a key.
  public mutating func update(_ key: PublicKey) {
    key.withUnsafeBytes { hash.update($0) }
  }

  /// Adds a text and a final zero byte.
  public mutating func update(text: String) {
    var text = text
    text.withUTF8 { hash.update(UnsafeRawBufferPointer($0)) }
    endText()
  }

  private mutating func endText() {
    withUnsafeBytes(of: UInt8(0)) { hash.update($0) }
  }

  /// The digest.
  public func finalize() -> Hash { Hash(hash) }
}
