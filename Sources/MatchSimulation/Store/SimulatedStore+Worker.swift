import MatchCore
import MatchInterfaces
import MatchWire

extension SimulatedStore {
  /// The store for a turn worker, over one connection.
  func worker(_ session: Session) -> WorkerStore {
    var store = WorkerStore.failing
    store.lookUp.answer { lookup throws(StoreError) in
      self.keepWaiting(for: session)
      try self.checkOpen(session)
      return self.lookUp(lookup)
    }
    store.resolve.answer { claims throws(StoreError) in
      try self.checkOpen(session)
      return try self.resolve(claims, session)
    }
    store.commit.answer { write throws(StoreError) in
      try self.checkOpen(session)
      // Nothing to write means no transaction.
      guard !write.isEmpty || !write.unchanged.isEmpty else { return self.rollBack(session) }
      try self.checkWritable(session)
      do throws(StoreError) {
        try self.checkLocks(of: write, session)
        try self.check(write)
      } catch {
        self.rollBack(session)
        throw error
      }
      try self.finish(write, session)
    }
    store.abandon.answer { self.rollBack(session) }
    store.standing.answer { id throws(StoreError) in
      try self.checkOpen(session)
      var standing = WorkerStanding()
      let fresh = self.shown.adding(seconds: -WorkerStanding.freshSeconds)
      let oldest = self.shown.adding(seconds: -WorkerStore.heartbeatLimitSeconds)
      standing.isMember = self.heartbeats[id].map { $0 > oldest } ?? false
      standing.isServed = self.heartbeats.contains { $0 != id && $1 > fresh }
      return standing
    }
    store.heartbeat.answer { id throws(StoreError) in
      try self.checkWritable(session)
      self.heartbeats = self.heartbeats.mapValues { min($0, self.shown) }
      self.heartbeats[id] = self.shown
      let oldest = self.shown.adding(seconds: -WorkerStore.heartbeatLimitSeconds)
      return self.heartbeats.filter { $0.value > oldest }.keys.sorted()
    }
    store.leave.answer { id throws(StoreError) in
      try self.checkWritable(session)
      self.heartbeats[id] = nil
    }
    store.queueClocks.answer { () throws(StoreError) in
      try self.checkOpen(session)
      return self.clocks
    }
    store.layout.answer { () throws(StoreError) in
      try self.checkOpen(session)
      return self.layout
    }
    store.reconnect.answer { () throws(StoreError) in try self.reopen(session) }
    store.trial.answer { step, message throws(StoreError) in
      try self.trial(step, message, session)
    }
    store.workWhileWaiting.answer { session.work = $0 }
    return store
  }

  /// Notes that a message is about to be read alone, or that it has not ended a worker.
  func trial(
    _ step: TrialStep, _ message: Hash, _ session: Session
  ) throws(StoreError) -> Int {
    try checkWritable(session)
    trials[message] = step == .begins ? trials[message, default: 0] + 1 : nil
    return trials[message, default: 0]
  }

  private func lookUp(_ lookup: Lookup) -> LookupResult {
    var result = LookupResult(now: now)
    result.revocationCount = revocationCount
    for event in lookup.events { result.replies[event] = replies[event] }
    for key in lookup.keys { result.keys[key] = keys[key] }
    result.players = Set(lookup.players.filter { players[$0] != nil && !isGone($0) })
    for player in lookup.players { result.absences[player] = absence(of: player) }
    for match in lookup.matches { result.matches[match] = matches[match] }
    result.blocks = blocks(among: lookup.meeting).union(
      lookup.changing.filter { blocks[$0] != nil })
    if let limit = lookup.blockLimit {
      for player in lookup.changing.map(\.player) {
        result.blockCounts[player] = min(limit, blocks.keys.count { $0.player == player })
      }
    }
    for player in lookup.reporting {
      let reports = reports(ofDayBy: player)
      if !reports.isEmpty { result.reports[player] = reports }
    }
    result.nudges = nudgeFacts(of: lookup.nudging)
    for player in lookup.leaving { result.leavings[player] = leavings(of: player) }
    for match in lookup.requests { result.requests[match] = entries[match]?.first?.signed }
    for hash in lookup.invitations { result.invitations[hash] = invitationFacts(hash) }
    for player in lookup.recoveries {
      guard let recovery = recoveries[player] else { continue }
      result.recoveryKeys[player] = recovery.keys
      if let named = recovery.named, let pending = recovery.pending {
        result.pendingRecoveries[player] = PendingRecovery(
          recovery: pending.recovery, key: named.key)
      }
    }
    if lookup.certificates { result.certificates = certificates }
    if let limit = lookup.registrations { result.registrations = registrations(limit) }
    for daily in lookup.dailies { result.dailies[daily] = dailies[daily]?.challenge }
    return result
  }

