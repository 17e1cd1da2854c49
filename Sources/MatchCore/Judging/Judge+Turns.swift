import CubeLexicon
import CubeRules

extension Judge {
  /// A player played a turn. The refusals come in this order: match over, number, player to move,
  /// previous hash, rules.
  static func play(
    _ turn: Turn, _ draft: inout Draft, _ lexicon: Lexicon
  ) throws(Refusal) -> Acceptance {
    let (event, match) = (draft.received.event, draft.match)
    guard let seat = match.seat(of: event.player) else { throw .unknownMatch }
    if let outcome = match.outcome { throw .matchOver(outcome) }
    if turn.number > match.turnNumber { throw .unknownTurn(current: match.turnNumber) }
    if turn.number < match.turnNumber { throw staleness(of: turn, by: seat, match) }
    guard match.seatToPlay == seat else {
      throw .notYourTurn(whose: match.seats[match.seatToPlay].player)
    }
    guard turn.previous == match.previousTurnHash else {
      throw .wrongPrevious(expected: match.previousTurnHash)
    }
    // The end needs up to two more entries: a player's word or a deadline, then the statement.
    guard match.entryCount + 3 <= Match.entryLimit else {
      throw .recordFull(limit: Match.entryLimit)
    }
    let scores: [Int]
    do {
      scores = try draft.play(turn.moves, words: lexicon)
    } catch {
      throw .illegalTurn(error)
    }
    let hash = draft.match.previousTurnHash
    if draft.match.game.isOver {
      draft.end(
        .decided(.cleared, by: nil, points: draft.match.points), endedBy: event.player)
    } else if draft.match.seats.count > 1,
      let next = draft.match.seats[draft.match.seatToPlay].player
    {
      draft.push(.yourTurn, to: next, turn: draft.match.turnNumber)
    }
    return .turnAccepted(
      TurnReceipt(
        match: match.id, version: draft.version, turn: turn.number, scores: scores,
        points: draft.match.points, hash: hash, seatToPlay: draft.match.seatToPlay,
        outcome: draft.match.outcome))
  }

  private static func staleness(of turn: Turn, by seat: Int, _ match: Match) -> Refusal {
    // The number comes from outside. It is checked before anything is computed with it.
    if turn.number >= 1, turn.number <= match.turnFingerprints.count,
      (turn.number - 1) % match.seats.count == seat,
      match.turnFingerprints[turn.number - 1] == Match.fingerprint(of: turn.moves)
    {
      return .turnAlreadyPlayed(turn: turn.number)
    }
    return .staleTurn(current: match.turnNumber, previous: match.previousTurnHash)
  }

  /// The scheduler saw a deadline in the past. The queue's time decides whether it has passed.
  static func passDeadline(
    _ draft: inout Draft, turn: Int, deadline: Instant
  ) throws(Refusal) -> Acceptance {
    // `applyDeadline` ran before. If it applied, the match is over by now.
    guard let before = draft.before, before.turnNumber == turn, before.deadline?.at == deadline,
      let outcome = draft.match.outcome
    else { throw .unavailable }
    return .matchEnded(
      before.id, outcome, points: draft.match.points, version: draft.version)
  }

  /// An operator ruled on the match.
  static func rule(_ ruling: Ruling, _ draft: inout Draft) throws(Refusal) -> Acceptance {
    let match = draft.match
    guard match.entryCount + 2 <= Match.entryLimit else {
      throw .recordFull(limit: Match.entryLimit)
    }
    // A match that ended just now by its deadline is not the match that the operator saw.
    guard draft.before?.outcome == match.outcome, let outcome = match.outcome(of: ruling) else {
      throw .notPermitted
    }
    draft.state(.ruled(ruling))
    draft.end(outcome, endedBy: nil)
    return .matchEnded(match.id, outcome, points: match.points, version: draft.version)
  }
}
