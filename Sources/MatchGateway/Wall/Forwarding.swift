import MatchService

/// The address that a request came from, by the word of proxies.
///
/// Each proxy appends the address that it saw. So the list is read from its end, as long as proxies
/// are believed: the first other address is the client's. Everything before that is the client's own
/// word.
enum Forwarding {
  /// The longest list that is read.
  static let limit = 16

  /// - Parameters:
  ///   - peer: The address at the other end of the connection.
  ///   - forwarded: The fields `Forwarded`, in their order.
  ///   - xForwardedFor: The fields `X-Forwarded-For`. If both are there, none is believed.
  static func client(
    peer: InternetAddress?, forwarded: [String], xForwardedFor: [String],
    isProxy: (InternetAddress) -> Bool
  ) -> InternetAddress? {
    guard let peer, isProxy(peer) else { return peer }
    // A proxy writes one of the two. The other one is the client's own word, and it does not tell which
    // one that is.
    guard forwarded.isEmpty || xForwardedFor.isEmpty else { return peer }
    var client = peer
    for element in lastElements(forwarded.isEmpty ? xForwardedFor : forwarded) {
      // What a believed proxy did not understand, such as `unknown`, hides nobody: the proxy itself
      // is the client then.
      guard let address = forwarded.isEmpty ? address(of: trimmed(element)) : node(of: element)
      else { return client }
      client = address
      if !isProxy(address) { return address }
    }
    return client
  }

  /// The last ``limit`` elements of a list, the last one first, however long the list is.
  static func lastElements(_ fields: [String]) -> [Substring] {
    var elements: [Substring] = []
    for field in fields.reversed() {
      var rest = Substring(field)
      while elements.count < limit {
        guard let comma = rest.lastIndex(of: ",") else {
          elements.append(rest)
          break
        }
        elements.append(rest[rest.index(after: comma)...])
        rest = rest[..<comma]
      }
    }
    return elements
  }

  /// The address of `for=` in an element of `Forwarded` (RFC 7239).
  private static func node(of element: Substring) -> InternetAddress? {
    for pair in element.split(separator: ";") {
      let parts = pair.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, trimmed(parts[0]).lowercased() == "for" else { continue }
      var node = trimmed(parts[1])
      if node.count >= 2, node.hasPrefix("\""), node.hasSuffix("\"") {
        node = node.dropFirst().dropLast()
      }
      return address(of: node)
    }
    return nil
  }

  /// `1.2.3.4`, `1.2.3.4:5`, `[2001:db8::1]`, `[2001:db8::1]:5`, or IPv6 without brackets.
  static func address(of text: Substring) -> InternetAddress? {
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]"), isPort(text[text.index(after: end)...])
      else { return nil }
      return InternetAddress(text[text.index(after: text.startIndex)..<end])
    }
    if let address = InternetAddress(text) { return address }
    guard let colon = text.firstIndex(of: ":"), isPort(text[colon...]) else { return nil }
    return InternetAddress(text[..<colon])
  }

  /// Whether it is nothing, or a colon and a number.
  private static func isPort(_ text: Substring) -> Bool {
    let digits = text.utf8.dropFirst()
    return text.isEmpty
      || text.first == ":" && !digits.isEmpty
        && digits.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text.drop { $0 == " " || $0 == "\t" }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}
