import LibRabbitMQ
import MatchCore

extension MessageProperties {
  /// The header in which RabbitMQ puts its own time on messages, in milliseconds, where its
  /// interceptor `set_header_timestamp` is on.
  private static let brokerTimeHeader = "timestamp_in_ms"
  /// The header in which the service puts the time on push jobs, in microseconds.
  private static let publishedHeader = "x-published-at"

  /// The broker's time when it took the message; anybody's if the broker does not overwrite it.
  var brokerTime: Instant? {
    guard let milliseconds = headers[Self.brokerTimeHeader]?.integer else { return nil }
    let (microseconds, isTooMuch) = milliseconds.multipliedReportingOverflow(by: 1_000)
    return isTooMuch ? nil : Instant(microseconds: microseconds)
  }

  /// When the service published a push job.
  var publishedAt: Instant? {
    get { headers[Self.publishedHeader]?.integer.map { Instant(microseconds: $0) } }
    set { headers[Self.publishedHeader] = newValue.map { .int64($0.microseconds) } }
  }
}
