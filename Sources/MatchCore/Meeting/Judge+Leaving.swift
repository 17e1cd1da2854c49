import CubeLexicon

extension Judge {
  /// The account of a player of the match has ended. The match ends as if the player had given it up
  /// or taken the request back; an invitation counts as declined. Every other player is notified. A
  /// joiner who could leave the seat leaves it.
  static func end(
    _ draft: inout Draft, without player: PlayerID, _ lexicon: Lexicon
  ) throws(Refusal) -> Acceptance {
    let match = draft.match
    guard draft.context.absences[player] == .gone, let outcome = match.outcome(without: player)
    else { throw .unavailable }
    guard match.entryCount + 2 <= Match.entryLimit else {
      throw .recordFull(limit: Match.entryLimit)
    }
    let seat = draft.seatToLeave(of: player)
    draft.state(.playerGone(player))
    if let seat { return leave(&draft, seat: seat, player, lexicon) }
    draft.end(outcome, endedBy: player)
    // `Draft.end` notifies players with a seat. An invited player has none yet.
    for seat in match.seats {
      if case .invited(let other) = seat.holder, other != player {
        draft.push(.matchEnded, to: other)
      }
    }
    return .matchEnded(match.id, outcome, points: match.points, version: draft.version)
  }
}

extension Match {
  /// The outcome if the account of a player who sits here or is invited ends now. Nil if the match
  /// is over, or if it does not concern the player.
  func outcome(without player: PlayerID) -> Outcome? {
    guard
      let seat = seats.firstIndex(where: {
        $0.holder == .taken(player) || $0.holder == .invited(player)
      })
    else { return nil }
    return switch (stage, seats[seat].holder) {
    case (.ended, _): nil
    case (.waiting, .invited): .decided(.declined, by: seat, points: points)
    case (.waiting, _): .decided(.withdrawn, by: seat, points: points)
    case (.playing, _): outcomeOfGivingUp(seat)
    }
  }
}
