import MatchCore

/// What a publisher writes beside a message, as far as it can mean anything to the service.
struct SenderProperties: Hashable {
  /// A header's value.
  enum Value: Hashable {
    /// An integer of any size.
    case number(Int64)
    /// Anything else.
    case other
  }

  /// A header; there may be several of one name.
  struct Header: Hashable {
    var name: String
    var value: Value
  }

  /// Where the sender waits for a reply.
  var replyTo: String?
  /// What the sender knows the reply by.
  var correlationID: String?
  /// Milliseconds after which the message is worth nothing, in decimal digits.
  var expiration: String?
  /// Headers in their order.
  var headers: [Header] = []

  /// The name under which a quorum queue says how often it has delivered a message before.
  static let deliveryCount = "x-delivery-count"

  /// A header that says how often the message was delivered before.
  static func forgedCount(_ count: Int64) -> Header {
    Header(name: deliveryCount, value: .number(count))
  }

  /// What the expiration means; the broker closes the channel over one that means nothing.
  /// Source: `rabbit_basic:parse_expiration` of RabbitMQ 3.10.8
  var lifetime: Result<Duration?, MalformedExpiration> {
    guard let expiration else { return .success(nil) }
    guard let milliseconds = UInt32(expiration), !expiration.hasPrefix("+") else {
      return .failure(MalformedExpiration())
    }
    return .success(.milliseconds(milliseconds))
  }

  /// An expiration that is no number of milliseconds.
  struct MalformedExpiration: Error {}
}

extension SimulatedBroker.Message {
  /// The headers as the broker hands them over: on a redelivery its count stands in the place of
  /// the first header of that name.
  private var headersHandedOver: [SenderProperties.Header] {
    guard deliveries > 1 else { return headers }
    let count = SenderProperties.forgedCount(Int64(deliveries) - 1)
    var headers = headers
    if let first = headers.firstIndex(where: { $0.name == count.name }) {
      headers[first] = count
    } else {
      headers.append(count)
    }
    return headers
  }

  /// How often a worker believes that it was delivered: the live bus reads the same.
  var timesDelivered: Int {
    guard deliveries > 1 else { return 1 }
    let first = headersHandedOver.first { $0.name == SenderProperties.deliveryCount }
    guard case .number(let before)? = first?.value else { return 2 }
    return Int(max(1, min(before, 1_000_000))) + 1
  }
}
