import Logging
import MatchService
import Synchronization

/// Tells the operator of peers that write like a proxy and are none that is named, each once.
package final class UnnamedProxies: Sendable {
  /// The most peers that are told of: anybody can write such fields.
  static let limit = 8

  private let told = Mutex<Set<InternetAddress>>([])

  func warn(of peer: InternetAddress, _ log: Logger) {
    let isNew = told.withLock { told in
      told.count < UnnamedProxies.limit && told.insert(peer).inserted
    }
    guard isNew else { return }
    log.warning(
      "a peer writes X-Forwarded-For or Forwarded and is not believed",
      metadata: [
        "address": "\(peer)",
        "help": "set \(SettingName.gatewayProxies.rawValue) if \(peer) is your proxy",
      ])
  }
}
