import MatchInterfaces

/// How the wait for an answer ended.
package enum Fate: Hashable, Sendable {
  /// The answer's bytes.
  case reply([UInt8])
  /// Nobody has the message.
  case unsent(Unsent)
  /// No answer came. The broker has the message, or its fate is unknown.
  case unanswered(isConfirmed: Bool)

  /// Why a message was not sent.
  package enum Unsent: Hashable, Sendable {
    /// There is no connection to the broker.
    case disconnected
    /// The broker did not take it, or has no queue for it.
    case refused
    /// As many requests wait as may.
    case full
  }
}
