/// A version of RabbitMQ, such as 3.10.8.
package struct BrokerVersion: Comparable, CustomStringConvertible, Sendable {
  private let major: Int
  private let minor: Int
  private let patch: Int

  /// The first version that no account can end by a made-up address of direct reply-to; 4.2 needs
  /// its `flag` besides.
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

  /// The feature flag without which a broker of 4.2 is like earlier ones. A new broker has it on, one
  /// that was upgraded only once somebody enables it. 4.3 always has it.
  /// Source: https://github.com/rabbitmq/rabbitmq-server/pull/14474
  package static let flag = "rabbitmq_4.2.0"

  /// Whether this version withstands only with the flag.
  package var needsFlag: Bool { (major, minor) == (4, 2) }

  /// Whether any account, whatever its rights, can end a broker of this version.
  /// - Parameter flagIsOn: Whether the broker has the flag, where its version needs it.
  package func isEndedByAnyAccount(flagIsOn: Bool) -> Bool {
    self < .withoutPeril || needsFlag && !flagIsOn
  }

  /// What an account of the broker can do, a sentence; nil where the broker withstands.
  /// - Parameters:
  ///   - user: The account's name.
  ///   - version: The broker's; nil if it is unknown.
  ///   - flagIsOn: Whether the broker has the flag, where its version needs it.
  package static func peril(of user: String, version: BrokerVersion?, flagIsOn: Bool) -> String? {
    guard let version else {
      return
        "Whoever has the account \(user) can end RabbitMQ below \(withoutPeril), and 4.2 without "
        + "its feature flag \(flag)."
    }
    guard version.isEndedByAnyAccount(flagIsOn: flagIsOn) else { return nil }
    return "Whoever has the account \(user) can end this broker: it is RabbitMQ \(version), "
      + (version.needsFlag
        ? "whose feature flag \(flag) is off. Once all nodes are 4.2: rabbitmqctl "
          + "enable_feature_flag \(flag)"
        : "and only \(withoutPeril) and later ones withstand.")
  }
}
