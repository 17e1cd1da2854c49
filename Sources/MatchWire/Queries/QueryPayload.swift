import MatchCore

/// A type of query: its name, its price, who may ask it and what answers it. With its fields it is
/// the payload that travels.
public protocol QueryPayload: Hashable, Sendable {
  associatedtype Answer: Codable & Sendable

  /// Its name on the wire, and in metrics.
  static var name: String { get }
  /// How many queries it counts as where they are limited: about as many statements as it takes,
  /// with one for the query itself.
  static var cost: Int { get }
  /// Who may ask it.
  static var askers: QueryAskers { get }
  /// The case that it belongs to.
  var kind: Query.Kind { get }
}

/// Who may ask a type of query.
public enum QueryAskers: Hashable, Sendable {
  /// A registered player, of the service by its id, within the time in which queries are valid.
  case players
  /// Any key at any time, of whatever service: it costs nothing.
  case anybody
}

extension QueryPayload {
  public static var askers: QueryAskers { .players }
}

/// A payload as it is written and read.
protocol CodedQueryPayload: QueryPayload {
  /// Its own fields, in the order in which they are written.
  var fields: [(String, JSON?)] { get }
  /// Reads the fields; what is missing or out of its bounds is named.
  init(_ object: JSONObject) throws(WireFault)
}

/// A query without fields.
protocol PlainQueryPayload: CodedQueryPayload {
  init()
}

extension PlainQueryPayload {
  var fields: [(String, JSON?)] { [] }
  init(_: JSONObject) throws(WireFault) { self.init() }
}
