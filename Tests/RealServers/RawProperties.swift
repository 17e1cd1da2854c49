/// The properties beside a message's body, as a publisher of its own making could send them: texts
/// of any bytes, headers in any order, the same one twice.
package struct RawProperties: Sendable {
  /// A value of a header.
  package indirect enum Value: Sendable {
    /// True or false.
    case boolean(Bool)
    /// A signed 8-bit integer.
    case int8(Int8)
    /// A signed 32-bit integer.
    case int32(Int32)
    /// A signed 64-bit integer.
    case int64(Int64)
    /// An unsigned 64-bit integer.
    case uint64(UInt64)
    /// A double-precision number.
    case double(Double)
    /// `value / 10^scale`.
    case decimal(scale: UInt8, value: UInt32)
    /// Text, of any bytes.
    case text([UInt8])
    /// Bytes.
    case bytes([UInt8])
    /// Seconds since 1970-01-01T00:00:00Z.
    case timestamp(UInt64)
    /// Values in order.
    case array([Value])
    /// Values by name.
    case table([Header])
    /// No value.
    case void
  }

  /// A header.
  package struct Header: Sendable {
    /// Its name.
    package var name: String
    /// Its value.
    package var value: Value

    /// Puts a header together.
    package init(_ name: String, _ value: Value) {
      self.name = name
      self.value = value
    }
  }

  /// A property that is a text.
  package enum Text: Sendable, CaseIterable {
    /// See the broker's documentation.
    case contentType, contentEncoding, correlationID, replyTo, expiration, messageID, type, userID,
      appID, clusterID
  }

  /// The properties that are texts, of any bytes.
  package var texts: [Text: [UInt8]] = [:]
  /// Headers; nil: none are sent, not even an empty table.
  package var headers: [Header]?
  /// 2 is persistent.
  package var deliveryMode: UInt8?
  /// 0 to 9 mean something.
  package var priority: UInt8?
  /// Seconds since 1970-01-01T00:00:00Z.
  package var timestamp: UInt64?

  /// Some texts and headers; none at all unless told otherwise.
  package init(_ texts: [Text: String] = [:], headers: [Header]? = nil) {
    self.texts = texts.mapValues { Array($0.utf8) }
    self.headers = headers
  }
}
