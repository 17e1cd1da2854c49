/// The reason the broker's management API did not do as asked.
package enum ManagementError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The URL is not valid. The text names no part that could be a password.
  case badURL(String)
  /// Nobody answers there.
  case unreachable(endpoint: String, reason: String)
  /// Its certificate is no authority's that is trusted, or not of this host; or it speaks no TLS.
  case notTrusted(endpoint: String, reason: String)
  /// The user's name or password is wrong, or the user lacks a tag or rights in the virtual host.
  case notPermitted(endpoint: String, user: String)
  /// The API refused, with this HTTP status and reason.
  case refused(operation: String, status: Int, reason: String)
  /// The answer is not one of RabbitMQ's.
  case malformed(operation: String, reason: String)

  /// One sentence for a person: the problem and the remedy.
  package var description: String {
    switch self {
    case .badURL(let reason):
      "the URL of RabbitMQ's management API cannot be read: \(reason); "
        + "it looks like http://user:password@host:15672 or https://user:password@host:15671"
    case .unreachable(let endpoint, let reason):
      "RabbitMQ's management API does not answer at \(endpoint): \(reason). "
        + "Check that RabbitMQ runs there with the plugin rabbitmq_management."
    case .notTrusted(let endpoint, let reason):
      "RabbitMQ's management API at \(endpoint) is not trusted: \(reason). "
        + "Check the host's name, and that the URL ends with ?cacertfile= and the file of the "
        + "authority if the system does not know it."
    case .notPermitted(let endpoint, let user):
      "RabbitMQ's management API at \(endpoint) refuses user \(user). "
        + "Check the password, and that the user has rights in the virtual host and the tag "
        + "administrator; to look, the tag monitoring is enough."
    case .refused(let operation, let status, let reason):
      "RabbitMQ's management API refused to \(operation) (\(status)): \(reason)"
    case .malformed(let operation, let reason):
      "RabbitMQ's management API gave no sensible answer to \(operation): \(reason)"
    }
  }
}
