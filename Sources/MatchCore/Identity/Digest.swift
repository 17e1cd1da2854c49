public import Crypto

/// Thirty-two bytes that lie in the value itself: events carry several of them, and none costs an
/// allocation.
struct Bytes32: Hashable, Sendable {
  // The bytes as they lie in memory, whatever numbers they make.
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

  /// The bytes in an array.
  var array: [UInt8] { withUnsafeBytes { Array($0) } }

  /// Lends the bytes.
  func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    Swift.withUnsafeBytes(of: self, body)
  }
}

/// An Ed25519 public key, 32 bytes as in RFC 8032; whether it is acceptable is the verifier's
/// business.
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

  /// Takes the result of a SHA-256 computation.
  public init(_ digest: SHA256Digest) {
    // A digest of SHA-256 has 32 bytes.
    content = digest.withUnsafeBytes { Bytes32($0) } ?? .zero
  }

  /// The digest of some bytes.
  public init(sha256Of bytes: [UInt8]) { self.init(SHA256.hash(data: bytes)) }

  /// Reads 64 hexadecimal digits; nil for anything else.
  public init?(_ text: some StringProtocol) {
    guard let bytes = Hex.decode(text) else { return nil }
    self.init(bytes: bytes)
  }

  /// What precedes the first entry of a record: 32 zero bytes.
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
  public var prefix128: UInt128 {
    withUnsafeBytes { $0.prefix(16).reduce(0) { $0 << 8 | UInt128($1) } }
  }
}

/// SHA-256 over a tag, a zero byte and what follows; the tag keeps the uses of the hash apart.
public struct TaggedHash {
  private var hash = SHA256()

  /// Begins with `tag ‖ 0`.
  public init(_ tag: StaticString) {
    tag.withUTF8Buffer { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
    endText()
  }

  /// Adds bytes.
  public mutating func update(_ bytes: [UInt8]) { hash.update(data: bytes) }

  /// Adds a number as eight big-endian bytes.
  public mutating func update(_ number: Int64) {
    withUnsafeBytes(of: number.bigEndian) { hash.update(bufferPointer: $0) }
  }

  /// Adds the sixteen bytes of an identifier.
  public mutating func update(_ id: some Identifier) {
    withUnsafeBytes(of: id.rawValue.bigEndian) { hash.update(bufferPointer: $0) }
  }

  /// Adds the 32 bytes of a hash.
  public mutating func update(_ other: Hash) {
    other.withUnsafeBytes { hash.update(bufferPointer: $0) }
  }

  /// Adds the 32 bytes of a key.
  public mutating func update(_ key: PublicKey) {
    key.withUnsafeBytes { hash.update(bufferPointer: $0) }
  }

  /// Adds a text and a zero byte that ends it.
  public mutating func update(text: String) {
    var text = text
    text.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
    endText()
  }

  private mutating func endText() {
    withUnsafeBytes(of: UInt8(0)) { hash.update(bufferPointer: $0) }
  }

  /// The digest.
  public func finalize() -> Hash { Hash(hash.finalize()) }
}
