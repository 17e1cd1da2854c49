public import CubeRules

/// A turn as it was sent.
public struct Turn: Hashable, Sendable {
  /// 1 for the first turn of the match.
  public var number: Int
  /// The hash of the entry of the turn before, or of the deal.
  public var previous: Hash
  /// The moves, judged as a whole.
  public var moves: [Move]

  public init(number: Int, previous: Hash, moves: [Move]) {
    self.number = number
    self.previous = previous
    self.moves = moves
  }
}

extension Event {
  /// A player played a turn.
  public struct TurnPlayed: EventPayload {
    package static let name = "turnPlayed"
    package static let noun = "turn"

    public var match: MatchID
    public var turn: Turn

    public init(match: MatchID, turn: Turn) {
      self.match = match
      self.turn = turn
    }
  }
}

extension Event.TurnPlayed {
  package static func answer(_ acceptance: Acceptance) -> TurnReceipt? {
    if case .turnAccepted(let receipt) = acceptance { receipt } else { nil }
  }

  package var action: Event.Action { .turnPlayed(self) }
  package var about: MatchID? { match }
  /// The rules forbid the same moves twice in a match.
  package var wish: Self {
    Self(match: match, turn: Turn(number: 0, previous: .zero, moves: turn.moves))
  }

  package var fields: [(String, JSON?)] {
    [
      ("match", .text(match)), ("turn", .number(turn.number)),
      ("previous", .text(turn.previous)), ("moves", .array(turn.moves.map { .text($0) })),
    ]
  }

  package init(_ object: JSONObject) throws(WireFault) {
    let turn = Turn(
      number: try object.smallInteger("turn", in: WireLimits.turnNumbers),
      previous: try object.hash("previous"), moves: try Move.list(object))
    self.init(match: try object.id("match"), turn: turn)
  }
}

extension Event.Action {
  public static func turnPlayed(_ match: MatchID, _ turn: Turn) -> Self {
    .turnPlayed(Event.TurnPlayed(match: match, turn: turn))
  }
}
