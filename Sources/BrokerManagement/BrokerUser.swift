import FoundationEssentials
import SHA2

/// A user as the broker keeps it.
package struct BrokerUser: Hashable, Sendable, Decodable {
  /// The rights at the management API, such as `administrator`.
  package var tags: [String]
  private var hash: String
  private var hashing: String?

  private enum CodingKeys: String, CodingKey {
    case tags
    case hash = "password_hash"
    case hashing = "hashing_algorithm"
  }

  /// Whether the broker takes this password of the user. A hash of another kind than RabbitMQ makes
  /// unless its configuration says otherwise is taken for that of another password.
  ///
  /// Source: https://www.rabbitmq.com/docs/passwords
  package func has(password: String) -> Bool {
    guard hashing == "rabbit_password_hashing_sha256", let kept = Data(base64Encoded: hash),
      kept.count == 36
    else { return false }
    var hasher = SHA256Hasher()
    (kept.prefix(4) + Data(password.utf8)).withUnsafeBytes { hasher.update($0) }
    return hasher.finalize { kept.dropFirst(4).elementsEqual($0) }
  }
}
