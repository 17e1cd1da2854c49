import MatchCore

// Answers without `Codable`, which Embedded Swift does not have. A field of a newer service is
// passed over.

extension JSONObject {
  /// The most rows of a list in an answer. The service's own limits are lower.
  static let rowLimit = 1_024

  /// The objects of a list, each read by `make`.
  func list<Value>(
    _ key: String, limit: Int = JSONObject.rowLimit,
    _ make: (JSONObject) throws(WireFault) -> Value
  ) throws(WireFault) -> [Value] {
    var values: [Value] = []
    for object in try objects(key, count: limit) { values.append(try make(object)) }
    return values
  }

  func optionalObject<Value>(
    _ key: String, _ make: (JSONObject) throws(WireFault) -> Value
  ) throws(WireFault) -> Value? {
    optional(key) == nil ? nil : try make(object(key))
  }

  func optionalIDs<ID: Identifier>(_ key: String) throws(WireFault) -> [ID]? {
    guard optional(key) != nil else { return nil }
    var ids: [ID] = []
    for text in try strings(key, count: JSONObject.rowLimit) {
      guard let id = ID(text) else { throw .malformed("\(key): \(excerpt(text)) is no id") }
      ids.append(id)
    }
    return ids
  }

  func optionalCount(_ key: String) throws(WireFault) -> Int? {
    optional(key) == nil ? nil : try smallInteger(key)
  }

  /// The number of a place in a match.
  func seat(_ key: String) throws(WireFault) -> Int {
    try smallInteger(key, in: 0...WireLimits.lastSeat)
  }

  func optionalSeat(_ key: String) throws(WireFault) -> Int? {
    optional(key) == nil ? nil : try seat(key)
  }

  /// The number of a turn, which can be counted on from.
  func turnNumber(_ key: String) throws(WireFault) -> Int {
    try smallInteger(key, in: WireLimits.turnNumbers)
  }

  /// A flag that is never left out.
  func bool(_ key: String) throws(WireFault) -> Bool {
    _ = try required(key)
    return try flag(key)
  }

  func optionalBool(_ key: String) throws(WireFault) -> Bool? {
    optional(key) == nil ? nil : try flag(key)
  }

  func playerName(_ key: String) throws(WireFault) -> PlayerName {
    try value(key, "a name") { PlayerName($0) }
  }

  func optionalPlayerName(_ key: String) throws(WireFault) -> PlayerName? {
    try optionalValue(key, "a name") { PlayerName($0) }
  }

  func matchKind() throws(WireFault) -> MatchKind {
    try value("kind", "a kind of match") { MatchKind(rawValue: $0) }
  }

  func optionalMode() throws(WireFault) -> SoloMode? {
    try optionalValue("mode", "a mode") { SoloMode(rawValue: $0) }
  }

  func result() throws(WireFault) -> Outcome.Result {
    try value("result", "a result") { Outcome.Result(rawValue: $0) }
  }
}
