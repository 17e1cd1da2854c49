import LibRabbitMQ
import MatchWire

extension RequestTrace {
  /// The marks in a message's headers; nil if there are none of the right form. A stranger may have
  /// written anything there.
  init?(_ properties: MessageProperties) {
    guard !properties.headers.isEmpty,
      let id = properties.headers[RequestTrace.requestIDHeader]?.string
    else { return nil }
    self.init(requestID: id, parent: properties.headers[RequestTrace.parentHeader]?.string)
  }

  /// The marks as headers of a message.
  var headers: [String: Argument] {
    var headers: [String: Argument] = [RequestTrace.requestIDHeader: .string(requestID)]
    if let parent { headers[RequestTrace.parentHeader] = .string(parent) }
    return headers
  }
}
