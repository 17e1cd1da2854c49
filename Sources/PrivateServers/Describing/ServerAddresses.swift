import CubistBasics

/// The addresses of servers. They hold the administrators' passwords.
package struct ServerAddresses: Hashable, Sendable {
  /// A conninfo of PostgreSQL's administrator.
  package var postgres: String
  /// The URL of RabbitMQ's administrator and the default virtual host.
  package var amqp: String
  /// The URL of the management API.
  package var management: String
  /// The same over TLS.
  package var secured: Secured?
  /// The folder that the servers are kept in.
  package var folder: String

  /// Ways over TLS, the server's certificate verified.
  package struct Secured: Hashable, Sendable {
    /// The same as ``ServerAddresses/postgres``.
    package var postgres: String
    /// The same as ``ServerAddresses/amqp``.
    package var amqps: String
    /// The same as ``ServerAddresses/management``.
    package var management: String

    /// A conninfo with another database.
    package func postgres(database: String) -> String {
      // In a conninfo the later of two equal keys counts.
      "\(postgres) dbname=\(database)"
    }

    /// The URL by which another user connects to RabbitMQ; nil where ``amqps`` is no URL.
    package func amqps(user: String, password: String) -> String? {
      ServerAddresses.url(amqps, user: user, password: password)
    }
  }

  /// The URL by which another user connects to RabbitMQ; nil where ``amqp`` is no URL.
  package func amqp(user: String, password: String) -> String? {
    ServerAddresses.url(amqp, user: user, password: password)
  }

  private static func url(_ url: String, user: String, password: String) -> String? {
    guard let scheme = url.firstRange(of: "://"), let at = url.lastIndex(of: "@") else {
      return nil
    }
    return "\(url[..<scheme.upperBound])\(user):\(password)\(url[at...])"
  }

  /// The environment variables that tell tests where the servers are.
  package var variables: [String: String] {
    var values = [
      "CUBIST_TEST_POSTGRES": postgres, "CUBIST_TEST_AMQP": amqp,
      "CUBIST_TEST_RABBITMQ_MANAGEMENT": management, "CUBIST_TEST_SERVERS": folder,
    ]
    if let secured {
      values["CUBIST_TEST_POSTGRES_TLS"] = secured.postgres
      values["CUBIST_TEST_AMQPS"] = secured.amqps
      values["CUBIST_TEST_RABBITMQ_MANAGEMENT_TLS"] = secured.management
    }
    return values
  }

  /// The lines with which a shell exports the variables.
  package var shellLines: String {
    variables.sorted { $0.key < $1.key }.map { name, value in
      "export \(name)='\(value.replacing("'", with: #"'\''"#))'\n"
    }.joined()
  }

  init(ports: ServerPorts, passwords: ServerPasswords, tls: Bool, paths: ServerPaths) {
    let members = ports.hasStandby ? 2 : 1
    func each(_ text: String) -> String {
      Array(repeating: text, count: members).joined(separator: ",")
    }
    let numbers = (1...members).map { "\(ports[.postgres($0)])" }.joined(separator: ",")
    let account =
      "port=\(numbers) user=cubist password=\(passwords.postgres) dbname=postgres"
      + (ports.hasStandby ? " target_session_attrs=read-write" : "")
    let nodes = 1...ports.nodes
    // libpq takes TLS where it can, unless told otherwise.
    postgres = "host=\(each("127.0.0.1")) \(account)\(tls ? " sslmode=disable" : "")"
    amqp =
      "amqp://cubist:\(passwords.rabbitmq)@"
      + nodes.map { "127.0.0.1:\(ports[.amqp($0)])" }.joined(separator: ",") + "/"
    management = "http://cubist:\(passwords.rabbitmq)@127.0.0.1:\(ports[.management(1)])"
    folder = paths.folder
    guard tls else { return }
    let authority = "?cacertfile=\(PercentEncoding.encode(paths.authority))"
    secured = Secured(
      postgres:
        "host=\(each("localhost")) hostaddr=\(each("127.0.0.1")) \(account) sslmode=verify-full "
        + "sslrootcert=\(ServerAddresses.conninfoValue(paths.authority))",
      amqps: "amqps://cubist:\(passwords.rabbitmq)@"
        + nodes.map { "localhost:\(ports[.amqps($0)])" }.joined(separator: ",") + "/\(authority)",
      management: "https://cubist:\(passwords.rabbitmq)@localhost:\(ports[.managements(1)])"
        + authority)
  }

  /// A value as libpq reads it: in quotes where it has to be.
  static func conninfoValue(_ text: String) -> String {
    guard text.isEmpty || text.contains(where: { $0.isWhitespace || $0 == "'" || $0 == "\\" })
    else { return text }
    let escaped = text.replacing("\\", with: #"\\"#).replacing("'", with: #"\'"#)
    return "'\(escaped)'"
  }
}

/// The administrators' passwords.
struct ServerPasswords: Hashable {
  var postgres: String
  var rabbitmq: String
}
