import MatchCore
import MatchInterfaces

extension SimulatedStore {
  /// Owes the reminders of the next offers of a rematch that have waited for a day.
  func remindOffers(
    _ now: Instant, _ after: SchedulerStore.WaitingOffer?, _ limit: Int
  ) -> SchedulerStore.WaitingOffer? {
    let wait = SchedulerStore.WaitingOffer.reminderSeconds
    let oldest = now.adding(seconds: wait - Match.invitationSeconds)
    let newest = now.adding(seconds: -wait)
    let waiting = rows.compactMap { id, row in row.rematchOffer.map { (match: id, offer: $0) } }
      .filter { row in
        row.offer.at > oldest && row.offer.at <= newest
          && after.map { ($0.at, $0.match) < (row.offer.at, row.match) } ?? true
      }
      .sorted { ($0.offer.at, $0.match) < ($1.offer.at, $1.match) }.prefix(limit)
    owe(
      waiting.filter { row in
        Block.between(row.offer.from, row.offer.to).allSatisfy { blocks[$0] == nil }
      }
      .map { PushJob(rematchWaits: $0.match, to: $0.offer.to) }
      .filter { deliveries[$0.id] == nil && held[$0.id] == nil })
    return waiting.last.map { SchedulerStore.WaitingOffer(match: $0.match, at: $0.offer.at) }
  }

  /// Owes the jobs of players whose own clocks show the time for them.
  func remindByLocalTime(
    _ now: Instant, _ limit: Int, _ clock: (MatchID) -> QueueClock,
    _ round: (SchedulerStore.LocalWish) -> SchedulerStore.LocalRound
  ) -> Int {
    let due = nextDigest.filter { $0.value <= now }
      .sorted { ($0.value, $0.key) < ($1.value, $1.key) }.prefix(limit)
    for (player, at) in due {
      let preferences = settings[player]?.push ?? PushPreferences()
      let result = round(
        SchedulerStore.LocalWish(
          player: player, preferences: preferences, dueAt: at,
          hasWaiting: preferences.digest != nil && waiting(of: player).count > 0))
      nextDigest[player] = result.next
      owe(result.jobs)
      if let quiet = result.quiet { remindBefore(quiet, player, clock) }
    }
    return due.count
  }

  /// A player's results of the last seven days.
  func week(of player: PlayerID) -> PushStore.WeekReview {
    let since = now.adding(seconds: -7 * 86_400)
    let games = rows.values.flatMap(\.pastGames).filter {
      $0.player == player && $0.endedAt > since && $0.result != .none
    }
    let matches = games.filter { $0.opponent != nil }
    return PushStore.WeekReview(
      played: matches.count, won: matches.count { $0.result == .won },
      bestPoints: games.map(\.points).max())
  }

  /// Reminds of turns whose reminder would come in quiet hours and cannot wait for their end.
  private func remindBefore(
    _ quiet: Range<Instant>, _ player: PlayerID, _ clock: (MatchID) -> QueueClock
  ) {
    let turns = matches.values.filter { match in
      match.outcome == nil && match.seats[match.seatToPlay].player == player
        && remindedTurns[match.id] != match.turnNumber
        && SchedulerStore.LocalRound.mustRemind(of: match, before: quiet, clock(match.id))
    }
    for match in turns { remindedTurns[match.id] = match.turnNumber }
    owe(turns.sorted { $0.id < $1.id }.compactMap(\.turnReminder))
  }
}
