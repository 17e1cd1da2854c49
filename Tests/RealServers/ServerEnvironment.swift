import FoundationEssentials

/// The addresses of the servers for tests, as `deploy/servers start DIR --tls` wrote them down.
///
/// Tests connect as a service in production does: by TLS, and the server's certificate is verified.
/// A test about plain TCP asks for a plain address by its name.
package struct ServerEnvironment: Sendable {
  /// A conninfo of the administrator, such as `host=localhost port=… sslmode=verify-full …`.
  package let postgres: String
  /// The administrator's `amqps://` URL of the default virtual host.
  package let amqp: String
  /// The administrator's `https://` URL of the management API.
  package let managementURL: String
  /// The same as ``amqp`` without TLS.
  package let plainAMQP: String
  /// The same as ``managementURL`` without TLS.
  package let plainManagementURL: String
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
          \(name) is not set. This test needs real servers that speak TLS: run deploy/test, or
          deploy/servers start .cubist/test --tls && . .cubist/test/env
          """)
      }
      return value
    }
    postgres = try required("CUBIST_TEST_POSTGRES_TLS")
    guard !postgres.contains("://") else {
      throw RealServersError(
        "CUBIST_TEST_POSTGRES_TLS is a URL; tests need the form host=… port=… user=… password=…")
    }
    amqp = try required("CUBIST_TEST_AMQPS")
    managementURL = try required("CUBIST_TEST_RABBITMQ_MANAGEMENT_TLS")
    management = try ManagementClient(url: managementURL)
    plainAMQP = try required("CUBIST_TEST_AMQP")
    plainManagementURL = try required("CUBIST_TEST_RABBITMQ_MANAGEMENT")
    folder = variables["CUBIST_TEST_SERVERS"]
  }

  /// A URL of a server with another user in the administrator's place.
  ///
  /// - Parameter user: `user:password`, percent-encoded.
  package static func url(_ url: String, user: String) throws -> String {
    guard let scheme = url.firstRange(of: "://"), let at = url.lastIndex(of: "@") else {
      throw RealServersError("the URL of a server names no user")
    }
    return "\(url[..<scheme.upperBound])\(user)\(url[at...])"
  }
}
