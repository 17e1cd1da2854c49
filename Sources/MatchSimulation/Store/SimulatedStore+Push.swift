import MatchCore
import MatchInterfaces

extension SimulatedStore {
  /// Keeps the results of jobs and the jobs that wait.
  func record(_ results: PushStore.Results) {
    for outcome in results.outcomes {
      let id = outcome.job.id
      if !isHandled(id) {
        deliveries[id] = (outcome.job.asOwed, outcome.fate)
        reasons[id] = outcome.reason
        sent[id] = now
      }
      if held[id]?.lockedBy == nil { held[id] = nil }
    }
    for row in results.held where !isHandled(row.job.id) {
      let kept = HeldJob(row.job.asOwed, until: row.until, row.reason)
      held[row.job.id] = (kept, lockedBy: held[row.job.id]?.lockedBy)
    }
    for answer in results.answers { note(answer) }
  }

  /// Notes an answer about devices whose routes are still those that were told.
  private func note(_ answer: PushStore.Answer) {
    for told in answer.devices {
      guard var row = devices[answer.player]?[told.name], row.device.route == told.route else {
        continue
      }
      guard answer.verdict != .gone else {
        devices[answer.player]?[told.name] = nil
        continue
      }
      row.registered.answer = RegisteredDevice.Answer(at: now, text: answer.storedText)
      if answer.verdict == .taken { row.registered.arrivedAt = now }
      devices[answer.player]?[told.name] = row
    }
  }

  func isHandled(_ id: PushJobID) -> Bool {
    deliveries[id].map { $0.fate != .failed } ?? false
  }

  /// The reason for which a job no longer holds: its player does not want it, its statement about a
  /// turn, a game or a day is not true any more, or it comes from a player with whom there is a
  /// block. A player who is gone has neither wishes nor devices, and yet hears of nothing.
  func reasonAgainst(_ job: PushJob) -> PushReason? {
    guard !isGone(job.player) else { return .gone }
    let row = settingsRow(of: job.player)
    guard row.settings.wants(job.kind), job.kind != .nudged || row.settings.push.takesNudges
    else { return .muted }
    guard row.devices.isEmpty || row.devices.contains(where: { $0.device.permission.admits })
    else { return .noPermission }
    if job.dueTurn != nil || job.kind == .dailyEndsSoon || job.holdsByState {
      let match = job.match.flatMap { matches[$0] }
      if let reason = job.reasonAgainst(match, at: now) { return reason }
    }
    if job.kind == .digest, waiting(of: job.player).count == 0 { return .answered }
    if let day = job.lastDay, now >= day.end { return .dayOver }
    if job.kind.isSentByOther, let match = job.match.flatMap({ matches[$0] }),
      let sender = match.occupants.first(where: { $0 != job.player }),
      !Block.between(job.player, sender).allSatisfy({ blocks[$0] == nil })
    {
      return .blocked
    }
    return nil
  }

  /// The end of the time in which a job is of use.
  func expiry(of job: PushJob) -> Instant? {
    if let day = job.lastDay { return day.end }
    guard job.dueTurn != nil, let match = job.match.flatMap({ matches[$0] }),
      let deadline = match.deadline?.at, deadline > now
    else { return nil }
    return deadline
  }

  /// How many turns, invitations and offers of a rematch wait for a player.
  func waiting(of player: PlayerID) -> PushStore.Waiting {
    var waiting = PushStore.Waiting()
    for (id, row) in rows {
      for seat in row.seats where seat.player == player {
        let isDue =
          matches[id].map { $0.outcome == nil && $0.seatToPlay == seat.seat } ?? false
        if seat.isInvited {
          waiting.invitations += 1
        } else if isDue, row.seats.contains(where: { $0.seat != seat.seat }) {
          waiting.turns += 1
        }
      }
      if let offer = row.rematchOffer, offer.to == player,
        offer.at > now.adding(seconds: -Match.invitationSeconds)
      {
        waiting.offers += 1
      }
    }
    return waiting
  }

  /// When the player was last told of a match with a sound, some moments ago, and has neither seen
  /// nor answered it.
  /// - Parameter topic: Nil: any.
  func lastSentAt(to player: PlayerID, of topic: PushJob.Kind.Topic? = nil) -> Instant? {
    let earliest = now.adding(seconds: -PushStore.Details.bundleSeconds)
    return unseen(by: player).filter { row in
      guard let told = row.job.kind.topic, topic == nil || told == topic,
        reasons[row.job.id] != .silent, row.sentAt > earliest
      else { return false }
      guard told == .turn else { return true }
      let match = row.job.match.flatMap { matches[$0] }
      return match.map { $0.outcome == nil && $0.turnNumber == row.job.turn } ?? false
    }.map(\.sentAt).max()
  }
}

extension PushJob {
  /// The job as the store keeps it.
  var asOwed: PushJob {
    var job = self
    job.hasWaitedForOthers = false
    return job
  }
}
