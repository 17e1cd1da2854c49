import MatchCore
import MatchInterfaces

extension SimulatedStore {
  /// The store for the scheduler, its steward and the housekeeper, over one connection.
  func scheduler(
    _ session: Session, leading duty: SchedulerStore.Duty = .scheduler,
    keeping retention: Retention = .standard
  ) -> SchedulerStore {
    var store = SchedulerStore.failing
    store.lead.answer { () throws(StoreError) in
      try self.checkWritable(session)
      return self.lead(duty, session)
    }
    store.now.answer { () throws(StoreError) in
      try self.checkOpen(session)
      return self.now
    }
    store.time.answer { () throws(StoreError) in
      try self.checkOpen(session)
      return self.time
    }
    store.correctTime.answer { change throws(StoreError) in
      try self.checkWritable(session)
      self.correctTime(change)
    }
    store.workload.answer { () throws(StoreError) in
      try self.checkOpen(session)
      var status = ServiceStatus(now: self.shown, schemaVersion: 0)
      (status.addedMicroseconds, status.clockJump) = (
        self.time.addedMicroseconds, self.time.lastJump
      )
      (status.clocks, status.layout) = (self.clocks, self.layout)
      return status
    }
    store.queueClocks.answer { () throws(StoreError) in
      try self.checkOpen(session)
      return self.clocks
    }
    store.layout.answer { () throws(StoreError) in
      try self.checkOpen(session)
      return self.layout
    }
    store.overdue.answer { before, after, limit throws(StoreError) in
      try self.checkOpen(session)
      return self.overdue(before, after, limit)
    }
    store.recoveriesDue.answer { before, after, limit throws(StoreError) in
      try self.checkOpen(session)
      return self.recoveriesDue(before, after, limit)
    }
    store.daily.answer { key throws(StoreError) in
      try self.checkOpen(session)
      return self.dailies[key]?.challenge
    }
    store.keepDaily.answer { challenge throws(StoreError) in
      try self.checkWritable(session)
      if let kept = self.dailies[challenge.key] { return kept.challenge }
      self.dailies[challenge.key] = Daily(challenge: challenge, since: self.clock.now)
      return challenge
    }
    store.rank.answer { limit throws(StoreError) in
      try self.checkWritable(session)
      return self.rankNext(limit)
    }
    store.fanOutDaily.answer { key, limit throws(StoreError) in
      try self.checkWritable(session)
      return self.fanOut(key, limit)
    }
    store.remindTurns.answer { now, limit, clock throws(StoreError) in
      try self.checkWritable(session)
      return self.remindTurns(now, limit, clock)
    }
    store.remindDaily.answer { key, limit throws(StoreError) in
      try self.checkWritable(session)
      return self.remindDaily(key, limit)
    }
    store.remindOffers.answer { now, after, limit throws(StoreError) in
      try self.checkWritable(session)
      return self.remindOffers(now, after, limit)
    }
    store.remindByLocalTime.answer { now, limit, clock, round throws(StoreError) in
      try self.checkWritable(session)
      return self.remindByLocalTime(now, limit, clock, round)
    }
    store.rotatePartitions.answer { now, _ throws(StoreError) in
      try self.checkWritable(session)
      try self.removeLeavers(by: now)
      self.settleLeavers()
      self.dropOld(by: now, retention)
    }
    store.movers.answer { after, limit throws(StoreError) in
      try self.checkOpen(session)
      return self.movers(after, limit)
    }
    return store
  }

  private func overdue(
    _ before: Instant, _ after: SchedulerStore.Overdue?, _ limit: Int
  ) -> [SchedulerStore.Overdue] {
    let overdue = matches.values.compactMap { match -> SchedulerStore.Overdue? in
      guard match.outcome == nil, let deadline = match.deadline?.at, deadline < before else {
        return nil
      }
      return SchedulerStore.Overdue(match: match.id, turn: match.turnNumber, deadline: deadline)
    }
    let left = matches.values.flatMap { match -> [SchedulerStore.Overdue] in
      guard match.outcome == nil else { return [] }
      return match.occupants.compactMap { player in
        guard let departure = departures[player], !departure.isSettled,
          let goneAt = departure.goneAt, goneAt < before
        else { return nil }
        return SchedulerStore.Overdue(
          match: match.id, turn: match.turnNumber, deadline: goneAt, gone: player)
      }
    }
    let rest = (overdue + left).filter { row in
      after.map { ($0.deadline, $0.match) < (row.deadline, row.match) } ?? true
    }
    return Array(
      rest.sorted { ($0.deadline, $0.match) < ($1.deadline, $1.match) }.prefix(limit))
  }

