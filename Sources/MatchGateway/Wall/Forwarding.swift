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
    let list = forwarded.isEmpty ? addresses(xForwardedFor) : nodes(forwarded)
    var client = peer
    for entry in list.suffix(limit).reversed() {
      // What a believed proxy did not understand, such as `unknown`, hides nobody: the proxy itself
      // is the client then.
      guard let address = entry else { return client }
      client = address
      if !isProxy(address) { return address }
    }
    return client
  }

  /// The addresses of `X-Forwarded-For`, each with or without a port.
  private static func addresses(_ fields: [String]) -> [InternetAddress?] {
    fields.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
      .map { address(of: trimmed($0)) }
  }

  /// The addresses of `for=` in `Forwarded` (RFC 7239).
  private static func nodes(_ fields: [String]) -> [InternetAddress?] {
    fields.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
      .map { element in
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
  }

  /// `1.2.3.4`, `1.2.3.4:5`, `[2001:db8::1]`, `[2001:db8::1]:5`, or IPv6 without brackets.
  private static func address(of text: Substring) -> InternetAddress? {
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { return nil }
      return InternetAddress(text[text.index(after: text.startIndex)..<end])
    }
    if let address = InternetAddress(text) { return address }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    return parts.count == 2 ? InternetAddress(parts[0]) : nil
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text.drop { $0 == " " || $0 == "\t" }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}
