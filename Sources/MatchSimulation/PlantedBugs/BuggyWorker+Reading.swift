import MatchCore
import MatchInterfaces
import MatchService
import MatchWire

extension BuggyWorker {
  // MARK: Old states

  /// A match as it was a moment ago. Nil: it did not exist yet.
  private func old(_ id: MatchID) -> Match? {
    let time = world.clock.now.adding(seconds: -BuggyWorker.lagSeconds)
    return world.store.history[id]?.last { $0.since <= time }?.match
  }

  /// The look-up result, with finished matches as they were a moment ago, or when they ended.
  func withFinishedAsBefore(_ result: LookupResult) -> LookupResult {
    var result = result
    for (id, match) in result.matches where match.outcome != nil {
      let first = world.store.history[id]?.first { $0.match.outcome != nil }?.match
      result.matches[id] = old(id).flatMap { $0.outcome == nil ? nil : $0 } ?? first
    }
    return result
  }

  /// Resolves claims. Those on seats are resolved without a lock and by an outdated view.
  func resolveWithoutLock(
    _ claims: [Claim], _ raw: WorkerStore
  ) throws(StoreError) -> [ClaimFacts] {
    var facts: [Claim: ClaimFacts] = [:]
    let others = claims.filter { if case .seat = $0 { false } else { true } }
    for (claim, fact) in zip(others, try raw.resolve(others)) { facts[claim] = fact }
    for claim in claims {
      guard case .seat(let terms, let player) = claim else { continue }
      let waiting = world.store.matches.keys.compactMap(old).filter {
        $0.stage == .waiting && $0.terms == terms && $0.players.first != player
      }.sorted { ($0.dealtAt, $0.id) < ($1.dealtAt, $1.id) }
      for match in waiting { self.waiting[match.id] = match }
      let rows = waiting.compactMap { match in
        match.players.first.map { other in
          Pairing.Waiting(
            match: match.id,
            seeker: .init(
              player: other, rating: world.store.rating(of: other), since: match.dealtAt))
        }
      }
      facts[claim] = .waiting(.init(rating: world.store.rating(of: player), waiting: rows))
    }
    return claims.map { facts[$0] ?? .free }
  }

  /// The look-up result, with the waiting matches as they were when a claim named them.
  func withWaitingAsBefore(_ result: LookupResult) -> LookupResult {
    var result = result
    for (id, match) in waiting where result.matches[id] != nil { result.matches[id] = match }
    waiting = [:]
    return result
  }

  // MARK: Turns

  /// The look-up result, with answers for unknown turns: those to turns of the same number.
  func withRepliesByNumber(_ result: LookupResult, _ lookup: Lookup) -> LookupResult {
    var result = result
    for key in lookup.events where result.replies[key] == nil {
      guard let sent = world.senders.event(key),
        case .turnPlayed(let sentTurn) = sent.action
      else { continue }
      let other = world.senders.sent.first { other in
        guard case .turnPlayed(let played) = other.action else { return false }
        return played.match == sentTurn.match && other.key.player == key.player
          && played.turn.number == sentTurn.turn.number
          && world.store.replies[other.key] != nil
      }
      guard let other, let stored = world.store.replies[other.key],
        case .accepted(let acceptance)? = try? ReplyCodec.decode(stored.reply).reply
      else { continue }
      result.replies[key] = StoredReply(
        payloadHash: sent.payloadHash,
        reply: ReplyCodec.encode(.accepted(acceptance), event: key.event))
    }
    return result
  }

  /// The look-up result, with matches changed to agree with the turns in hand.
  func withPreviousAsNamed(
    _ result: LookupResult, _ lookup: Lookup
  ) throws(StoreError) -> LookupResult {
    var result = result
    for delivery in delivered {
      guard let signed = try? Envelope.decode(delivery.body),
        let event = try? PayloadCodec.decodeEvent(signed.payload),
        case .turnPlayed(let played) = event.action,
        let match = world.store.matches[played.match],
        match.outcome == nil, played.turn.number == match.turnNumber,
        match.seats[match.seatToPlay].player == event.player,
        played.turn.previous != match.previousTurnHash
      else { continue }
      // The worker does not look up a match that it remembers. Made to forget, it asks again.
      guard lookup.matches.contains(match.id) else {
        throw .conflict("match \(match.id) has changed")
      }
      result.matches[match.id] = match.naming(previous: played.turn.previous)
    }
    return result
  }

  // MARK: Time

  /// Puts the wall clock's time before deliveries, in steps that give no credit.
  func withWallClock(_ deliveries: [EventDelivery]) -> [EventDelivery] {
    guard let first = deliveries.first else { return [] }
    let now = world.clock.now
    var ticks: [EventDelivery] = []
    for queue in Set(deliveries.map(\.queue)).sorted() {
      var time = wallTimes[queue] ?? now
      repeat {
        time = min(now, time.adding(microseconds: QueueClock.longestGapMicroseconds))
        ticks.append(EventDelivery(queue: queue, tag: first.tag, body: tick(queue, time)))
      } while time < now
      wallTimes[queue] = now
    }
    return ticks + deliveries
  }

  private func tick(_ queue: Int, _ time: Instant) -> [UInt8] {
    let identity = world.identity
    let event = Event(
      service: identity.service, id: EventID(at: time, random: 0), player: identity.player,
      action: .ticked(queue: queue, time: time))
    return Envelope.encode(identity.signer.signed(PayloadCodec.encode(event), as: .service))
  }
}

extension Match {
  /// The match with another turn as the one that the next must name.
  fileprivate func naming(previous: Hash) -> Match? {
    // The form without a checksum, which the change would break: its eight bytes follow the first.
    var state = [Match.stateFormatWithoutChecksum] + encodedState().dropFirst(9)
    // This hash follows the newest entry's: 0 if both are the same, or 1 and the hash.
    let start = state.indices.first { state[$0...].starts(with: head.bytes) }
    guard let start else { return nil }
    let place = start + head.bytes.count
    let end = place + (state[place] == 0 ? 1 : 1 + previous.bytes.count)
    state.replaceSubrange(place..<end, with: [1] + previous.bytes)
    return Match(id: id, version: version, encodedState: state)
  }
}
