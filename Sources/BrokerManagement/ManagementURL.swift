import CubistBasics

/// The address of a management API: `http://user:password@host:port`, or `https://…`, which may end
/// with `?cacertfile=` and the path of a file with authorities in PEM.
struct ManagementURL: Hashable, Sendable {
  var scheme: String
  /// Host and port.
  var endpoint: String
  var user: String
  var password: String
  /// The file with the authorities that may vouch for the server; nil: the system's.
  var certificateAuthority: String?

  init(_ url: String) throws(ManagementError) {
    guard let scheme = ["http", "https"].first(where: { url.hasPrefix("\($0)://") }) else {
      throw .badURL("it must begin with http:// or https://")
    }
    self.scheme = scheme
    var rest = url.dropFirst(scheme.utf8.count + 3)
    guard let at = rest.lastIndex(of: "@") else { throw .badURL("it names no user") }
    let identity = rest[..<at].split(
      separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    rest = rest[rest.index(after: at)...]
    if let mark = rest.firstIndex(of: "?") {
      certificateAuthority = try Self.authority(rest[rest.index(after: mark)...], scheme)
      rest = rest[..<mark]
    }
    while rest.last == "/" { rest.removeLast() }
    guard identity.count == 2, let user = Self.text(identity[0]),
      let password = Self.text(identity[1])
    else { throw .badURL("before the @ it must have user:password, percent-encoded") }
    guard let colon = rest.lastIndex(of: ":"), colon != rest.startIndex,
      let port = UInt16(rest[rest.index(after: colon)...]), port > 0
    else { throw .badURL("it must end with host:port") }
    guard !rest.contains(where: { "/#\r\n ".contains($0) }) else {
      throw .badURL("after the port it must end")
    }
    (endpoint, self.user, self.password) = (String(rest), user, password)
  }

  /// The URL without user, password and authorities.
  var bare: String { "\(scheme)://\(endpoint)" }

  private static func authority(
    _ query: Substring, _ scheme: String
  ) throws(ManagementError) -> String {
    let name = "cacertfile="
    guard query.hasPrefix(name), scheme == "https" else {
      throw .badURL("after the port it must end, or with https:// go on with ?cacertfile=FILE")
    }
    guard let file = text(query.dropFirst(name.utf8.count)), !file.isEmpty else {
      throw .badURL("its cacertfile must be a path, percent-encoded")
    }
    return file
  }

  private static func text(_ encoded: Substring) -> String? {
    PercentEncoding.bytes(of: encoded).flatMap { String(validating: $0, as: UTF8.self) }
  }
}
