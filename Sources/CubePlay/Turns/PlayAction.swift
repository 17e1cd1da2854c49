public import CubeRules

/// An action in a match that is being played.
public enum PlayAction: Hashable, Sendable {
  /// The player chooses.
  case draft(DraftAction)
  /// The player plays the chosen turn.
  case submit
  /// The service answered the turn that was sent.
  case answered(Answer)
  /// The other one's turn arrived.
  case theirTurn(ArrivedTurn)
  /// The match arrived as the service shows it.
  case standing(Standing)
  /// The match ended otherwise than by a turn.
  case ended(Ending)
  case secondPassed
  /// The service cannot be reached.
  case serviceLost
  /// The service is back.
  case serviceFound
}

/// The service's answer to a turn.
public enum Answer: Hashable, Sendable {
  /// It counts. The seconds of the next turn are nil where there is no limit.
  case accepted(secondsLeft: Int?)
  /// A rule forbids it.
  case illegal(RuleRefusal)
  /// The match had gone on.
  case outdated
  /// Something else is in the way, in the service's words.
  case refused(String)
}

/// A turn of the other one as it arrives.
public struct ArrivedTurn: Hashable, Sendable {
  /// Its number, 1 for the first of the match.
  public var number: Int
  public var moves: [Move]
  /// The seconds that the next turn has; nil: no limit.
  public var secondsLeft: Int?

  public init(number: Int, moves: [Move], secondsLeft: Int?) {
    self.number = number
    self.moves = moves
    self.secondsLeft = secondsLeft
  }
}

/// An effect of an action.
public enum PlayEffect: Hashable, Sendable {
  /// Send a turn. A turn sent again under the same number is the same turn, and counts once.
  case send([Move], number: Int)
  /// Show a turn: its path, and the cubes that vanished.
  case show(PlayedTurn)
  /// Ask the service how the match stands.
  case reload
}
