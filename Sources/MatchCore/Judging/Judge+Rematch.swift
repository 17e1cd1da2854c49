import CubeLexicon
import CubeRules

extension Judge {
  /// A player wants a rematch. The first request is an offer, the other player's is the acceptance.
  static func requestRematch(_ draft: inout Draft) throws(Refusal) -> (Acceptance, MatchChange?) {
    let match = draft.match
    let (seat, outcome) = try rematchSeat(draft)
    guard outcome.wasPlayed else { throw .rematchNotPossible }
    if let successor = match.rematch.successor {
      return (.rematchStarted(try successorTicket(successor, of: match, seat: seat, draft)), nil)
    }
    let player = draft.received.event.player
    try draft.context.check(.rematch, of: player, with: match.players)
    if let refusal = draft.context.refusalToBegin(player, waits: false) { throw refusal }
    for other in match.players where other != player {
      if let refusal = draft.context.refusalToPlayBot(
        other, of: player, turnLimitSeconds: match.terms.turnLimitSeconds)
      {
        throw refusal
      }
    }
    var rematch = match.rematch
    let now = draft.context.now
    if let offer = rematch.offer, offer.seat != seat,
      now < offer.at.adding(seconds: Match.invitationSeconds)
    {
      // If the offerer has no room for the match, or none with the bot that answers, the refusal
      // does not say so.
      if let other = match.seats[offer.seat].player,
        draft.context.refusalToBegin(other, waits: false) != nil
          || draft.context.refusalToPlayBot(
            player, of: other, turnLimitSeconds: match.terms.turnLimitSeconds) != nil
      {
        throw .playerUnavailable(other)
      }
      return try startRematch(&draft, offer, acceptedBy: seat)
    }
    if let declined = rematch.declined, declined.seat == seat {
      let retryAt = declined.at.adding(seconds: Match.rematchPauseSeconds)
      guard now >= retryAt else { throw .rematchDeclined(retryAt: retryAt) }
    }
    if rematch.offer?.seat != seat || isExpired(rematch.offer, now) {
      rematch.offer = Match.RematchOffer(seat: seat, at: now, signed: draft.received.signed)
      draft.setRematch(rematch)
      for other in match.players where other != match.seats[seat].player {
        draft.push(.rematchRequested, to: other)
      }
    }
    let version = draft.hasChanged ? draft.version : match.version
    return (.done(.rematchOffered, match.id, version: version), nil)
  }

  static func declineRematch(_ draft: inout Draft) throws(Refusal) -> Acceptance {
    let match = draft.match
    let (seat, _) = try rematchSeat(draft)
    guard match.rematch.successor == nil, let offer = match.rematch.offer, offer.seat != seat,
      !isExpired(offer, draft.context.now)
    else { throw .noRematchOffer }
    draft.setRematch(
      Match.Rematch(
        offer: nil, declined: .init(seat: offer.seat, at: draft.context.now), successor: nil))
    let player = draft.received.event.player
    if let asker = match.seats[offer.seat].player,
      draft.context.refusal(of: player, to: .rematch, asker) == nil
    {
      draft.push(.rematchDeclined, to: asker)
    }
    return .done(.rematchDeclined, match.id, version: draft.version)
  }

  private static func isExpired(_ offer: Match.RematchOffer?, _ now: Instant) -> Bool {
    guard let offer else { return true }
    return now >= offer.at.adding(seconds: Match.invitationSeconds)
  }

  private static func rematchSeat(_ draft: Draft) throws(Refusal) -> (Int, Outcome) {
    let match = draft.match
    guard let seat = match.seat(of: draft.received.event.player) else { throw .unknownMatch }
    guard let outcome = match.outcome else { throw .matchNotOver }
    guard match.seats.count > 1, match.players.count == match.seats.count else {
      throw .rematchNotPossible
    }
    return (seat, outcome)
  }

  /// Makes the successor. The player who did not start the old match starts this one. Its record
  /// begins with both signed requests.
  private static func startRematch(
    _ draft: inout Draft, _ offer: Match.RematchOffer, acceptedBy seat: Int
  ) throws(Refusal) -> (Acceptance, MatchChange?) {
    let (match, context) = (draft.match, draft.context)
    let id = MatchID(successorOf: match.id)
    guard let lexicon = context.lexicons.current(for: match.terms.language) else {
      throw .unavailable
    }
    let terms = Terms(
      kind: .rematch, turnLimitSeconds: match.terms.turnLimitSeconds,
      language: match.terms.language, isCasual: match.terms.isCasual)
    let puzzle = Dealer.puzzle(seed: context.secret.puzzleSeed(for: id), lexicon: lexicon)
    let successor: Draft
    do {
      successor = try Draft(
        dealing: id, terms: terms, seats: Array(match.seats.map { $0.player }.reversed()),
        lexicon: lexicon.version.rawValue, letters: puzzle.description, predecessor: match.id,
        requests: [offer.signed, draft.received.signed], draft.received, context)
    } catch {
      throw .unavailable
    }
    draft.setRematch(Match.Rematch(successor: id))
    if let asker = match.seats[offer.seat].player {
      draft.push(.rematchStarted, to: asker, about: id)
    }
    let ticket = successor.ticket(seat: match.seats.count - 1 - seat)
    return (.rematchStarted(ticket), successor.change)
  }

  /// The ticket of an existing successor, for a player who asks again.
  private static func successorTicket(
    _ id: MatchID, of match: Match, seat: Int, _ draft: Draft
  ) throws(Refusal) -> MatchTicket {
    // The successor may have moved on since. Its letters never change, and a player can query the
    // rest.
    let successor = draft.context.matches[id]
    guard let successor else { throw .unavailable }
    return MatchTicket(
      match: id, version: successor.version, seat: match.seats.count - 1 - seat,
      letters: successor.game.puzzle.description, previous: successor.previousTurnHash)
  }
}
