/// A value of an AMQP table: an argument of a queue, or a header of a message.
///
/// The cases are the field types RabbitMQ knows.
/// Source: https://www.rabbitmq.com/amqp-0-9-1-errata (section 3, field types)
package indirect enum Argument: Hashable, Sendable {
  /// True or false.
  case boolean(Bool)
  /// A signed 8-bit integer.
  case int8(Int8)
  /// An unsigned 8-bit integer.
  case uint8(UInt8)
  /// A signed 16-bit integer.
  case int16(Int16)
  /// An unsigned 16-bit integer.
  case uint16(UInt16)
  /// A signed 32-bit integer.
  case int32(Int32)
  /// An unsigned 32-bit integer.
  case uint32(UInt32)
  /// A signed 64-bit integer, the case of integer literals.
  case int64(Int64)
  /// A single-precision number.
  case float(Float)
  /// A double-precision number.
  case double(Double)
  /// `value / 10^scale`.
  case decimal(scale: UInt8, value: UInt32)
  /// UTF-8 text.
  case string(String)
  /// Bytes, and text that is not UTF-8.
  case bytes([UInt8])
  /// Seconds since 1970-01-01T00:00:00Z.
  case timestamp(UInt64)
  /// Values in order.
  case array([Argument])
  /// Values by name.
  case table([String: Argument])
  /// No value.
  case void

  /// The value as an integer, if it is one of the integer types and fits.
  package var integer: Int64? {
    switch self {
    case .int8(let value): Int64(value)
    case .uint8(let value): Int64(value)
    case .int16(let value): Int64(value)
    case .uint16(let value): Int64(value)
    case .int32(let value): Int64(value)
    case .uint32(let value): Int64(value)
    case .int64(let value): value
    default: nil
    }
  }

  /// The value as text, if it is text.
  package var string: String? {
    if case .string(let value) = self { value } else { nil }
  }
}

extension Argument: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Text.
  package init(stringLiteral value: String) { self = .string(value) }

  /// A signed 64-bit integer.
  package init(integerLiteral value: Int64) { self = .int64(value) }

  /// True or false.
  package init(booleanLiteral value: Bool) { self = .boolean(value) }

  package init(arrayLiteral elements: Argument...) { self = .array(elements) }

  /// A table; of two equal keys the last counts.
  package init(dictionaryLiteral elements: (String, Argument)...) {
    self = .table(Dictionary(elements, uniquingKeysWith: { $1 }))
  }
}
