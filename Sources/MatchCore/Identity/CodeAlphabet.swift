/// The characters of the codes that the service and its programs make: Crockford's base 32, which
/// leaves out what is easily taken for something else.
enum CodeAlphabet {
  static let characters = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

  /// A code as a person types or passes it on: in either case, with spaces and hyphens between its
  /// characters, with O for 0, and I or L for 1. Nil if that has more characters than `limit`.
  static func read(_ typed: some StringProtocol, limit: Int) -> String? {
    var characters: [UInt8] = []
    for byte in typed.utf8 where byte != UInt8(ascii: " ") && byte != UInt8(ascii: "-") {
      let upper = (97...122).contains(byte) ? byte - 32 : byte
      switch upper {
      case UInt8(ascii: "O"): characters.append(UInt8(ascii: "0"))
      case UInt8(ascii: "I"), UInt8(ascii: "L"): characters.append(UInt8(ascii: "1"))
      default: characters.append(upper)
      }
      guard characters.count <= limit else { return nil }
    }
    return String(decoding: characters, as: UTF8.self)
  }
}
