/// The other side of a match that needs no service.
public enum Opponent: Hashable, Sendable {
  /// The player is alone.
  case nobody
  /// A robot, and the player of the first turn.
  case robot(BotStrength, first: PlayTurn.Player)
}

extension Opponent {
  /// Those of a list of new matches. The player has the first turn.
  static var all: [Opponent] {
    BotStrength.allCases.map { .robot($0, first: .me) } + [.nobody]
  }

  /// The name of a robot; nil: nobody is there.
  var name: String? {
    guard case .robot(let strength, _) = self else { return nil }
    return "Robot, \(strength.rawValue)"
  }

  /// The name of its row in a list of new matches.
  public var key: MatchKey {
    switch self {
    case .nobody: MatchKey("alone")
    case .robot(let strength, _): MatchKey(strength.rawValue)
    }
  }

  var seatCount: Int { self == .nobody ? 1 : 2 }
}