  private func resolve(
    _ claims: [Claim], _ session: Session
  ) throws(StoreError) -> [ClaimFacts] {
    for claim in claims { try lock(claim, for: session) }
    return claims.map(fact)
  }

  private func fact(of claim: Claim) -> ClaimFacts {
    switch claim {
    case .name(let name, let player, let code):
      if let code {
        guard case .some(.none) = registrationCodes[code] else { return .codeInvalid }
      } else if needsCode {
        return .codeRequired
      }
      if skeletons[name.skeleton]?.contains(where: { $0 != player }) == true { return .nameTaken }
      if let until = reservedNames[name.skeleton], until > now { return .nameTaken }
      return code != nil && !needsCode ? .admitted : .free
    case .pair(let a, let b, let terms, _):
      return pairs[Claim.pairKey(a, b, terms)].map { .heldBy($0) } ?? .free
    case .load(let player): return .load(load(of: player))
    case .inbox(let player, let sender, let day):
      return .inbox(inbox(of: player, sender: sender, on: day))
    case .seat(let terms, let player): return .waiting(waiters(terms, for: player))
    case .keys(let player): return .keys(playerKeys(of: player))
    }
  }

  // MARK: Writing

  /// Checks a whole batch for mistakes before any of it is visible.
  private func check(_ write: BatchWrite) throws(StoreError) {
    guard write.revocationCount.map({ $0 == revocationCount }) ?? true else {
      throw .conflict("a key has been revoked")
    }
    for (id, version) in write.unchanged where matches[id]?.version != version {
      throw .conflict("match \(id) has changed")
    }
    for change in write.changes where matches[change.after.id]?.version != change.before?.version {
      guard change.before != nil else { throw .duplicate("match \(change.after.id) exists") }
      throw .conflict("match \(change.after.id) has changed")
    }
    for (queue, change) in write.clocks
    where clocks[queue] ?? QueueClock() != change.before {
      throw .conflict("the clock of queue \(queue) has changed")
    }
    for nudge in write.nudges where nudges[nudge.match].map({ $0.turn >= nudge.turn }) ?? false {
      throw .conflict("the player was reminded of turn \(nudge.turn) meanwhile")
    }
    try checkMeetings(of: write)
    try checkPairs(of: write)
    var events: Set<EventKey> = []
    for reply in write.replies
    where replies[reply.key] != nil || !events.insert(reply.key).inserted {
      throw .duplicate("event \(reply.key.event) has a reply")
    }
    try checkPlayers(of: write)
    var invitations: Set<ShareCode> = []
    for code in write.codes where codes[code.code] != nil || !invitations.insert(code.code).inserted
    {
      throw .rejected("the code of an invitation leads elsewhere")
    }
  }

  /// A pair has one invitation at a time. One that ends with the batch makes room.
  private func checkPairs(of write: BatchWrite) throws(StoreError) {
    let changed = Set(write.changes.map(\.after.id))
    var taken: Set<String> = []
    for change in write.changes {
      guard let pair = StoredListing(of: change.after).pairKey else { continue }
      if let holder = pairs[pair], !changed.contains(holder) {
        throw .duplicate("the pair has an invitation")
      }
      guard taken.insert(pair).inserted else { throw .duplicate("the pair has two invitations") }
    }
  }

