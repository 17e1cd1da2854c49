/// The errors of the event bus, by the caller's remedy.
public enum BusError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The broker cannot be reached or the connection is lost. Everything unacknowledged will be
  /// delivered again; everything unconfirmed is unknown. Open it anew.
  case disconnected(String)
  /// The broker knows us and says no: wrong password, no such vhost, no right to do this.
  case notPermitted(String)
  /// The exchange, queue or binding is missing: the topology was never set up.
  case unroutable(String)
  /// The broker takes nothing now: a queue is full, or it is out of memory or disk.
  case refused(String)
  /// A gateway takes nothing now: a limit is reached, or what stands behind it is away. It may say
  /// after how many seconds to come again.
  case unavailable(String, retryAfterSeconds: Int64?)
  /// No answer in time.
  case timedOut(String)

  /// The text for a person.
  public var description: String {
    switch self {
    case .disconnected(let text): "disconnected: \(text)"
    case .notPermitted(let text): "not permitted: \(text)"
    case .unroutable(let text): "unroutable: \(text)"
    case .refused(let text): "refused: \(text)"
    case .unavailable(let text, _): "unavailable: \(text)"
    case .timedOut(let text): "timed out: \(text)"
    }
  }
}

extension BusError: InterfaceError {
  public init(unanswered question: StaticString) {
    self = .disconnected("unimplemented: \(question)")
  }
}
