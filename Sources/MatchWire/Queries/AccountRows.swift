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

  /// So many bytes of rows have room in an answer.
  package static let byteLimit = 98_304

  public init(rows: [String], next: Int? = nil) {
    self.rows = rows
    self.next = next
  }

  /// As many of the rows after a place as have room.
  ///
  /// - Parameter page: The rows as they were read, `AccountSection.pageSize` at most.
  package init(page: [String], after place: Int) {
    var (rows, bytes): ([String], Int) = ([], 0)
    for row in page {
      // In a string of JSON these have a backslash before them.
      let escaped = row.utf8.count { byte in
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "/")
      }
      bytes += row.utf8.count + escaped + 3
      if bytes > AccountRows.byteLimit, !rows.isEmpty { break }
      rows.append(row)
    }
    let isWhole = rows.count == page.count && page.count < AccountSection.pageSize
    let next = place + rows.count
    self.init(rows: rows, next: isWhole || !Query.Account.places.contains(next) ? nil : next)
  }
}
