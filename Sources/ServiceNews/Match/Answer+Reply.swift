package import CubePlay
package import CubeRules
package import MatchCore
package import MatchWire

extension Answer {
  /// The answer to a turn that was refused.
  package init(_ refusal: Refusal?, _ message: String) {
    switch refusal {
    case .illegalTurn(let turn)?: self = .illegal(turn.reason)
    case .unknownTurn?, .turnAlreadyPlayed?, .staleTurn?, .wrongPrevious?, .notYourTurn?,
      .matchOver?:
      self = .outdated
    default: self = .refused(message)
    }
  }

  /// The answer to a turn where the match has gone on. The turn itself may be the cause: it may have
  /// been sent before, and counts once.
  package init(
    toTurn number: Int, _ moves: [Move], of player: PlayerID, in view: MatchView, now: Instant
  ) {
    let texts = moves.map { $0.description }
    let isPlayed = view.turns.contains { turn in
      turn.number == number && turn.moves == texts && view.seats.indices.contains(turn.seat)
        && view.seats[turn.seat].player == player
    }
    self =
      isPlayed
      ? .accepted(secondsLeft: view.outcome == nil ? view.secondsLeft(now) : nil) : .outdated
  }
}

extension Strength {
  package init(_ rating: RatingView) {
    self.init(
      points: rating.rating, isReliable: !rating.isProvisional, matchCount: rating.matches)
  }
}
