import MatchCore
import MatchInterfaces

extension SimulatedStore {
  /// Rows that were dropped because they are kept no longer. For checks only.
  struct Dropped {
    var replies: [EventKey: StoredReply] = [:]
    var deliveries: [PushJobID: (job: PushJob, fate: PushStore.Fate)] = [:]
    var matches: [MatchID: Match] = [:]
    var entries: [MatchID: [Entry]] = [:]
    var rows: [MatchID: StoredListing] = [:]
    var nudges: [MatchID: (turn: Int, at: Instant)] = [:]
    var remindedTurns: [MatchID: Int] = [:]
    /// The time at which each match was dropped, by a clock that nobody sets.
    var times: [MatchID: Instant] = [:]
  }

  /// Drops the replies, the fates and notes of push jobs, the reports and the matches that are kept
  /// no longer at a time.
  func dropOld(by time: Instant, _ retention: Retention) {
    func isOld(_ row: Instant, _ days: Int) -> Bool {
      row < time.adding(seconds: -86_400 * Int64(days))
    }
    // PostgreSQL drops the replies of whole days.
    let today = Day(containing: time).start
    let firstReply = today.adding(seconds: -86_400 * Int64(retention.replies))
    for (key, reply) in replies where key.event.time < firstReply {
      dropped.replies[key] = reply
      replies[key] = nil
    }
    for (id, at) in sent where isOld(at, retention.jobs) {
      dropped.deliveries[id] = deliveries[id]
      deliveries[id] = nil
      reasons[id] = nil
      sent[id] = nil
      seen.remove(id)
    }
    owedJobs = owedJobs.filter { !isOld($0.value.at, retention.jobs) }
    deadJobs = deadJobs.filter { !isOld($0.value.at, retention.jobs) }
    for (player, own) in reports {
      reports[player] = own.filter { !isOld($0.value.at, retention.reports) }
    }
    let oldest = time.adding(seconds: -LeavingPause.windowSeconds)
    seatsLeft = seatsLeft.mapValues { $0.filter { $0.at >= oldest } }
    dropGames(by: time, retention)
  }

  /// Drops the matches that are kept no longer at a time. Ratings, scores and codes of shared games
  /// stay, and every state that was ever visible, for checks.
  private func dropGames(by time: Instant, _ retention: Retention) {
    guard let end = retention.endOfGames(at: time) else { return }
    // Else a check would look for the events of these replies.
    let firstEvent = end.adding(seconds: Event.maximumAheadSeconds)
    guard !replies.keys.contains(where: { $0.event.time < firstEvent }) else { return }
    var needed = Set(outbox.values.compactMap(\.job.match))
    needed.formUnion(held.values.compactMap(\.held.job.match))
    needed.formUnion(deliveries.values.compactMap(\.job.match))
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
    for match in old { drop(match) }
  }

  private func drop(_ match: Match) {
    let id = match.id
    dropped.times[id] = clock.now
    dropped.matches[id] = match
    dropped.entries[id] = entries[id]
    dropped.rows[id] = rows[id]
    dropped.nudges[id] = nudges[id]
    dropped.remindedTurns[id] = remindedTurns[id]
    matches[id] = nil
    entries[id] = nil
    nudges[id] = nil
    remindedTurns[id] = nil
    var kept = StoredListing()
    kept.dailyScore = rows[id]?.dailyScore
    kept.soloScore = rows[id]?.soloScore
    rows[id] = kept
  }

  /// Puts all that was dropped back, so that it can be compared with the senders' own log.
  func restoreDropped() {
    replies.merge(dropped.replies) { kept, _ in kept }
    deliveries.merge(dropped.deliveries) { kept, _ in kept }
    matches.merge(dropped.matches) { kept, _ in kept }
    entries.merge(dropped.entries) { kept, _ in kept }
    rows.merge(dropped.rows) { $1 }
    nudges.merge(dropped.nudges) { kept, _ in kept }
    remindedTurns.merge(dropped.remindedTurns) { kept, _ in kept }
  }
}

extension Retention {
  /// The fewest days that the settings allow.
  static var shortest: Retention {
    var retention = Retention()
    retention.replies = replyRange.lowerBound
    retention.jobs = jobRange.lowerBound
    retention.reports = reportRange.lowerBound
    retention.acts = 1
    retention.games = retention.leastGames
    return retention
  }
}
