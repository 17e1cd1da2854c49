import MatchCore
import MatchInterfaces

extension SimulatedStore {
  /// What a turn worker needs, over one connection.
  func worker(_ session: Session) -> WorkerStore {
    WorkerStore(
      lookUp: { lookup throws(StoreError) in
        try self.checkOpen(session)
        return self.lookUp(lookup)
      },
      settle: { claims throws(StoreError) in
        try self.checkOpen(session)
        return try self.settle(claims, session)
      },
      commit: { write throws(StoreError) in
        try self.checkWritable(session)
        do throws(StoreError) {
          try self.checkLocks(of: write, session)
          try self.check(write)
        } catch {
          self.rollBack(session)
          throw error
        }
        try self.finish(write, session)
      },
      abandon: { self.rollBack(session) },
      heartbeat: { id throws(StoreError) in
        try self.checkWritable(session)
        self.heartbeats[id] = self.now
        let oldest = self.now.adding(seconds: -SimulatedStore.heartbeatLimitSeconds)
        return self.heartbeats.filter { $0.value > oldest }.keys.sorted()
      },
      leave: { id throws(StoreError) in
        try self.checkWritable(session)
        self.heartbeats[id] = nil
      },
      queueClocks: { () throws(StoreError) in
        try self.checkOpen(session)
        return self.clocks
      })
  }

  private func lookUp(_ lookup: Lookup) -> LookupResult {
    var result = LookupResult(now: now)
    for event in lookup.events { result.replies[event] = replies[event] }
    for key in lookup.keys { result.keys[key] = keys[key] }
    result.players = Set(lookup.players.filter { players[$0] != nil })
    for match in lookup.matches { result.matches[match] = matches[match] }
    for daily in lookup.dailies { result.dailies[daily] = dailies[daily]?.challenge }
    return result
  }

  private func settle(
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
      if let owner = names[name.key], owner != player { return .nameTaken }
      return .free
    case .pair(let a, let b, let terms, _):
      return pairs[Claim.pairKey(a, b, terms)].map { .heldBy($0) } ?? .free
    case .seat(let terms, let player):
      let waiting = matches.values.filter { match in
        match.stage == .waiting && match.terms == terms && match.players.first != player
      }
      let rows = waiting.sorted { ($0.dealtAt, $0.id) < ($1.dealtAt, $1.id) }
        .compactMap { match in
          match.players.first.map { ClaimFacts.Waiting(match: match.id, player: $0) }
        }
      return rows.isEmpty ? .free : .waiting(rows)
    }
  }

  // MARK: Writing

  /// Everything that can be wrong with a batch, before any of it is visible.
  private func check(_ write: BatchWrite) throws(StoreError) {
    for (id, version) in write.unchanged where matches[id]?.version != version {
      throw .conflict("match \(id) has changed")
    }
    for change in write.changes where matches[change.after.id]?.version != change.before?.version {
      throw .conflict("match \(change.after.id) has changed")
    }
    for change in write.changes {
      guard let pair = StoredListing(of: change.after).pairKey else { continue }
      if let holder = pairs[pair], holder != change.after.id {
        throw .conflict("the pair has an invitation")
      }
    }
    for reply in write.replies where replies[reply.key] != nil {
      throw .conflict("event \(reply.key.event) has a reply")
    }
    for registration in write.registrations {
      guard players[registration.player] == nil, keys[registration.key] == nil,
        names[registration.name.key] == nil
      else { throw .conflict("player, key or name exists") }
    }
    for code in write.codes where codes[code.code] != nil {
      throw .conflict("the code exists")
    }
    for code in write.usedCodes.keys {
      guard case .some(.none) = registrationCodes[code] else {
        throw .conflict("the registration code has been used")
      }
    }
  }

  func apply(_ write: BatchWrite) {
    for change in write.changes { apply(change) }
    for code in write.codes { codes[code.code] = code.match }
    for registration in write.registrations {
      players[registration.player] = Player(
        name: registration.name, registeredAt: registration.at, since: clock.now)
      keys[registration.key] = KeyOwner(
        player: registration.player, name: registration.name)
      names[registration.name.key] = registration.player
    }
    for (code, player) in write.usedCodes { registrationCodes[code] = .some(player) }
    for reply in write.replies { replies[reply.key] = reply.reply }
    owe(write.outbox)
    // A row that a relay has locked is the relay's to delete.
    for id in write.published where outbox[id]?.lockedBy == nil { outbox[id] = nil }
    for (queue, clock) in write.clocks {
      guard let time = clock.time, time > clocks[queue]?.time ?? Instant(microseconds: .min) else {
        continue
      }
      clocks[queue] = clock
    }
    deadEvents += write.dead
  }

  private func apply(_ change: MatchChange) {
    let id = change.after.id
    show(change.after)
    entries[id, default: []] += change.entries
    if let pair = rows[id]?.pairKey { pairs[pair] = nil }
    let rows = StoredListing(of: change.after)
    self.rows[id] = rows
    if let pair = rows.pairKey { pairs[pair] = id }
    if change.after.terms.kind == .open, change.after.outcome != nil {
      codes = codes.filter { $0.value != id }
    }
  }
}
