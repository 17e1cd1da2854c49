/// The properties that a publisher sets on a message, true or not.
package struct PublisherProperties: Sendable {
  /// A header's value.
  package enum Value: Sendable {
    /// A signed 64-bit integer.
    case number(Int64)
    /// Text.
    case text(String)
  }

  /// A header; there may be several of one name.
  package struct Header: Sendable {
    package var name: String
    package var value: Value
  }

  package var replyTo: String?
  package var correlationID: String?
  /// Milliseconds in decimal digits.
  package var expiration: String?
  package var priority: UInt8?
  package var headers: [Header] = []

  /// Headers that say how often the message was delivered before.
  static func counts(_ values: Value...) -> PublisherProperties {
    PublisherProperties(headers: values.map { Header(name: "x-delivery-count", value: $0) })
  }
}
