import MatchCore
import MatchInterfaces

extension SimulatedStore {
  /// The last reminders of players in matches, and the players there who refuse them.
  func nudgeFacts(of wanted: Set<MatchID>) -> NudgeFacts {
    var facts = NudgeFacts()
    for id in wanted {
      facts.turns[id] = nudges[id]?.turn
      for player in matches[id]?.players ?? [] {
        guard let settings = settings[player], settings.isBot || !settings.push.takesNudges
        else { continue }
        facts.refusers.insert(player)
      }
    }
    return facts
  }

  /// Owes the reminders of turns whose time runs out.
  func remindTurns(
    _ now: Instant, _ limit: Int, _ clock: (MatchID) -> QueueClock
  ) -> Int {
    let due = matches.values.filter { match in
      remindedTurns[match.id] != match.turnNumber && match.isReminderDue(clock(match.id))
    }.sorted { $0.id < $1.id }.prefix(limit)
    for match in due { remindedTurns[match.id] = match.turnNumber }
    owe(due.compactMap(\.turnReminder))
    return due.count
  }

  /// Owes the reminders of the next players who have begun a challenge and not finished it.
  func remindDaily(_ key: DailyKey, _ limit: Int) -> Bool {
    guard let daily = dailies[key], !daily.isReminded else { return false }
    let games = matches.values.filter { $0.terms.kind == .daily(key) }
    let next = games.compactMap { match in match.players.first.map { (player: $0, match: match) } }
      .filter { game in daily.reminderCursor.map { game.player > $0 } ?? true }
      .sorted { $0.player < $1.player }.prefix(limit)
    owe(next.compactMap(\.match.dailyReminder))
    if let last = next.last { dailies[key]?.reminderCursor = last.player }
    dailies[key]?.isReminded = next.count < limit
    return next.count >= limit
  }

  /// Whether an invitation or an offer waits. True of everything else.
  private func waits(_ job: PushJob) -> Bool {
    guard let id = job.match else { return true }
    switch job.kind {
    case .invited:
      return matches[id].map {
        $0.outcome == nil && $0.concerns(job.player) && $0.seat(of: job.player) == nil
      } ?? false
    case .rematchRequested:
      guard let offer = rows[id]?.rematchOffer, offer.to == job.player else { return false }
      return offer.at > now.adding(seconds: -Match.invitationSeconds)
    default: return true
    }
  }

  /// A player's sent and unseen notifications, except for invitations and offers that no longer
  /// wait, and the newest notice about the account.
  func inbox(of player: PlayerID, _ limit: Int) -> [ReaderStore.InboxRow] {
    let unseen = unseen(by: player).filter { waits($0.job) }
    let others = unseen.filter { $0.job.kind != .account }
    let account = recentAccountNotice(to: player) ?? unseen.first { $0.job.kind == .account }
    let rows = ((account.map { [$0] } ?? []) + others).prefix(limit)
    return rows.sorted { ($1.sentAt, $0.job.id) < ($0.sentAt, $1.job.id) }
  }

  /// The newest notice about the account of the last seven days, seen or not.
  private func recentAccountNotice(to player: PlayerID) -> ReaderStore.InboxRow? {
    let weekAgo = now.adding(seconds: -7 * 86_400)
    return deliveries.values.filter { $0.job.player == player && $0.job.kind == .account }
      .compactMap { row in
        sent[row.job.id].map { ReaderStore.InboxRow(job: row.job, sentAt: $0) }
      }
      .filter { $0.sentAt > weekAgo }
      .min { ($1.sentAt, $0.job.id) < ($0.sentAt, $1.job.id) }
  }

  /// A player's sent and unseen notifications, the newest first.
  func unseen(by player: PlayerID) -> [ReaderStore.InboxRow] {
    let rows = deliveries.values.filter {
      $0.job.player == player && $0.fate == .delivered && !seen.contains($0.job.id)
    }.compactMap { row in
      sent[row.job.id].map { ReaderStore.InboxRow(job: row.job, sentAt: $0) }
    }.filter { row in seenUntil[player].map { row.sentAt > $0 } ?? true }
    return rows.sorted { ($1.sentAt, $0.job.id) < ($0.sentAt, $1.job.id) }
  }

  /// A player's result in a daily challenge.
  func standing(of player: PlayerID, _ key: DailyKey) -> PushStore.Standing? {
    let scores = rows.values.compactMap(\.dailyScore).filter {
      $0.key == key && !isBot($0.player)
    }
    guard let own = scores.first(where: { $0.player == player }) else { return nil }
    let better = Set(scores.map(\.points).filter { $0 > own.points })
    return PushStore.Standing(rank: better.count + 1, outOf: scores.count)
  }
}
