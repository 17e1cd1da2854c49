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
  static func isEndpoint(_ text: String) -> Bool {
    let prefix = "https://"
    guard text.utf8.count <= endpointLimit, text.hasPrefix(prefix),
      text.utf8.allSatisfy({ 0x21...0x7e ~= $0 && $0 != 0x23 && $0 != 0x5c })
    else { return false }
    let authority = text.utf8.dropFirst(prefix.utf8.count).prefix { $0 != 0x2f && $0 != 0x3f }
    return !authority.isEmpty && !authority.contains(0x40)
  }
}
