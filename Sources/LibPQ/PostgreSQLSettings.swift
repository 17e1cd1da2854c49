/// The servers of PostgreSQL, the user, and all time limits.
///
/// libpq fills values that are `nil` from its environment variables and defaults.
package struct PostgreSQLSettings: Sendable, Hashable {
  /// The servers to try, in this order.
  package var endpoints: [Endpoint] = [Endpoint()]
  /// The role.
  package var user: String?
  /// The password; never part of a description.
  package var password: String?
  package var database: String?
  /// How much of TLS is demanded.
  package var sslMode: SSLMode?
  /// The name that `pg_stat_activity` shows.
  package var applicationName: String?
  /// Which servers will do.
  package var targetSessionAttributes = TargetSessionAttributes.readWrite
  /// The schemas in which unqualified names are looked up, as in `SET search_path`.
  package var searchPath: String?

  /// How long connecting to one endpoint may take, authentication included.
  package var connectTimeout: Duration = .seconds(3)
  /// How long one statement may take.
  package var statementTimeout: Duration = .seconds(5)
  /// How long a statement may wait for a lock.
  package var lockTimeout: Duration = .seconds(2)
  /// How long a transaction may be idle before the server ends the session.
  package var idleInTransactionTimeout: Duration = .seconds(10)
  /// How long beyond ``statementTimeout`` an answer may take before the connection is given up.
  package var responseMargin: Duration = .seconds(2)
  /// How long sent data may stay unacknowledged by the server's machine.
  package var tcpUserTimeout: Duration = .seconds(10)
  /// When the system probes a silent connection.
  package var keepalives = Keepalives()

  /// Further parameters of the session, such as `plan_cache_mode`.
  package var serverParameters: [String: String] = [:]
  /// Further keywords of libpq, such as `sslrootcert`.
  package var keywords: [String: String] = [:]

  /// Makes settings for libpq's defaults.
  package init() {}

  /// One server.
  package struct Endpoint: Sendable, Hashable {
    /// A host name, an address, or the folder of a Unix socket.
    ///
    /// libpq looks names up with no time limit; an address avoids that.
    package var host: String?
    /// A numeric address, used instead of looking ``host`` up.
    package var address: String?
    package var port: UInt16?

    /// Makes an endpoint.
    package init(host: String? = nil, port: UInt16? = nil, address: String? = nil) {
      self.host = host
      self.port = port
      self.address = address
    }
  }

  /// How much of TLS is demanded, libpq's `sslmode`.
  package enum SSLMode: String, Sendable, Hashable, CaseIterable {
    /// Never.
    case disable
    /// Only if the server insists.
    case allow
    /// If the server has it.
    case prefer
    /// Always, without a check of the server's certificate.
    case require
    /// Always, with a certificate that a known authority signed.
    case verifyAuthority = "verify-ca"
    /// Always, with a certificate for the host name.
    case verifyFull = "verify-full"
  }

  /// Which servers will do, libpq's `target_session_attrs`.
  package enum TargetSessionAttributes: String, Sendable, Hashable, CaseIterable {
    /// Any server.
    case any
    /// A server with sessions that may write by default.
    case readWrite = "read-write"
    /// A server with sessions that may not write by default.
    case readOnly = "read-only"
    /// A server that is not in hot standby.
    case primary
    /// A server in hot standby.
    case standby
  }

  /// When the system probes a silent connection, and when it gives up.
  package struct Keepalives: Sendable, Hashable {
    /// The silence before the first probe.
    package var idle: Duration = .seconds(5)
    /// The time between probes.
    package var interval: Duration = .seconds(2)
    /// How many probes may go unanswered.
    package var count = 3

    /// Makes the default: given up after 11 s of silence.
    package init() {}
  }

  /// How long an answer may take before the connection is given up.
  var responseTimeout: Duration { statementTimeout + responseMargin }
}

extension PostgreSQLSettings: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// Servers, role and database, without the password.
  package var description: String {
    let places = endpoints.map { endpoint in
      (endpoint.host ?? endpoint.address ?? "default host")
        + (endpoint.port.map { ":\($0)" } ?? "")
    }
    return "PostgreSQL at \(places.joined(separator: ",")) as \(user ?? "default user")"
      + ", database \(database ?? "default")"
  }

  /// The same as the description.
  package var debugDescription: String { description }

  /// The description alone, so that no dump shows the password.
  package var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
