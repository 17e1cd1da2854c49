public import MatchCore

extension Query {
  /// Asks for the record of a match of the asker that is over.
  public struct Record: CodedQueryPayload {
    public typealias Answer = RecordAnswer

    public static let name = "record"
    public static let cost = 2
    public var kind: Kind { .record(self) }

    public var match: MatchID
    /// The number of a part; nil: all of it, if that fits one answer.
    public var part: Int?

    public init(_ match: MatchID, part: Int? = nil) {
      self.match = match
      self.part = part
    }

    var fields: [(String, JSON?)] {
      [("match", .text(match)), ("part", part.map { .number($0) })]
    }

    init(_ object: JSONObject) throws(WireFault) {
      self.init(try object.id("match"), part: try RecordPart.number(object))
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
    /// As of `Record`.
    public var part: Int?

    public init(_ code: ShareCode, part: Int? = nil) {
      self.code = code
      self.part = part
    }

    var fields: [(String, JSON?)] {
      [("code", .text(code)), ("part", part.map { .number($0) })]
    }

    init(_ object: JSONObject) throws(WireFault) {
      self.init(try object.dueCode(), part: try RecordPart.number(object))
    }
  }
}

/// A part of a record. A record shows what brought each key in, and may be larger than an answer.
public enum RecordPart {
  /// The size of every part but the last one, which is smaller and may be empty. So a smaller one
  /// says that it is the last.
  public static let byteCount = 98_304
  /// The numbers that parts can have. No record needs more.
  public static let numbers = 1...128

  /// Nil: the record has fewer parts.
  package static func bytes(_ number: Int, of record: [UInt8]) -> ArraySlice<UInt8>? {
    guard numbers.contains(number) else { return nil }
    let start = (number - 1) * byteCount
    guard start <= record.count else { return nil }
    return record[start..<min(start + byteCount, record.count)]
  }

  fileprivate static func number(_ object: JSONObject) throws(WireFault) -> Int? {
    object.optional("part") == nil ? nil : try object.count("part", in: numbers)
  }
}

/// A match's record, or a part of it.
public struct RecordAnswer: Hashable, Sendable, Codable {
  /// The document as text, byte for byte; see `RecordDocument`. It is ASCII, so that it can be cut
  /// anywhere.
  public var record: String

  public init(record: String) { self.record = record }
}
