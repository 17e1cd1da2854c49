import MatchCore
import MatchInterfaces
import MatchWire

/// A message's properties from its publisher, as far as they can matter to the service.
struct SenderProperties: Hashable {
  /// A header's value.
  enum Value: Hashable {
    /// An integer of any size.
    case number(Int64)
    case text(String)
    /// Anything else.
    case other
  }

  /// A header. Several may have the same name.
  struct Header: Hashable {
    var name: String
    var value: Value
  }

  /// The address at which the sender waits for a reply.
  var replyTo: String?
  /// The sender's name for the reply.
  var correlationID: String?
  /// Milliseconds after which the message is worthless, in decimal digits.
  var expiration: String?
  /// 0 to 255.
  var priority: UInt8?
  /// Headers in their order.
  var headers: [Header] = []

  /// The header in which a quorum queue counts earlier deliveries of a message.
  static let deliveryCount = "x-delivery-count"

  /// A header that claims a number of earlier deliveries.
  static func forgedCount(_ count: Int64) -> Header {
    Header(name: deliveryCount, value: .number(count))
  }

  /// The lifetime by the expiration. The broker closes the channel if an expiration is malformed.
  /// Source: `rabbit_basic:parse_expiration` of RabbitMQ 3.10.8
  var lifetime: Result<Duration?, MalformedExpiration> {
    guard let expiration else { return .success(nil) }
    guard let milliseconds = UInt32(expiration), !expiration.hasPrefix("+") else {
      return .failure(MalformedExpiration())
    }
    return .success(.milliseconds(milliseconds))
  }

  /// An expiration that is not a number of milliseconds.
  struct MalformedExpiration: Error {}
}

extension RequestTrace {
  /// The marks in headers. The first header of a name counts.
  init?(_ headers: [SenderProperties.Header]) {
    func text(_ name: String) -> String? {
      guard case .text(let text)? = headers.first(where: { $0.name == name })?.value else {
        return nil
      }
      return text
    }
    guard let id = text(RequestTrace.requestIDHeader) else { return nil }
    self.init(requestID: id, parent: text(RequestTrace.parentHeader))
  }

  /// The marks as headers.
  var headers: [SenderProperties.Header] {
    [.init(name: RequestTrace.requestIDHeader, value: .text(requestID))]
      + (parent.map { [.init(name: RequestTrace.parentHeader, value: .text($0))] } ?? [])
  }
}

extension SimulatedBroker.Message {
  /// Whether RabbitMQ 4 delivers it before earlier ones.
  var overtakes: Bool { (priority ?? 0) > EventDelivery.highestPriorityInOrder }

  /// The headers as the broker hands them over. On a redelivery its count replaces the first header
  /// of that name.
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

  /// The number of deliveries as a worker reads it. The live bus reads the same.
  var timesDelivered: Int {
    guard deliveries > 1 else { return 1 }
    let first = headersHandedOver.first { $0.name == SenderProperties.deliveryCount }
    guard case .number(let before)? = first?.value else { return 2 }
    return Int(max(1, min(before, 1_000_000))) + 1
  }
}
