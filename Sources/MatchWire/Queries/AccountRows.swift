import MatchCore

extension Query {
  /// Asks for rows that are kept of the asker, as they are stored.
  public struct Account: CodedQueryPayload {
    public typealias Answer = AccountRows

    public static let name = "account"
    // One statement, which walks past the rows before the place.
    public static let cost = 10
    public var kind: Kind { .account(self) }

    public var section: AccountSection
    /// Only rows after so many, within `places`.
    public var place: Int

    public init(_ section: AccountSection, after place: Int = 0) {
      self.section = section
      self.place = place
    }

    /// The permitted places.
    public static let places: ClosedRange<Int> = 0...1_000_000

    var fields: [(String, JSON?)] {
      [("section", .string(section.rawValue)), ("after", .number(place))]
    }

    init(_ object: JSONObject) throws(WireFault) {
      self.init(
        try object.value("section", "a section") { AccountSection(rawValue: $0) },
        after: try object.count("after", in: Account.places))
    }
  }
}

/// Rows that are kept of a player, in the order of the section.
public struct AccountRows: Hashable, Sendable, Codable {
  /// Each is a JSON object, by the names of the table's columns.
  public var rows: [String]
  /// The place at which the section goes on. Nil: it does not.
  public var next: Int?

  public init(rows: [String], next: Int? = nil) {
    self.rows = rows
    self.next = next
  }
}