  private func checkPlayers(of write: BatchWrite) throws(StoreError) {
    var (newPlayers, newKeys): (Set<PlayerID>, Set<PublicKey>) = ([], [])
    var newNames: Set<String> = []
    for registration in write.registrations {
      guard players[registration.player] == nil, keys[registration.key] == nil,
        names[registration.name.key] == nil, newPlayers.insert(registration.player).inserted,
        newKeys.insert(registration.key).inserted,
        newNames.insert(registration.name.key).inserted
      else { throw .duplicate("player, key or name exists") }
    }
    try checkKeys(of: write, newKeys)
    for code in write.usedCodes.keys {
      guard case .some(.none) = registrationCodes[code] else {
        throw .conflict("the registration code has been used")
      }
    }
  }

  func apply(_ write: BatchWrite) {
    noteRevoked(write)
    // Deletions come before insertions, so that a newly free pair can be taken.
    for change in write.changes {
      if let pair = rows[change.after.id]?.pairKey { pairs[pair] = nil }
    }
    for change in write.changes { apply(change) }
    for code in write.codes { codes[code.code] = code.match }
    for share in write.shares { shares[share.code] = share.match }
    for registration in write.registrations {
      players[registration.player] = Player(
        name: registration.name, registeredAt: registration.at, since: clock.now)
      keys[registration.key] = KeyOwner(
        player: registration.player, name: registration.name)
      keyRows[registration.key] = PlayerKeys.Key(addedAt: registration.at)
      names[registration.name.key] = registration.player
      skeletons[registration.name.skeleton, default: []].insert(registration.player)
    }
    for (code, player) in write.usedCodes { registrationCodes[code] = .some(player) }
    for change in write.keyChanges { apply(change) }
    recoveries.merge(write.recoveries) { _, newer in newer }
    apply(write.playerChanges, at: write.now)
    for removed in write.removedKeys { removeDevices(of: removed.key) }
    for reply in write.replies { replies[reply.key] = reply.reply }
    applyBlocks(of: write)
    applyReports(of: write)
    for nudge in write.nudges { nudges[nudge.match] = (nudge.turn, write.now) }
    for (match, left) in write.seatsLeft {
      seatsLeft[left.player, default: []].append((left.at, match))
      remindedTurns[match] = nil
    }
    countStrangers(of: write)
    owe(write.outbox)
    // A row that a relay has locked is the relay's to delete.
    for id in write.published where outbox[id]?.lockedBy == nil { outbox[id] = nil }
    for (queue, change) in write.clocks { clocks[queue] = change.after }
    deadEvents += write.dead
    afterCommit(write)
  }

  /// Notes, for the checks, writes for keys that had been revoked: replies, and entries of events
  /// that had none before. The record of a rematch begins with its offer. An offer counts since it
  /// was answered.
  private func noteRevoked(_ write: BatchWrite) {
    guard revocationCount > 0 else { return }
    // A reply does not say which key has asked. A player with another key still plays.
    let revoked = Set(keys.values.map(\.player))
      .subtracting(keys.values.filter { !$0.isRevoked }.map(\.player))
    // A recovery key asks for its player without any other key.
    let recovering = Set(write.recoveries.keys)
    for reply in write.replies
    where revoked.contains(reply.key.player) && !recovering.contains(reply.key.player) {
      writtenAfterRevocation.append("event \(reply.key.event)")
    }
    for entry in write.changes.flatMap(\.entries) where keys[entry.signed.key]?.isRevoked == true {
      guard case .event(let event)? = try? PayloadCodec.decodeContent(entry.signed.payload),
        replies[EventKey(player: event.player, event: event.id)] == nil
      else { continue }
      writtenAfterRevocation.append("the entry of event \(event.id)")
    }
  }

  private func apply(_ change: MatchChange) {
    let id = change.after.id
    show(change.after)
    entries[id, default: []] += change.entries
    let rows = StoredListing(of: change.after)
    self.rows[id] = rows
    rankingQueue += Listing(of: change.after).reranks(after: change.before.map(Listing.init))
    if let pair = rows.pairKey { pairs[pair] = id }
    if ratings.results[id] == nil { ratings.queue[id] = change.after.rated }
  }
}
