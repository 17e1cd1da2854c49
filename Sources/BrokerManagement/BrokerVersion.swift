/// A version of RabbitMQ, such as 3.10.8.
package struct BrokerVersion: Comparable, CustomStringConvertible, Sendable {
  private let major: Int
  private let minor: Int
  private let patch: Int

  /// The first version that no account can end by a made-up address of direct reply-to.
  ///
  /// Earlier ones send the passive declaration of such an address, before they look at any right, to
  /// the Erlang process that it names. Most processes die of it, and some take the node along.
  /// Source: https://github.com/rabbitmq/rabbitmq-server/pull/14517
  package static let withoutPeril = BrokerVersion(major: 4, minor: 1, patch: 5)

  private init(major: Int, minor: Int, patch: Int) {
    (self.major, self.minor, self.patch) = (major, minor, patch)
  }

  /// Reads a version, such as `3.10.8` or `4.2.0-rc.1`; nil where it is none.
  package init?(_ text: String) {
    let numbers = text.prefix { $0 != "-" && $0 != "+" }
      .split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    guard numbers.count == 3, let major = numbers[0], let minor = numbers[1],
      let patch = numbers[2], min(major, minor, patch) >= 0
    else { return nil }
    self.init(major: major, minor: minor, patch: patch)
  }

  package static func < (one: BrokerVersion, other: BrokerVersion) -> Bool {
    (one.major, one.minor, one.patch) < (other.major, other.minor, other.patch)
  }

  package var description: String { "\(major).\(minor).\(patch)" }

  /// Whether any account, whatever its rights, can end a broker of this version. 4.2 needs its
  /// feature flag `rabbitmq_4.2.0` beside, which a new broker has on.
  package var isEndedByAnyAccount: Bool { self < .withoutPeril }

  /// What an account of the broker can do, a sentence.
  /// - Parameters:
  ///   - user: The account's name.
  ///   - version: The broker's; nil if it is unknown.
  package static func peril(of user: String, version: BrokerVersion?) -> String? {
    guard let version else {
      return "Whoever has the account \(user) can end RabbitMQ below \(withoutPeril)."
    }
    guard version.isEndedByAnyAccount else { return nil }
    return
      "Whoever has the account \(user) can end this broker: it is RabbitMQ \(version), and only "
      + "\(withoutPeril) and later ones withstand."
  }
}
