import FoundationEssentials

/// The address of a service's gateway: `https://host[:port][/path]`, or `http://` without TLS.
public struct GatewayAddress: Hashable, Sendable, CustomStringConvertible {
  /// Whether the way there is encrypted.
  public let isSecure: Bool
  /// The name or address of the machine; an IPv6 address without its brackets.
  public let host: String
  /// Nil: the usual one of the scheme.
  public let port: Int?
  /// Empty, or a path that begins with a slash and does not end with one.
  public let path: String

  /// Whether a URL names a gateway by its scheme.
  public static func isGateway(_ url: some StringProtocol) -> Bool {
    let url = url.lowercased()
    return url.hasPrefix("http://") || url.hasPrefix("https://")
  }

  /// Reads an address.
  /// - Throws: The mistake in the URL. The text repeats no part that could be a password.
  public init(url: String) throws(GatewayAddressError) {
    guard let colon = url.firstRange(of: "://") else {
      throw GatewayAddressError("it has no scheme")
    }
    switch url[..<colon.lowerBound].lowercased() {
    case "https": isSecure = true
    case "http": isSecure = false
    default: throw GatewayAddressError("the scheme is neither https nor http")
    }
    let rest = url[colon.upperBound...]
    guard !rest.contains("?"), !rest.contains("#") else {
      throw GatewayAddressError("it has a ? or a #, which a gateway's address has not")
    }
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    let place = rest[..<slash]
    guard !place.contains("@") else {
      throw GatewayAddressError("it has a user or a password, which a gateway does not ask for")
    }
    (host, port) = try GatewayAddress.place(place)
    path = try GatewayAddress.path(rest[slash...])
  }

  private static func place(
    _ text: Substring
  ) throws(GatewayAddressError) -> (host: String, port: Int?) {
    let host: Substring
    var rest: Substring
    if text.first == "[" {
      guard let end = text.firstIndex(of: "]") else {
        throw GatewayAddressError("the IPv6 address has no ]")
      }
      host = text[text.index(after: text.startIndex)..<end]
      rest = text[text.index(after: end)...]
      guard host.contains(":"), host.utf8.allSatisfy({ isHex($0) || $0 == 58 || $0 == 46 }) else {
        throw GatewayAddressError("'\(excerpt(host))' is no IPv6 address")
      }
    } else {
      host = text.prefix { $0 != ":" }
      rest = text[host.endIndex...]
      guard !host.isEmpty else { throw GatewayAddressError("it names no host") }
      guard host.utf8.allSatisfy(isNamePart), host.utf8.count <= 253 else {
        throw GatewayAddressError(
          "'\(excerpt(host))' is no name of a host; other letters than a-z are written as xn--")
      }
    }
    guard !rest.isEmpty else { return (String(host).lowercased(), nil) }
    guard rest.removeFirst() == ":", let port = Int(rest), (1...65_535).contains(port),
      rest.utf8.allSatisfy({ (48...57).contains($0) })
    else { throw GatewayAddressError("the port is no number from 1 to 65535") }
    return (String(host).lowercased(), port)
  }

  private static func path(_ text: Substring) throws(GatewayAddressError) -> String {
    let marks = Set("-._~!$&'()*+,;=:@/%".utf8)
    guard text.utf8.allSatisfy({ isAlphanumeric($0) || marks.contains($0) }) else {
      throw GatewayAddressError("the path has characters that have to be percent-encoded")
    }
    let path = text.reversed().drop { $0 == "/" }.reversed()
    return String(path)
  }

  private static func excerpt(_ text: Substring) -> String { String(text.prefix(40)) }

  private static func isHex(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (97...102).contains(byte | 0x20)
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (97...122).contains(byte | 0x20)
  }

  private static func isNamePart(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
      || byte == UInt8(ascii: "_")
  }
}

extension GatewayAddress {
  /// The address as a URL, without a slash at its end.
  public var description: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return "\(isSecure ? "https" : "http")://\(name)\(port.map { ":\($0)" } ?? "")\(path)"
  }

  /// Whether the gateway runs on this machine, as far as its name says.
  public var isOnThisMachine: Bool {
    let bytes = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    let isLoopback = bytes.count == 4 && bytes[0] == 127 && !bytes.contains(nil)
    return host == "localhost" || host.hasSuffix(".localhost") || host == "::1" || isLoopback
  }

  /// What a person has to know before using the address; nil: nothing.
  ///
  /// Nobody can change a signed event on its way, and nothing in it is secret. But an answer is not
  /// signed, and a game is nobody's business.
  public var warning: String? {
    guard !isSecure, !isOnThisMachine else { return nil }
    return """
      \(description) is not encrypted: others on the way there can read your games and forge \
      answers. They cannot play for you. Use https:// if the service has it.
      """
  }

  /// The URL of something there.
  func url(of place: String) -> URL? { URL(string: description + place) }
}

/// Why a URL is not a gateway's address.
public struct GatewayAddressError: Error, Hashable, Sendable, CustomStringConvertible {
  public let reason: String

  init(_ reason: String) { self.reason = reason }

  /// One sentence for a person, with an example.
  public var description: String {
    "the gateway's address cannot be read: \(reason); it looks like https://play.example.org"
  }
}
