import MatchCore
import MatchInterfaces

extension SimulatedStore {
  /// Drops the matches that are kept no longer at a time. Ratings, scores and codes of shared games
  /// stay, and every state that was ever visible, for checks.
  func dropGames(by time: Instant, _ retention: Retention) {
    guard let end = retention.endOfGames(at: time) else { return }
    let jobsSince = time.adding(seconds: -86_400 * Int64(retention.jobs))
    var needed = Set(outbox.values.compactMap(\.job.match))
    needed.formUnion(held.values.compactMap(\.held.job.match))
    needed.formUnion(
      deliveries.filter { id, _ in sent[id].map { $0 >= jobsSince } ?? false }
        .values.compactMap(\.job.match))
    // An offer of a rematch is deleted a day after it ran out.
    let offersSince = time.adding(seconds: -Match.invitationSeconds - 86_400)
    needed.formUnion(
      rows.filter { $1.rematchOffer.map { $0.at >= offersSince } ?? false }.keys)
    let old = matches.values.filter { match in
      guard match.outcome != nil, let last = entries[match.id]?.last?.acceptedAt, last < end else {
        return false
      }
      return !needed.contains(match.id) && ratings.queue[match.id] == nil
        && match.predecessor.map { matches[$0] == nil } ?? true
    }
    for id in old.map(\.id) {
      matches[id] = nil
      entries[id] = nil
      nudges[id] = nil
      remindedTurns[id] = nil
      var kept = StoredListing()
      kept.dailyScore = rows[id]?.dailyScore
      kept.soloScore = rows[id]?.soloScore
      rows[id] = kept
    }
  }
}
