import FoundationEssentials

/// Base64 with the letters that a URL and a header may hold, without padding. Source: RFC 4648,
/// section 5.
package enum Base64URL {
  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    let text = Data(bytes).base64EncodedString()
    return String(
      decoding: text.utf8.compactMap { byte -> UInt8? in
        switch byte {
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        case UInt8(ascii: "="): nil
        default: byte
        }
      }, as: UTF8.self)
  }
}
