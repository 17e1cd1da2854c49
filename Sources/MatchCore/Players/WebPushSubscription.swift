/// A browser's subscription: where its push service takes messages, and for whose eyes they are
/// encrypted. Source: RFC 8291, section 2.
public struct WebPushSubscription: Hashable, Sendable {
  /// An `https` URL of 1 to 1,024 visible ASCII characters. A client chose it.
  public let endpoint: String
  /// The browser's public key: an uncompressed point of P-256, 65 bytes. It may be no point of the
  /// curve.
  public let key: [UInt8]
  /// The secret that the browser shares with the service, 16 bytes.
  public let secret: [UInt8]

  /// The longest endpoint in bytes.
  public static let endpointLimit = 1_024

  /// Takes the parts of a subscription; nil if one of them cannot be such a part.
  public init?(endpoint: String, key: [UInt8], secret: [UInt8]) {
    guard WebPushSubscription.isEndpoint(endpoint), key.count == 65, key.first == 4,
      secret.count == 16
    else { return nil }
    self.endpoint = endpoint
    self.key = key
    self.secret = secret
  }

  /// Whether a text can be an endpoint: `https://`, a host, perhaps a port, and a path. It has no
  /// user, no password and no fragment.
  package static func isEndpoint(_ text: String) -> Bool {
    let prefix = "https://"
    guard text.utf8.count <= endpointLimit, text.hasPrefix(prefix),
      text.utf8.allSatisfy({ 0x21...0x7e ~= $0 && $0 != 0x23 && $0 != 0x5c })
    else { return false }
    let authority = Array(
      text.utf8.dropFirst(prefix.utf8.count).prefix { $0 != 0x2f && $0 != 0x3f })
    let host: ArraySlice<UInt8>
    if authority.first == 0x5b {
      // An address of IP version 6, in brackets.
      guard let end = authority.firstIndex(of: 0x5d), end > 1,
        authority[1..<end].allSatisfy({ isHexDigit($0) || $0 == 0x3a || $0 == 0x2e })
      else { return false }
      host = authority[...end]
    } else {
      host = authority.prefix { $0 != 0x3a }
      guard 1...253 ~= host.count, host.allSatisfy(isHostByte) else { return false }
    }
    let port = authority[host.endIndex...]
    return port.isEmpty || port.first == 0x3a && isPort(port.dropFirst())
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    0x30...0x39 ~= byte || 0x61...0x66 ~= byte || 0x41...0x46 ~= byte
  }

  /// Letters, digits, hyphens, dots and low lines. An `@`, after which the host would begin, is none
  /// of them.
  private static func isHostByte(_ byte: UInt8) -> Bool {
    0x30...0x39 ~= byte || 0x61...0x7a ~= byte || 0x41...0x5a ~= byte || byte == 0x2d
      || byte == 0x2e || byte == 0x5f
  }

  private static func isPort(_ digits: ArraySlice<UInt8>) -> Bool {
    guard 1...5 ~= digits.count, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return false }
    return 1...65_535 ~= digits.reduce(0) { $0 * 10 + Int($1) - 0x30 }
  }
}
