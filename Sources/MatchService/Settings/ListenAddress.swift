/// An address and a port to listen at: `127.0.0.1:8080`, `[::1]:8080` or `localhost:8080`.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
  /// A name or an address, without brackets.
  package var host: String
  /// 0: any free one.
  package var port: Int

  package init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  /// Reads the text form; nil for anything else.
  package init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"),
      let port = Int(text[text.index(after: colon)...]), 0...65_535 ~= port
    else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty, !host.contains(where: \.isWhitespace) else { return nil }
    self.init(host: String(host), port: port)
  }

  /// The text form.
  package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
