/// A direct reply-to address that a node of RabbitMQ can have given to a requester.
///
/// The broker's channel crashes if it cannot take an address apart or does not know its node. It
/// then ends its connection with 541. This type takes addresses apart more strictly than the
/// broker. So if one address of a node is known to work, all others of that node work too.
/// Source: `rabbit_direct_reply_to.erl` and `pid_recomposition.erl` of RabbitMQ 3.10.8.
struct ReplyAddress {
  /// The queue that stands for a requester's channel.
  static let queue = "amq.rabbitmq.reply-to"
  /// The prefix of every address. Anything else names somebody's queue.
  static let prefix = "\(queue)."

  /// The hash of the name of the node that the requester is connected to.
  let node: UInt32

  /// Takes an address apart. Nil if no requester can have it.
  ///
  /// It allocates nothing, because it runs for every reply.
  init?(_ address: String) {
    var address = address
    guard let node = address.withUTF8({ Self.node(inAddress: $0) }) else { return nil }
    self.node = node
  }

  private static func node(inAddress address: UnsafeBufferPointer<UInt8>) -> UInt32? {
    guard address.starts(with: prefix.utf8) else { return nil }
    let parts = address[prefix.utf8.count...]
    guard let dot = parts.firstIndex(of: UInt8(ascii: ".")) else { return nil }
    let (encoded, key) = (parts[..<dot], parts[(dot + 1)...])
    guard (1...64).contains(key.count),
      key.allSatisfy({ $0 == padding || sextet(of: $0) != nil })
    else { return nil }
    return withUnsafeTemporaryAllocation(byteCount: encoded.count / 4 * 3, alignment: 1) { bytes in
      decode(encoded, into: bytes).flatMap { node(inProcess: bytes[..<$0]) }
    }
  }

  /// The node of a process id in Erlang's external format, version 131: NEW_PID_EXT (88), the
  /// node's name as ATOM_UTF8_EXT (118), id, serial and creation of four bytes each.
  private static func node(inProcess bytes: Slice<UnsafeMutableRawBufferPointer>) -> UInt32? {
    guard bytes.count > 17, bytes[0] == 131, bytes[1] == 88, bytes[2] == 118 else { return nil }
    let name = bytes[5...].dropLast(12)
    guard name.count == Int(number(bytes[3..<5])), name.starts(with: "reply@".utf8)
    else { return nil }
    let numbers = bytes.suffix(12)
    let (id, serial) = (number(numbers.prefix(4)), number(numbers.dropFirst(4).prefix(4)))
    // The node itself knows no process beyond these.
    guard id <= 0x7fff, serial <= 0x1fff else { return nil }
    let digits = name.dropFirst(6)
    guard (1...10).contains(digits.count) else { return nil }
    let text = String(decoding: digits, as: UTF8.self)
    guard let node = UInt32(text), String(node) == text else { return nil }
    return node
  }

  private static func number(_ bytes: Slice<UnsafeMutableRawBufferPointer>) -> UInt32 {
    bytes.reduce(0) { $0 << 8 | UInt32($1) }
  }

  // MARK: Base 64

  private static let padding = UInt8(ascii: "=")

  /// Decodes base 64 in the one form that encoding produces, RFC 4648, section 4.
  /// - Returns: The number of bytes, or nil for anything else.
  private static func decode(
    _ text: Slice<UnsafeBufferPointer<UInt8>>, into bytes: UnsafeMutableRawBufferPointer
  ) -> Int? {
    guard text.count.isMultiple(of: 4), !text.isEmpty else { return nil }
    let missing = text.suffix(2).reversed().prefix { $0 == padding }.count
    var (bits, bitCount, byteCount) = (UInt32(0), UInt32(0), 0)
    for digit in text.dropLast(missing) {
      guard let value = sextet(of: digit) else { return nil }
      bits = bits << 6 | UInt32(value)
      bitCount += 6
      guard bitCount >= 8 else { continue }
      bitCount -= 8
      bytes[byteCount] = UInt8(truncatingIfNeeded: bits >> bitCount)
      byteCount += 1
    }
    // Left-over bits are zero. Otherwise the same bytes would have several forms.
    return bits & (1 << bitCount - 1) == 0 ? byteCount : nil
  }

  private static func sextet(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
