import CubistBasics

/// Where a broker is and how to talk to it.
package struct RabbitMQSettings: Sendable {
  /// How the connection is protected.
  package struct TLS: Hashable, Sendable {
    /// Path of the PEM file of the certificate authorities to trust.
    package var caCertificate: String
    /// Path of the client's PEM certificate chain, if the broker wants one.
    package var clientCertificate: String?
    /// Path of the client's PEM key.
    package var clientKey: String?
    /// Whether the certificate must name the host (as a DNS name; addresses never match).
    package var verifyHostname: Bool

    /// Debian's collection of certificate authorities.
    package static let systemAuthorities = "/etc/ssl/certs/ca-certificates.crt"

    /// TLS 1.2 or later against the given authorities.
    package init(
      caCertificate: String = systemAuthorities, clientCertificate: String? = nil,
      clientKey: String? = nil, verifyHostname: Bool = true
    ) {
      self.caCertificate = caCertificate
      self.clientCertificate = clientCertificate
      self.clientKey = clientKey
      self.verifyHostname = verifyHostname
    }
  }

  /// A further node of a cluster.
  package struct Endpoint: Hashable, Sendable {
    /// Host name or address.
    package var host: String
    /// TCP port.
    package var port: UInt16

    /// A node by host and port.
    package init(host: String, port: UInt16) {
      self.host = host
      self.port = port
    }
  }

  /// Host name or address.
  package var host: String
  /// TCP port; 5672 and, with TLS, 5671 by custom.
  package var port: UInt16
  /// Further nodes of the same cluster, tried in this order where the one before cannot be reached.
  package var alternates: [Endpoint] = []
  /// The broker's user.
  package var user: String
  /// That user's password; never printed.
  package var password: String
  /// The virtual host, `/` by default.
  package var virtualHost: String
  /// TLS, or nil for plain TCP.
  package var tls: TLS?
  /// Proposed heartbeat interval in seconds; the broker may lower it.
  ///
  /// RabbitMQ advises 5 to 20.
  /// 0 switches heartbeats off, and with them the detection of dead brokers.
  package var heartbeatSeconds: Int = 10
  /// Longest wait for TCP with TLS, for the AMQP handshake and for the channel, each.
  package var connectTimeout: Duration = .seconds(5)
  /// Longest wait for the answer to a declaration and the like.
  package var replyTimeout: Duration = .seconds(10)
  /// Name of the connection in RabbitMQ's management pages.
  package var name: String = "LibRabbitMQ"
  /// Largest accepted message body in bytes; a larger one is a protocol violation.
  package var messageSizeLimit: Int = 16 * 1024 * 1024

  /// A broker by its parts.
  package init(
    host: String = "127.0.0.1", port: UInt16 = 5672, user: String = "guest",
    password: String = "guest", virtualHost: String = "/", tls: TLS? = nil
  ) {
    self.host = host
    self.port = port
    self.user = user
    self.password = password
    self.virtualHost = virtualHost
    self.tls = tls
  }
}

extension RabbitMQSettings {
  /// A broker by its URL: `amqp://user:password@host:port/vhost`, or `amqps://` for TLS.
  ///
  /// A cluster's nodes are listed with commas, each with its port: `host1:port1,host2:port2`.
  /// User, password and virtual host may be percent-encoded; no virtual host or an empty one means
  /// `/`. Queries understood, as in RabbitMQ's URI specification: `heartbeat` (seconds),
  /// `connection_timeout` (milliseconds), `cacertfile`, `certfile`, `keyfile`, `verify`
  /// (`verify_peer` only: an unverified connection is not offered).
  ///
  /// - Throws: ``RabbitMQError/Code/invalidArgument``; the text repeats no part of the URL but the
  ///   name of an unknown query.
  package init(url: String) throws(RabbitMQError) {
    var rest = Substring(url)
    if rest.hasPrefix("amqp://") {
      self.init()
      rest = rest.dropFirst(7)
    } else if rest.hasPrefix("amqps://") {
      self.init(port: 5671, tls: TLS())
      rest = rest.dropFirst(8)
    } else {
      throw Self.badURL("it must begin with amqp:// or amqps://")
    }
    if rest.contains("#") { throw Self.badURL("a fragment has no meaning; write # as %23") }
    var query: Substring?
    if let mark = rest.firstIndex(of: "?") {
      query = rest[rest.index(after: mark)...]
      rest = rest[..<mark]
    }
    if let slash = rest.firstIndex(of: "/") {
      let name = try Self.decoded(rest[rest.index(after: slash)...], part: "virtual host")
      if !name.isEmpty { virtualHost = name }
      rest = rest[..<slash]
    }
    if let at = rest.lastIndex(of: "@") {
      let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      user = try Self.decoded(parts[0], part: "user")
      if parts.count == 2 { password = try Self.decoded(parts[1], part: "password") }
      rest = rest[rest.index(after: at)...]
    }
    let nodes = rest.split(separator: ",", omittingEmptySubsequences: false)
    guard nodes.count < 2 || !nodes.contains("") else {
      throw Self.badURL("a host among several is empty")
    }
    try setAuthority(nodes.first ?? "")
    for node in nodes.dropFirst() {
      var other = self
      other.port = tls == nil ? 5672 : 5671
      try other.setAuthority(node)
      alternates.append(Endpoint(host: other.host, port: other.port))
    }
    if let query { try setQueries(query) }
  }

