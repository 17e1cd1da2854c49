import LibRabbitMQ
import Metrics
import ServiceMetrics

/// The meters of the buses. All labels are from closed sets.
struct BusMeters: Sendable {
  /// The kind of message that is published.
  enum Kind: String, CaseIterable {
    case reply, outcome, push, answer, event, retry
  }

  /// The reason a message was not even tried.
  enum Drop: String, CaseIterable {
    /// An alarm of the broker is on.
    case blocked
    /// There is no connection.
    case disconnected
    /// The connection takes nothing at the moment, or too many messages are unconfirmed.
    case congested
    /// The reply-to is not a direct one.
    case foreignAddress
    /// The reply-to names a node of the broker that is absent or unknown.
    case unknownNode
  }

  private let published: [Kind: Counter]
  private let dropped: [Kind: [Drop: Counter]]
  private let confirmed = Counter(.busConfirmed)
  private let refused = Counter(.busUnconfirmed, [("reason", "refused")])
  private let returned = Counter(.busUnconfirmed, [("reason", "returned")])
  private let unknown = Counter(.busUnconfirmed, [("reason", "unknown")])
  private let confirmTime = Timer(.workerConfirmSeconds)

  init() {
    published = Dictionary(
      uniqueKeysWithValues: Kind.allCases.map {
        ($0, Counter(.busPublished, [("kind", $0.rawValue)]))
      })
    dropped = Dictionary(
      uniqueKeysWithValues: Kind.allCases.map { kind in
        let counters = Drop.allCases.map { reason in
          let dimensions = [("kind", kind.rawValue), ("reason", reason.rawValue)]
          return (reason, Counter(.busDropped, dimensions))
        }
        return (kind, Dictionary(uniqueKeysWithValues: counters))
      })
  }

  func countPublished(_ kind: Kind) { published[kind]?.increment() }

  func countDropped(_ kind: Kind, _ reason: Drop) { dropped[kind]?[reason]?.increment() }

  /// Push jobs of a worker were confirmed after so long.
  func confirmed(after nanoseconds: UInt64) {
    confirmTime.recordNanoseconds(Int64(clamping: nanoseconds))
  }

  func count(_ outcome: PublishOutcome) {
    switch outcome {
    case .confirmed: confirmed.increment()
    case .refused: refused.increment()
    case .returned: returned.increment()
    case .unknown: unknown.increment()
    }
  }
}