  private func fanOut(_ key: DailyKey, _ limit: Int) -> Bool {
    guard let daily = dailies[key], !daily.isDone else { return false }
    let next = players.keys.filter { player in daily.cursor.map { player > $0 } ?? true }
      .sorted().prefix(limit)
    let wanting = next.filter { settings[$0]?.muted.contains(.dailyReady) != true && !isGone($0) }
    owe(wanting.map { PushJob(dailyReady: key, to: $0) })
    if let last = next.last { dailies[key]?.cursor = last }
    dailies[key]?.isDone = next.count < limit
    return next.count >= limit
  }

  /// The store for the outbox relay, over one connection.
  func relay(_ session: Session) -> RelayStore {
    var store = RelayStore.failing
    store.claim.answer { age, limit throws(StoreError) in
      try self.checkWritable(session)
      return self.claim(age, limit, session)
    }
    store.finish.answer { confirmed throws(StoreError) in
      try self.finish(confirmed, session)
    }
    return store
  }

  private func finish(_ confirmed: [PushJobID], _ session: Session) throws(StoreError) {
    try checkOpen(session)
    guard
      outbox.values.contains(where: { $0.lockedBy == session.number })
        || held.values.contains(where: { $0.lockedBy == session.number })
    else {
      if confirmed.isEmpty { return }
      throw .conflict("the claim is gone")
    }
    try checkWritable(session)
    for id in confirmed {
      if outbox[id]?.lockedBy == session.number { outbox[id] = nil }
      if let row = held[id], row.lockedBy == session.number, row.held.until <= now {
        held[id] = nil
      }
    }
    rollBack(session)
  }

  private func claim(_ age: Duration, _ limit: Int, _ session: Session) -> [PushJob] {
    // An unfinished claim is given up first.
    rollBack(session)
    let newest = now.adding(.zero - age)
    let free = outbox.values.filter { $0.lockedBy == nil && $0.createdAt <= newest }
      .sorted { ($0.createdAt, $0.job.id) < ($1.createdAt, $1.job.id) }.prefix(limit)
    for job in free { outbox[job.job.id]?.lockedBy = session.number }
    let due = held.values.filter { $0.lockedBy == nil && $0.held.until <= now }
      .sorted { left, right in
        (left.held.until, left.held.job.player, left.held.job.id)
          < (right.held.until, right.held.job.player, right.held.job.id)
      }.prefix(limit - free.count)
    for row in due { held[row.held.job.id]?.lockedBy = session.number }
    let ids = Set(free.map(\.job.id))
    let held = due.filter { !ids.contains($0.held.job.id) }.map { row in
      var job = row.held.job
      job.hasWaitedForOthers = row.held.reason == .bundle
      return job
    }
    return free.map(\.job) + held
  }

  /// The store for the push worker, over one connection.
  func push(_ session: Session) -> PushStore {
    var store = PushStore.failing
    store.brief.answer { jobs throws(StoreError) in
      try self.checkOpen(session)
      return Dictionary(jobs.map { ($0.id, self.briefing(of: $0)) }) { $1 }
    }
    store.record.answer { results throws(StoreError) in
      try self.checkWritable(session)
      self.record(results)
    }
    store.bury.answer { jobs throws(StoreError) in
      try self.checkWritable(session)
      for job in jobs { self.deadJobs[job.id] = DeadJobRow(at: self.now, job: job) }
    }
    store.reconnect.answer { () throws(StoreError) in try self.reopen(session) }
    store.trial.answer { step, message throws(StoreError) in
      try self.trial(step, message, session)
    }
    return store
  }

  private func briefing(of job: PushJob) -> PushStore.Briefing {
    let fate = deliveries[job.id]?.fate
    guard fate != .dropped else { return .handled }
    if let reason = reasonAgainst(job) { return fate == .delivered ? .handled : .stale(reason) }
    let match = job.match.flatMap { matches[$0] }
    let other = match?.occupants.first { $0 != job.player }
    let opponent = other.flatMap { other in
      players[other].map { player in
        PushStore.Opponent(
          other, settings[other]?.displayName?.text(beside: player.name) ?? player.name.text)
      }
    }
    let yesterday = job.dayBefore.flatMap { standing(of: job.player, $0) }
    let row = settingsRow(of: job.player)
    let details = PushStore.Details(
      opponent: opponent, devices: row.devices.map(\.device).filter(\.permission.admits),
      yesterday: yesterday, reason: job.kind == .matchEnded ? match?.outcome?.reason : nil,
      waiting: waiting(of: job.player),
      week: job.kind == .weekInReview ? week(of: job.player) : nil, preferences: row.settings.push,
      expiresAt: expiry(of: job), lastSentAt: lastSentAt(to: job.player),
      lastTurnSentAt: lastSentAt(to: job.player, of: .turn), readAt: now)
    return fate == .delivered ? .delivered(details) : .due(details)
  }
}