  private mutating func setAuthority(_ authority: Substring) throws(RabbitMQError) {
    var name = authority
    var number: Substring?
    if authority.first == "[" {
      guard let end = authority.firstIndex(of: "]") else {
        throw Self.badURL("an IPv6 address lacks its ]")
      }
      name = authority[authority.index(after: authority.startIndex)..<end]
      let tail = authority[authority.index(after: end)...]
      guard tail.isEmpty || tail.first == ":" else { throw Self.badURL("text follows the ]") }
      number = tail.isEmpty ? nil : tail.dropFirst()
    } else if let colon = authority.lastIndex(of: ":") {
      name = authority[..<colon]
      number = authority[authority.index(after: colon)...]
    }
    if !name.isEmpty { host = String(name) }
    if host.contains(":") && authority.first != "[" {
      throw Self.badURL("an IPv6 address goes in [ ]")
    }
    guard let number else { return }
    guard let value = UInt16(number), value > 0 else {
      throw Self.badURL("the port must be a number from 1 to 65535")
    }
    port = value
  }

  private mutating func setQueries(_ query: Substring) throws(RabbitMQError) {
    for pair in query.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let key = String(parts[0])
      let value = try Self.decoded(parts.count == 2 ? parts[1] : "", part: key)
      switch key {
      case "heartbeat":
        guard let seconds = Int(value), (0...3600).contains(seconds) else {
          throw Self.badURL("heartbeat must be a number of seconds from 0 to 3600")
        }
        heartbeatSeconds = seconds
      case "connection_timeout":
        guard let milliseconds = Int(value), (1...600_000).contains(milliseconds) else {
          throw Self.badURL("connection_timeout must be from 1 to 600000 milliseconds")
        }
        connectTimeout = .milliseconds(milliseconds)
      case "verify":
        guard value == "verify_peer" else { throw Self.badURL("verify must be verify_peer") }
      case "cacertfile", "certfile", "keyfile":
        guard tls != nil else { throw Self.badURL("\(key) needs amqps://") }
        switch key {
        case "cacertfile": tls?.caCertificate = value
        case "certfile": tls?.clientCertificate = value
        default: tls?.clientKey = value
        }
      default:
        throw Self.badURL("unknown query \(key)")
      }
    }
  }

  private static func decoded(_ text: Substring, part: String) throws(RabbitMQError) -> String {
    guard let bytes = PercentEncoding.bytes(of: text) else {
      throw badURL("the \(part) has a % that two hex digits do not follow")
    }
    guard let decoded = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
      throw badURL("the \(part) is not UTF-8 text")
    }
    return decoded
  }

  private static func badURL(_ reason: String) -> RabbitMQError {
    RabbitMQError(.invalidArgument, operation: "reading the AMQP URL", reason: reason)
  }

  /// `host:port`, an IPv6 address in brackets; of several nodes the first.
  package var endpoint: String { Endpoint(host: host, port: port).description }

  /// Makes the next node the first; false if there is none.
  mutating func advance() -> Bool {
    guard !alternates.isEmpty else { return false }
    let next = alternates.removeFirst()
    host = next.host
    port = next.port
    return true
  }
}

extension RabbitMQSettings.Endpoint: CustomStringConvertible {
  /// `host:port`, an IPv6 address in brackets.
  package var description: String {
    host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}

extension RabbitMQSettings: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// Scheme, user, endpoints and virtual host; no password.
  package var description: String {
    let nodes = ([endpoint] + alternates.map(\.description)).joined(separator: ",")
    return "\(tls == nil ? "amqp" : "amqps")://\(user)@\(nodes) vhost \(virtualHost)"
  }

  /// The same as ``description``.
  package var debugDescription: String { description }

  /// Hides the password from `dump` and test failures too.
  package var customMirror: Mirror {
    Mirror(self, children: ["settings": description], displayStyle: .struct)
  }
}
