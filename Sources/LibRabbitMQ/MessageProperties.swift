/// The properties of a message, beside its body.
package struct MessageProperties: Hashable, Sendable {
  /// MIME type of the body.
  package var contentType: String?
  /// Encoding of the body, such as gzip.
  package var contentEncoding: String?
  /// Whether the message survives a restart of the broker in a durable queue (delivery mode 2).
  package var isPersistent: Bool
  /// 0 to 255. RabbitMQ 4 has quorum queues deliver messages above 4 before others; older brokers do so
  /// only in classic queues that were declared with priorities.
  package var priority: UInt8?
  /// Ties a reply to its request.
  package var correlationID: String?
  /// The queue to reply to.
  package var replyTo: String?
  /// Time to live in milliseconds, as decimal digits.
  package var expiration: String?
  /// The application's identifier of the message.
  package var messageID: String?
  /// Seconds since 1970-01-01T00:00:00Z.
  package var timestamp: UInt64?
  /// The application's name of the kind of message.
  package var type: String?
  /// The publishing user; the broker closes the channel with 406 if it is somebody else.
  package var userID: String?
  /// The publishing application.
  package var appID: String?
  /// Further properties by name. Of several with one name the first counts: the broker reads and
  /// replaces the first, and later ones of a publisher stay.
  package var headers: [String: Argument]
  /// Whether headers were received that exceed the limits of depth or size.
  ///
  /// They are left out, but for the broker's count of deliveries: a poisonous message must not hide
  /// how often it came.
  package internal(set) var hasExcessiveHeaders = false

  /// Properties of a message; persistent unless told otherwise.
  package init(
    contentType: String? = nil, isPersistent: Bool = true, correlationID: String? = nil,
    replyTo: String? = nil, messageID: String? = nil, timestamp: UInt64? = nil,
    type: String? = nil, userID: String? = nil, appID: String? = nil,
    headers: [String: Argument] = [:]
  ) {
    self.contentType = contentType
    self.isPersistent = isPersistent
    self.correlationID = correlationID
    self.replyTo = replyTo
    self.messageID = messageID
    self.timestamp = timestamp
    self.type = type
    self.userID = userID
    self.appID = appID
    self.headers = headers
  }

  static let deliveryCountHeader = "x-delivery-count"
}
