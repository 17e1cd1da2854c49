import MatchCore

/// The judgement of one game's moves.
public struct GameReport: Hashable, Sendable {
  /// The scores of all accepted moves together.
  public var total: Int
  /// The moves, in order.
  public var moves: [MoveReport]
  /// The first mistake. Nil if everything holds.
  public var fault: Fault?
  /// The count of receipts, if the record was compared with receipts.
  public var receipts: ReceiptCount?

  /// The extent to which a player's journal could be compared with a record.
  public struct ReceiptCount: Hashable, Sendable {
    public var compared = 0
    /// Accepted events of any match without a receipt. They could not be compared.
    public var missing = 0
    /// Lines of the journal that could not be read.
    public var damaged = 0

    public init(damaged: Int = 0) { self.damaged = damaged }
  }

  /// The judgement of one move.
  public struct MoveReport: Hashable, Sendable {
    /// The score. Nil: not accepted.
    public var score: Int?
    /// The stable name of the reason that it was not accepted.
    public var reason: String?
    /// The faces that can be played after the move: 81 digits 0 or 1.
    public var playable: String
  }

  /// The first mistake in a record.
  public struct Fault: Hashable, Sendable, CustomStringConvertible {
    /// The position of the entry. Nil if it is not about an entry.
    public var entry: Int?
    public var reason: String

    public init(entry: Int? = nil, reason: String) {
      self.entry = entry
      self.reason = reason
    }

    /// A sentence for a person.
    public var description: String {
      entry.map { "Entry \($0) does not hold: \(reason)." }
        ?? "The record does not hold: \(reason)."
    }
  }

  init() {
    total = 0
    moves = []
  }

  mutating func append(score: Int, playable: String) {
    total += score
    moves.append(MoveReport(score: score, reason: nil, playable: playable))
  }

  mutating func append(reason: String, playable: String) {
    moves.append(MoveReport(score: nil, reason: reason, playable: playable))
  }

  /// One JSON object per game, in an array: `{"total":442,"moves":[{"accepted":true,"score":36}]}`.
  /// With `masks` every move has `playable`. A record with a mistake has `fault`.
  public static func encode(_ reports: [GameReport], masks: Bool) -> [UInt8] {
    JSON.array(reports.map { $0.json(masks: masks) }).serialized
  }

  private func json(masks: Bool) -> JSON {
    let moves = moves.map { move in
      JSON.object([
        ("accepted", .bool(move.score != nil)), ("score", move.score.map { .number($0) }),
        ("reason", move.reason.map { .string($0) }),
        ("playable", masks ? .string(move.playable) : nil),
      ])
    }
    let fault = fault.map { fault in
      JSON.object([
        ("entry", fault.entry.map { .number($0) }), ("reason", .string(fault.reason)),
      ])
    }
    let receipts = receipts.map { receipts in
      JSON.object([
        ("compared", .number(receipts.compared)), ("missing", .number(receipts.missing)),
        ("damaged", .number(receipts.damaged)),
      ])
    }
    return .object([
      ("total", .number(total)), ("moves", .array(moves)), ("fault", fault),
      ("receipts", receipts),
    ])
  }
}
