import FoundationEssentials

/// A direct reply-to address that a node of RabbitMQ can have given to a requester.
///
/// The broker's channel that is to send to an address crashes over one that it cannot take apart,
/// or whose node it does not know, and ends its connection with 541. Here an address is taken apart
/// more strictly than there: where one is known to have been sent to, any other of the same node
/// can be.
/// Source: `rabbit_direct_reply_to.erl` and `pid_recomposition.erl` of RabbitMQ 3.10.8.
struct ReplyAddress {
  /// What every address begins with; anything else names somebody's queue.
  static let prefix = "amq.rabbitmq.reply-to."

  /// The hash of the name of the node that the requester is connected to.
  let node: UInt32

  /// Takes an address apart; nil where no requester can have it.
  init?(_ address: String) {
    guard address.hasPrefix(Self.prefix) else { return nil }
    let parts = address.utf8.dropFirst(Self.prefix.utf8.count)
      .split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 2, (1...64).contains(parts[1].count),
      parts[1].allSatisfy(Self.isOfBase64),
      let text = String(parts[0]), let data = Data(base64Encoded: text),
      // There are other forms of the same bytes.
      data.base64EncodedString() == text, let node = Self.node(in: Array(data))
    else { return nil }
    self.node = node
  }

  /// The node of a process id in Erlang's external format, version 131: NEW_PID_EXT (88), the
  /// node's name as ATOM_UTF8_EXT (118), id, serial and creation of four bytes each.
  private static func node(in process: [UInt8]) -> UInt32? {
    guard process.count > 17, process.starts(with: [131, 88, 118]) else { return nil }
    let name = process[5...].dropLast(12)
    guard name.count == Int(process[3]) << 8 | Int(process[4]), name.starts(with: "reply@".utf8)
    else { return nil }
    let numbers = process.suffix(12)
    let (id, serial) = (number(numbers.prefix(4)), number(numbers.dropFirst(4).prefix(4)))
    // The node itself knows no process beyond these.
    guard id <= 0x7fff, serial <= 0x1fff else { return nil }
    let digits = String(decoding: name.dropFirst(6), as: UTF8.self)
    guard let node = UInt32(digits), String(node) == digits else { return nil }
    return node
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reduce(0) { $0 << 8 | UInt32($1) }
  }

  private static func isOfBase64(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"),
      UInt8(ascii: "="):
      true
    default: false
    }
  }
}
