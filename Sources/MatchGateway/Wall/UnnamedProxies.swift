import Logging
import MatchService

/// Tells the operator of peers that write like a proxy and are none that is named, each once.
package final class UnnamedProxies: Sendable {
  /// The most peers that are told of: anybody can write such fields.
  static let limit = 8

  private let told = FirstOnes<InternetAddress>(limit: UnnamedProxies.limit)

  func warn(of peer: InternetAddress, _ log: Logger) {
    guard told.isNew(peer) else { return }
    log.warning(
      "a peer writes X-Forwarded-For or Forwarded and is not believed",
      metadata: [
        "address": "\(peer)",
        "help": "set \(SettingName.gatewayProxies.rawValue) if \(peer) is your proxy",
      ])
  }
}
