/// A parameter of a statement, sent in PostgreSQL's binary format with its type.
///
/// Every case takes an optional: `nil` is a null of that type. An array is one parameter, for
/// `UNNEST($1, $2)` and `= ANY($1)`.
package enum Value: Sendable, Hashable {
  /// A `boolean`.
  case bool(Bool?)
  /// A `smallint`.
  case int16(Int16?)
  /// An `integer`.
  case int32(Int32?)
  /// A `bigint`.
  case int64(Int64?)
  /// A `bytea`.
  case bytes([UInt8]?)
  /// A `uuid`: its 16 bytes as one number, the first byte highest.
  case uuid(UInt128?)
  /// A `text`.
  case text(String?)
  /// A `timestamptz`, as microseconds since 1970-01-01 00:00 UTC.
  case timestamp(microseconds: Int64?)
  /// A `jsonb`, as JSON text.
  case jsonb(String?)
  /// A `boolean[]`.
  case boolArray([Bool?]?)
  /// A `smallint[]`.
  case int16Array([Int16?]?)
  /// An `integer[]`.
  case int32Array([Int32?]?)
  /// A `bigint[]`.
  case int64Array([Int64?]?)
  /// A `bytea[]`.
  case bytesArray([[UInt8]?]?)
  /// A `uuid[]`.
  case uuidArray([UInt128?]?)
  /// A `text[]`.
  case textArray([String?]?)
  /// A `timestamptz[]`, as microseconds since 1970-01-01 00:00 UTC.
  case timestampArray(microseconds: [Int64?]?)
  /// A `jsonb[]`, as JSON texts.
  case jsonbArray([String?]?)

  /// The type's object identifier.
  var type: TypeOID {
    switch self {
    case .bool: .bool
    case .int16: .int16
    case .int32: .int32
    case .int64: .int64
    case .bytes: .bytes
    case .uuid: .uuid
    case .text: .text
    case .timestamp: .timestamp
    case .jsonb: .jsonb
    case .boolArray: .boolArray
    case .int16Array: .int16Array
    case .int32Array: .int32Array
    case .int64Array: .int64Array
    case .bytesArray: .bytesArray
    case .uuidArray: .uuidArray
    case .textArray: .textArray
    case .timestampArray: .timestampArray
    case .jsonbArray: .jsonbArray
    }
  }
}

/// Object identifiers of PostgreSQL's built-in types, which are fixed (`pg_type.dat`).
enum TypeOID: UInt32 {
  case bool = 16
  case bytes = 17
  case name = 19
  case int64 = 20
  case int16 = 21
  case int32 = 23
  case text = 25
  case json = 114
  case boolArray = 1000
  case bytesArray = 1001
  case int16Array = 1005
  case int32Array = 1007
  case textArray = 1009
  case varcharArray = 1015
  case int64Array = 1016
  case bpchar = 1042
  case varchar = 1043
  case timestamp = 1184
  case timestampArray = 1185
  case uuid = 2950
  case uuidArray = 2951
  case jsonb = 3802
  case jsonbArray = 3807
}

/// PostgreSQL counts time from 2000-01-01; 10,957 days after 1970-01-01.
let postgreSQLEpochMicroseconds: Int64 = 946_684_800_000_000
