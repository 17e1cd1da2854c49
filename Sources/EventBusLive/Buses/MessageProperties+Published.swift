import LibRabbitMQ
import MatchCore

extension MessageProperties {
  /// The header in which the service puts the time on push jobs, in microseconds.
  private static let publishedHeader = "x-published-at"

  /// When the service published a push job.
  var publishedAt: Instant? {
    get { headers[Self.publishedHeader]?.integer.map { Instant(microseconds: $0) } }
    set { headers[Self.publishedHeader] = newValue.map { .int64($0.microseconds) } }
  }
}
