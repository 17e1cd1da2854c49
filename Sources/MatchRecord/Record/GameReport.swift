import MatchCore

/// How the moves of one game were judged.
public struct GameReport: Hashable, Sendable {
  /// The scores of all accepted moves together.
  public var total: Int
  /// The moves, in order.
  public var moves: [MoveReport]
  /// What does not hold; nil where everything does.
  public var fault: Fault?
  /// What a record was held against, where it was held against receipts.
  public var receipts: ReceiptCount?

  /// How much a player's journal had to say of a record.
  public struct ReceiptCount: Hashable, Sendable {
    public var compared = 0
    /// Accepted events without a receipt, of any match: they could not be compared.
    public var missing = 0
    /// Lines of the journal that could not be read.
    public var damaged = 0

    public init(damaged: Int = 0) { self.damaged = damaged }
  }

  /// How one move was judged.
  public struct MoveReport: Hashable, Sendable {
    /// The score; nil: not accepted.
    public var score: Int?
    /// The stable name of why it was not accepted.
    public var reason: String?
    /// The faces that can be played after the move: 81 digits 0 or 1.
    public var playable: String
  }

  /// The first thing in a record that does not hold.
  public struct Fault: Hashable, Sendable, CustomStringConvertible {
    /// The position of the entry; nil where it is not about an entry.
    public var entry: Int?
    /// What is wrong with it.
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

  /// One JSON object a game, in an array: `{"total":442,"moves":[{"accepted":true,"score":36}]}`;
  /// with `masks` every move has `playable`, and a record that does not hold has `fault`.
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
