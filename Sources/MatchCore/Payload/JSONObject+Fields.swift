import CubistBasics

/// Typed fields. An error names the field that is missing, of another kind or out of bounds. A null
/// counts as missing.
extension JSONObject {
  package func optional(_ key: String) -> JSON? {
    guard let value = self[key], value != .null else { return nil }
    return value
  }

  package func required(_ key: String) throws(WireFault) -> JSON {
    guard let value = optional(key) else { throw .malformed("\(key) is missing") }
    return value
  }

  package func string(_ key: String, limit: Int = 64) throws(WireFault) -> String {
    try JSONObject.string(required(key), key, limit: limit)
  }

  package func integer(
    _ key: String, in range: ClosedRange<Int64> = 0...JSONReader.largestInteger
  ) throws(WireFault) -> Int64 {
    try JSONObject.integer(required(key), key, in: range)
  }

  package func optionalInteger(
    _ key: String, in range: ClosedRange<Int64> = 0...JSONReader.largestInteger
  ) throws(WireFault) -> Int64? {
    guard let value = optional(key) else { return nil }
    return try JSONObject.integer(value, key, in: range)
  }

  /// A flag that is left out if it is false.
  package func flag(_ key: String) throws(WireFault) -> Bool {
    switch optional(key) {
    case nil: false
    case .bool(let value)?: value
    default: throw .malformed("\(key): true or false is due")
    }
  }

  package func smallInteger(
    _ key: String, in range: ClosedRange<Int64> = 0...JSONReader.largestInteger
  ) throws(WireFault) -> Int {
    try JSONObject.int(integer(key, in: range), key)
  }

  package func count(_ key: String, in range: ClosedRange<Int>) throws(WireFault) -> Int {
    try smallInteger(key, in: Int64(range.lowerBound)...Int64(range.upperBound))
  }

  package func instant(_ key: String) throws(WireFault) -> Instant {
    Instant(microseconds: try integer(key))
  }

  package func optionalInstant(_ key: String) throws(WireFault) -> Instant? {
    try optionalInteger(key).map { Instant(microseconds: $0) }
  }

  /// A value that is written as a string and known by `make`.
  package func value<Value>(
    _ key: String, _ what: StaticString, limit: Int = 64, _ make: (String) -> Value?
  ) throws(WireFault) -> Value {
    let text = try string(key, limit: limit)
    guard let value = make(text) else { throw .malformed("\(key) is not \(what)") }
    return value
  }

  package func optionalValue<Value>(
    _ key: String, _ what: StaticString, limit: Int = 64, _ make: (String) -> Value?
  ) throws(WireFault) -> Value? {
    guard optional(key) != nil else { return nil }
    return try value(key, what, limit: limit, make)
  }

  package func id<ID: Identifier>(_ key: String, _: ID.Type = ID.self) throws(WireFault) -> ID {
    try value(key, "an id in lower case") { text in
      // One value has one form. Upper-case digits would be a second one.
      ID(text).flatMap { $0.description == text ? $0 : nil }
    }
  }

  package func optionalID<ID: Identifier>(
    _ key: String, _: ID.Type = ID.self
  ) throws(WireFault) -> ID? {
    guard optional(key) != nil else { return nil }
    return try id(key)
  }

  package func hash(_ key: String) throws(WireFault) -> Hash {
    try bytes(key, count: 32) { Hash(bytes: $0) }
  }

  package func publicKey(_ key: String) throws(WireFault) -> PublicKey {
    try bytes(key, count: 32) { PublicKey(bytes: $0) }
  }

  package func signature(_ key: String) throws(WireFault) -> [UInt8] {
    try bytes(key, count: 64) { $0 }
  }

  private func bytes<Value>(
    _ key: String, count: Int, _ make: ([UInt8]) -> Value?
  ) throws(WireFault) -> Value {
    let text = try string(key, limit: 2 * count)
    guard let bytes = Hex.decode(text), bytes.count == count, Hex.encode(bytes) == text,
      let value = make(bytes)
    else { throw .malformed("\(key) is not \(2 * count) hexadecimal digits in lower case") }
    return value
  }

  package func array(_ key: String, limit: Int) throws(WireFault) -> [JSON] {
    guard case .array(let values) = try required(key) else {
      throw .malformed("\(key): an array is due")
    }
    guard values.count <= limit else {
      throw .malformed("\(key) has \(values.count) values where at most \(limit) may be")
    }
    return values
  }

  package func strings(
    _ key: String, count: Int, limit: Int = 64
  ) throws(WireFault) -> [String] {
    var strings: [String] = []
    for value in try array(key, limit: count) {
      strings.append(try JSONObject.string(value, key, limit: limit))
    }
    return strings
  }

  package func integers(_ key: String, count: Int) throws(WireFault) -> [Int] {
    var integers: [Int] = []
    for value in try array(key, limit: count) {
      let integer = try JSONObject.integer(value, key, in: 0...JSONReader.largestInteger)
      integers.append(try JSONObject.int(integer, key))
    }
    return integers
  }

  package func objects(_ key: String, count: Int) throws(WireFault) -> [JSONObject] {
    var objects: [JSONObject] = []
    for value in try array(key, limit: count) {
      guard case .object(let object) = value else {
        throw .malformed("\(key): an array of objects is due")
      }
      objects.append(object)
    }
    return objects
  }

  package func object(_ key: String) throws(WireFault) -> JSONObject {
    guard case .object(let object) = try required(key) else {
      throw .malformed("\(key): an object is due")
    }
    return object
  }

  /// The version field. A version that this build does not speak is refused by name.
  package func checkVersion() throws(WireFault) {
    let version = try integer("v")
    guard version == 1 else { throw .unsupportedVersion(Int(clamping: version)) }
  }

  /// An `Int` may have 32 bits.
  private static func int(_ integer: Int64, _ key: String) throws(WireFault) -> Int {
    guard let int = Int(exactly: integer) else { throw .malformed("\(key) is too large") }
    return int
  }

  private static func string(
    _ value: JSON, _ key: String, limit: Int
  ) throws(WireFault) -> String {
    guard case .string(let text) = value else { throw .malformed("\(key): a string is due") }
    guard text.utf8.count <= limit else {
      throw .malformed("\(key) is longer than \(limit) bytes")
    }
    return text
  }

  private static func integer(
    _ value: JSON, _ key: String, in range: ClosedRange<Int64>
  ) throws(WireFault) -> Int64 {
    guard case .integer(let integer) = value else {
      throw .malformed("\(key): an integer is due")
    }
    guard range.contains(integer) else {
      throw .malformed("\(key) is \(integer), outside \(range.lowerBound) to \(range.upperBound)")
    }
    return integer
  }
}

extension JSONObject {
  package func code() throws(WireFault) -> ShareCode? {
    try optionalValue("code", "4 to 16 of A-Z and 0-9") { ShareCode($0) }
  }

  package func dueCode() throws(WireFault) -> ShareCode {
    try value("code", "4 to 16 of A-Z and 0-9") { ShareCode($0) }
  }
}
