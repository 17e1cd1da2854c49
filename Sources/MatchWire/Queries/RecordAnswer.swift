public import MatchCore

extension Query {
  /// Asks for the record of a match of the asker that is over.
  public struct Record: CodedQueryPayload {
    public typealias Answer = RecordAnswer

    public static let name = "record"
    public static let cost = 2
    public var kind: Kind { .record(self) }

    public var match: MatchID

    public init(_ match: MatchID) { self.match = match }

    var fields: [(String, JSON?)] { [("match", .text(match))] }

    init(_ object: JSONObject) throws(WireFault) {
      self.init(try object.id("match"))
    }
  }

  /// Asks for the record of a match that is over and was shared.
  public struct RecordByCode: CodedQueryPayload {
    public typealias Answer = RecordAnswer

    public static let name = "recordByCode"
    public static let isPublic = true
    public static let cost = 2
    public var kind: Kind { .recordByCode(self) }

    public var code: ShareCode

    public init(_ code: ShareCode) { self.code = code }

    var fields: [(String, JSON?)] { [("code", .text(code))] }

    init(_ object: JSONObject) throws(WireFault) {
      self.init(try object.dueCode())
    }
  }
}

/// A match's record.
public struct RecordAnswer: Hashable, Sendable, Codable {
  /// The document as text, byte for byte; see `RecordDocument`.
  public var record: String

  public init(record: String) { self.record = record }
}
