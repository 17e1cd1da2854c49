extension Judge {
  /// The service has found two matches with waiting players that fit. The request of the player who
  /// moves takes the free seat of the match that goes on, and the other match ends. Nothing happens
  /// if any of this is no longer true.
  static func merge(_ merger: Merger, _ context: JudgingContext) -> Judgement {
    guard merger.kept != merger.merged, let kept = context.matches[merger.kept],
      let merged = context.matches[merger.merged], let request = context.requests[merger.merged],
      let player = merged.players.first, player == request.event.player,
      merger.merged == MatchID(askedBy: player, event: request.event.id),
      let other = kept.players.first, other != player,
      context.refusal(of: player, to: .chance, other) == nil
    else { return .refused(.unavailable) }
    var (into, ending) = (Draft(kept, request, context), Draft(merged, request, context))
    // A wait past its deadline ends by it, when the deadline's own event comes.
    into.applyDeadline()
    ending.applyDeadline()
    guard !into.hasChanged, !ending.hasChanged, into.match.stage == .waiting,
      ending.match.stage == .waiting, kept.terms.kind == .random, kept.terms == merged.terms,
      merged.turnNumber == 1, !kept.wasLeft(by: player),
      let seat = kept.seats.firstIndex(where: { $0.holder == .free })
    else { return .refused(.unavailable) }
    var reason = merger.reason
    reason.merged = merged.id
    into.fill(seat: seat, with: player, why: reason)
    into.push(.opponentJoined, to: player)
    ending.end(.merged(into: kept.id, points: merged.points), endedBy: player)
    return Judgement(
      reply: .accepted(.matchJoined(into.ticket(seat: seat))),
      changes: [into.change, ending.change], pushes: into.pushes)
  }
}
