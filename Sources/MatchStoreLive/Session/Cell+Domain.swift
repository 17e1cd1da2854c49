internal import LibPQ
internal import MatchCore

// The domain's values as columns, and back.

extension Cell {
  /// A `uuid` as an id.
  func id<ID: Identifier>(_: ID.Type = ID.self) throws(PostgreSQLError) -> ID {
    ID(rawValue: try uuid)
  }

  /// A `uuid[]` as a set of ids.
  func ids<ID: Identifier>(_: ID.Type = ID.self) throws(PostgreSQLError) -> Set<ID> {
    Set(try uuidArray.compactMap { $0.map(ID.init(rawValue:)) })
  }

  /// A `timestamptz`.
  var instant: Instant {
    get throws(PostgreSQLError) { Instant(microseconds: try timestampMicroseconds) }
  }

  /// A `bytea` of 32 bytes.
  var hash: Hash {
    get throws(PostgreSQLError) { try value("hash", try bytes) { Hash(bytes: $0) } }
  }

  /// A `bytea` of 32 bytes.
  var key: PublicKey {
    get throws(PostgreSQLError) { try value("key", try bytes) { PublicKey(bytes: $0) } }
  }

  /// A player's name.
  var name: PlayerName {
    get throws(PostgreSQLError) { try value("name", try text) { PlayerName($0) } }
  }

  var code: ShareCode {
    get throws(PostgreSQLError) { try value("code", try text) { ShareCode($0) } }
  }

  /// A text that stands for one of an enumeration's cases.
  func `case`<Case: RawRepresentable<String>>(
    _: Case.Type = Case.self
  ) throws(PostgreSQLError) -> Case {
    try value("\(Case.self)", try text) { Case(rawValue: $0) }
  }

  /// A date that was selected as days since 1970.
  var day: Day {
    get throws(PostgreSQLError) { Day(number: try int32) }
  }

  /// Any of the integer types.
  var int: Int {
    get throws(PostgreSQLError) { Int(try int64) }
  }

  private func value<Stored, Result>(
    _ name: String, _ stored: Stored, _ convert: (Stored) -> Result?
  ) throws(PostgreSQLError) -> Result {
    guard let result = convert(stored) else {
      throw PostgreSQLError(.malformedValue, "a value in the database is no \(name)")
    }
    return result
  }
}

extension Value {
  /// A `uuid`.
  static func id(_ id: (some Identifier)?) -> Value { .uuid(id?.rawValue) }
  /// A `uuid[]`.
  static func ids(_ ids: some Sequence<some Identifier>) -> Value {
    .uuidArray(ids.map(\.rawValue))
  }
  /// A `timestamptz`.
  static func instant(_ instant: Instant?) -> Value {
    .timestamp(microseconds: instant?.microseconds)
  }
  /// A `bigint`.
  static func int(_ number: Int) -> Value { .int64(Int64(number)) }
}

/// Builds parallel arrays for `UNNEST` from a sequence of rows.
extension Sequence {
  func uuids<ID: Identifier>(_ column: (Element) -> ID?) -> Value {
    .uuidArray(map { column($0)?.rawValue })
  }
  func texts(_ column: (Element) -> String?) -> Value { .textArray(map(column)) }
  func blobs(_ column: (Element) -> [UInt8]?) -> Value { .bytesArray(map(column)) }
  func bools(_ column: (Element) -> Bool?) -> Value { .boolArray(map(column)) }
  func int16s(_ column: (Element) -> Int?) -> Value {
    .int16Array(map { column($0).map { Int16(clamping: $0) } })
  }
  func int32s(_ column: (Element) -> Int?) -> Value {
    .int32Array(map { column($0).map { Int32(clamping: $0) } })
  }
  func int64s(_ column: (Element) -> Int64?) -> Value { .int64Array(map(column)) }
  func instants(_ column: (Element) -> Instant?) -> Value {
    .timestampArray(microseconds: map { column($0)?.microseconds })
  }
}
