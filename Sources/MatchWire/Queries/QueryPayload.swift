import MatchCore

/// A type of query: its name, its price, its askers and its answer. With its fields it is the
/// payload that travels.
public protocol QueryPayload: Hashable, Sendable {
  associatedtype Answer: Codable & Hashable & Sendable

  /// Its name on the wire, and in metrics.
  static var name: String { get }
  /// The number of queries that it counts as in rate limits. It is about the number of statements
  /// that it takes, plus one for the query itself.
  static var cost: Int { get }
  /// The permitted askers.
  static var askers: QueryAskers { get }
  /// Whether anybody may see the answer, asked as nobody in particular: a gateway asks it for
  /// strangers.
  static var isPublic: Bool { get }
  /// The case that it belongs to.
  var kind: Query.Kind { get }
}

/// The permitted askers of a type of query.
public enum QueryAskers: Hashable, Sendable {
  /// A registered player, who names the service by its id, within the time in which queries are
  /// valid.
  case players
  /// Any key that names the service by its id, within that time.
  case strangers
  /// Any key, at any time, with any service's id: the asker knows neither id nor time yet.
  case anybody
}

extension QueryPayload {
  public static var askers: QueryAskers { .players }
  public static var isPublic: Bool { false }
}

/// A payload that can be written and read.
protocol CodedQueryPayload: QueryPayload {
  /// Its own fields, in the order of writing.
  var fields: [(String, JSON?)] { get }
  /// Reads the fields. An error names the field that is missing or out of bounds.
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

/// A question about a query of any type.
protocol QueryPayloadVisitor {
  associatedtype Answer
  func visit(_ payload: some CodedQueryPayload) -> Answer
}
