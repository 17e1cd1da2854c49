import CubistBasics
import LibRabbitMQ
import MatchInterfaces

extension BusError {
  /// Translates a connection's error for the owner of a bus.
  init(_ error: RabbitMQError) {
    let text = error.description
    switch error.code {
    case .authenticationRefused, .virtualHostRefused:
      self = .notPermitted(text)
    case .blocked, .invalidArgument:
      self = .refused(text)
    case .channelClosed where error.replyCode == 403:
      self = .notPermitted(text)
    case .channelClosed where error.replyCode == 404:
      self = .unroutable(text)
    case .channelClosed where error.replyCode == 406 && !error.isRetryable:
      // Another declaration of the same name, or a body over the broker's limit.
      self = .refused(text)
    default:
      self = .disconnected(text)
    }
  }

  /// Translates the outcome of a publication. Nil if the broker confirmed the message.
  init?(_ outcome: PublishOutcome, of what: String) {
    switch outcome {
    case .confirmed: return nil
    case .refused: self = .refused("the queue of \(what) is full")
    case .returned(let code, let text):
      self = .unroutable("no queue takes \(what) (\(code) \(text))")
    case .unknown: self = .disconnected("the connection was lost before \(what) was confirmed")
    }
  }
}

/// Calls the broker and translates its errors for the owner of a bus.
func onBroker<Result>(
  _ body: @autoclosure () throws(RabbitMQError) -> Result
) throws(BusError) -> Result {
  try mapErrors({ BusError($0) }, body)
}

/// The same for several statements.
func onBroker<Result>(
  _ body: () throws(RabbitMQError) -> Result
) throws(BusError) -> Result {
  try mapErrors({ BusError($0) }, body)
}
