import FoundationEssentials

/// The addresses of the servers for tests, as `deploy/servers` wrote them down.
package struct ServerEnvironment: Sendable {
  /// A conninfo of the administrator, such as `host=127.0.0.1 port=… user=… password=… dbname=…`.
  package let postgres: String
  /// The same server over TLS with a verified certificate, if the servers speak TLS.
  package let postgresTLS: String?
  /// The administrator's `amqp://` URL of the default virtual host.
  package let amqp: String
  /// The administrator's `amqps://` URL, when the broker has a TLS listener.
  package let amqps: String?
  /// The path of the authority's certificate behind ``amqps``.
  package let certificateAuthority: String?
  /// The folder that `deploy/servers` keeps the servers in, for tests that restart them.
  package let folder: String?

  let management: ManagementClient

  static let current = Result { try ServerEnvironment(ProcessInfo.processInfo.environment) }

  /// Reads the variables that `deploy/servers env` prints.
  ///
  /// - Throws: ``RealServersError`` naming the missing variable.
  package init(_ variables: [String: String]) throws {
    func required(_ name: String) throws -> String {
      guard let value = variables[name], !value.isEmpty else {
        throw RealServersError(
          """
          \(name) is not set. This test needs real servers: run deploy/test, or
          deploy/servers start .cubist/test --tls && . .cubist/test/env
          """)
      }
      return value
    }
    postgres = try required("CUBIST_TEST_POSTGRES")
    guard !postgres.contains("://") else {
      throw RealServersError(
        "CUBIST_TEST_POSTGRES is a URL; tests need the form host=… port=… user=… password=…")
    }
    postgresTLS = variables["CUBIST_TEST_POSTGRES_TLS"]
    amqp = try required("CUBIST_TEST_AMQP")
    management = try ManagementClient(url: required("CUBIST_TEST_RABBITMQ_MANAGEMENT"))
    amqps = variables["CUBIST_TEST_AMQPS"]
    certificateAuthority = variables["CUBIST_TEST_AMQPS_CA"]
    folder = variables["CUBIST_TEST_SERVERS"]
  }
}
