import LibRabbitMQ
import MatchWire
import RealServers

/// A message of a hostile player: any bytes with any properties, to anywhere.
struct HostileMessage {
  /// Where the answer is to go.
  enum Answer {
    /// To the sender.
    case own
    /// To an address that the sender names.
    case address(String)
    /// Nowhere.
    case nowhere
  }

  var exchange: String
  var routingKey: String
  var body: [UInt8]
  var properties = MessageProperties()
  var answer = Answer.own
  /// Headers that no table of names and values can hold.
  var rawHeaders: [RawProperties.Header]?

  /// An event to a slot.
  init(_ body: [UInt8], to slot: Slot) {
    self.init(body, exchange: Names().events, routingKey: slot.routingKey)
  }

  /// A query.
  init(query body: [UInt8]) {
    self.init(body, exchange: Names().queries, routingKey: Names().queries)
    properties.isPersistent = false
  }

  init(_ body: [UInt8], exchange: String, routingKey: String) {
    self.body = body
    self.exchange = exchange
    self.routingKey = routingKey
  }

  /// The same message with some of it changed.
  func with(_ change: (inout HostileMessage) -> Void) -> HostileMessage {
    var message = self
    change(&message)
    return message
  }
}
