import Synchronization

/// Whether a gateway serves, leaves or has left: known to the threads of all its roles.
package final class GatewayLife: Sendable {
  /// How long open requests may take to end once the gateway leaves.
  package static let drainTime: Duration = .seconds(10)

  private enum Stage {
    case serving
    case leaving(since: UInt64)
    case closed
  }

  private let stage: Mutex<Stage>

  /// A life of a gateway that does not serve yet.
  package init() { stage = Mutex(.closed) }

  package func serve() { stage.withLock { $0 = .serving } }
  package func leave(at uptime: UInt64) { stage.withLock { $0 = .leaving(since: uptime) } }
  package func close() { stage.withLock { $0 = .closed } }

  /// Whether new requests are taken.
  package var isServing: Bool {
    stage.withLock { stage in
      if case .serving = stage { true } else { false }
    }
  }

  /// Whether open requests still need the broker.
  package func isDraining(at uptime: UInt64) -> Bool {
    stage.withLock { stage in
      switch stage {
      // The one that serves has not noticed the signal yet.
      case .serving: true
      case .leaving(let since):
        uptime &- since < 2 * UInt64(GatewayLife.drainTime / .nanoseconds(1))
      case .closed: false
      }
    }
  }
}
