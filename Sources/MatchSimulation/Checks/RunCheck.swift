import MatchCore
import MatchInterfaces
import MatchService
import MatchWire

/// Checks the requirements after a run: the store by itself, the store against the senders' own
/// log, and push jobs against the records.
struct RunCheck {
  private let world: World
  private var store: SimulatedStore { world.store }

  init(_ world: World) { self.world = world }

  func violations() -> [String] {
    // The last leader may not have ranked everybody yet.
    while store.rankNext(100) {}
    var (found, owed) = checkStore()
    do {
      var replies = ReplyCheck(store.check)
      while !replies.isDone { _ = try replies.next() }
      var jobs = JobCheck(
        store.check, jobsAreComplete: world.broker.pushMessages.isEmpty,
        keyChanges: replies.keyChanges)
      while !jobs.isDone { found += try jobs.next().map(\.description) }
    } catch {
      found.append("the jobs cannot be checked: \(error)")
    }
    found += goneViolations()
    if !store.dropped.replies.isEmpty || !store.dropped.deliveries.isEmpty {
      store.restoreDropped()
      let restored = checkStore()
      (found, owed) = (found + restored.found, restored.owed)
    }
    found += SenderCheck(world).violations() + answerViolations()
    found += turnViolations() + jobViolations(owed)
    found += store.writtenAfterRevocation.map { "\($0) was taken from a key that had been revoked" }
    found += LadderCheck(store.ratings).violations(store.matches)
    found += ReminderCheck(world).violations()
    found += world.meetings.violations + AnswerCheck(world).violations()
    return found + world.deadlines.violations(world) + world.order.violations(world)
      + world.clocks.violations
  }

  private func checkStore() -> (found: [String], owed: [OwedJob]) {
    var check = StoreCheck(
      store.check, identity: world.identity, lexicons: world.lexicons, verifier: world.verifier,
      jobsAreComplete: world.broker.pushMessages.isEmpty, keepsOwed: true)
    do {
      let found = try check.run().map(\.description)
      return (found, check.owed)
    } catch {
      return (["the store cannot be checked: \(error)"], [])
    }
  }

  /// Nothing may be left of players who are gone.
  private func goneViolations() -> [String] {
    var check = GoneCheck(store.check)
    var found: [String] = []
    do {
      while !check.isDone { found += try check.next().map(\.description) }
    } catch {
      found.append("the players who are gone cannot be checked: \(error)")
    }
    return found
  }

  /// Every accepted event must be answered as its type declares.
  private func answerViolations() -> [String] {
    store.replies.keys.compactMap { key in
      guard let sent = world.senders.event(key) ?? world.deviceEvents.event(key),
        let acceptance = store.acceptance(of: sent),
        !sent.action.visit(AnswerVisitor(acceptance: acceptance))
      else { return nil }
      return "\(sent.action.typeName) \(key.event) was answered with \(acceptance)"
    }
  }

  /// Every accepted turn must stand in the record once.
  private func turnViolations() -> [String] {
    var places: [EventKey: Int] = [:]
    var hashes: Set<Hash> = []
    for (match, entry) in store.entries.flatMap({ match, record in record.map { (match, $0) } }) {
      hashes.insert(entry.hash)
      guard case .event(let event) = try? PayloadCodec.decodeContent(entry.signed.payload) else {
        continue
      }
      // The request of a player who waited elsewhere stands in both matches.
      if case .matchRequested = event.action,
        store.matches[MatchID(askedBy: event.player, event: event.id)]?.outcome?.mergedInto
          == match
      {
        continue
      }
      places[EventKey(player: event.player, event: event.id), default: 0] += 1
    }
    var found = places.filter { $0.value > 1 }.keys.map {
      "event \($0.event) stands twice in records"
    }
    for (key, stored) in store.replies {
      guard
        case .accepted(.turnAccepted(let receipt)) = (try? ReplyCodec.decode(stored.reply))?.reply
      else { continue }
      if places[key] != 1 || !hashes.contains(receipt.hash) {
        found.append("turn \(receipt.turn) of match \(receipt.match) counted and is in no record")
      }
    }
    return found.sorted()
  }

  // MARK: Push jobs

  private func jobViolations(_ owed: [OwedJob]) -> [String] {
    let (offers, refusals) = (offers, refusals)
    let identified = Set(owed.compactMap(\.id)).union(offers.map(\.id))
      .union(refusals.map(\.id))
    let others = Set(owed.filter { $0.id == nil }.map { Key($0.kind, $0.player, $0.match) })
    let tests = Set(self.tests)
    var found = handingViolations()
    for id in tests where store.deliveries[id] == nil {
      found.append("push job \(id), a test of notifications, never arrived")
    }
    for jobs in nudges where jobs.allSatisfy({ store.deliveries[$0.id] == nil }) {
      guard let nudge = jobs.first else { continue }
      let turn = nudge.turn ?? 0
      found.append("player \(nudge.player) was not reminded of turn \(turn) by the other")
    }
    var known: Set<Key> = []
    for (id, row) in store.deliveries {
      guard let match = row.job.match else {
        // `JobCheck` looks at the kinds that players and their settings owe.
        if row.job.kind == .test, !tests.contains(id) {
          found.append("push job \(id) is a test that nobody has asked for")
        }
        continue
      }
      // The store's own check decides whether a reminder may have been sent.
      guard !row.job.kind.isReminder else { continue }
      let key = Key(row.job.kind, row.job.player, match)
      known.insert(key)
      if !identified.contains(id), !others.contains(key) {
        found.append("push job \(row.job.kind.rawValue) \(id) is owed by nothing")
      }
    }
    for job in owed {
      let key = Key(job.kind, job.player, job.match)
      if !(job.id.map { store.deliveries[$0] != nil } ?? known.contains(key)) {
        found.append("push job \(job.kind.rawValue) of match \(job.match) never arrived")
      }
    }
    // A repeated request while the offer is open owes nothing new.
    for job in offers {
      guard let match = job.match, !known.contains(Key(job.kind, job.player, match)) else {
        continue
      }
      found.append("nobody was told of the offer of a rematch of match \(match)")
    }
    for job in refusals
    where store.deliveries[job.id] == nil && !hasEverBlocked(job)
      && store.absence(of: job.player) == nil
    {
      found.append("player \(job.player) was not told that a rematch was declined")
    }
    for (key, daily) in store.dailies where key.isAnnounced {
      for (player, row) in store.players
      where row.since < daily.since && !store.everMutedDaily.contains(player)
        && !store.isGone(player)
      {
        if store.deliveries[PushJob(dailyReady: key, to: player).id] == nil {
          found.append("player \(player) was not told of the daily \(key)")
        }
      }
    }
    return found.sorted()
  }

  /// The jobs handed to the provider against those stored.
  private func handingViolations() -> [String] {
    let handed = world.receiver.handed
    let missing = store.deliveries.filter {
      $0.value.fate == .delivered && !handed.contains($0.key)
    }
    let extra = handed.filter { store.deliveries[$0] == nil }
    return missing.keys.map { "push job \($0) counts as delivered and was never handed over" }
      + extra.map { "push job \($0) was handed over and is not in the deliveries" }
  }

  /// The jobs of accepted tests of notifications.
  private var tests: [PushJobID] {
    world.senders.sent.compactMap { sent in
      guard case .notificationTested = sent.action, store.isAccepted(sent) else { return nil }
      let event = sent.event(of: world.identity.service)
      return PushJob(test: sent.key.player, causedBy: event).id
    }
  }

  /// The jobs of accepted reminders of turns: of each the one to the other player, also one who has
  /// left the seat since.
  private var nudges: [[PushJob]] {
    world.senders.sent.compactMap { sent in
      guard case .nudged(let wish) = sent.action, store.isAccepted(sent),
        let match = store.matches[wish.match]
      else { return nil }
      let others = (match.players + match.leavings.map(\.player)).filter { $0 != sent.key.player }
      return others.map { PushJob(nudged: wish.match, turn: wish.turn, to: $0) }
    }
  }

  private struct Key: Hashable {
    var kind: PushJob.Kind
    var player: PlayerID
    var match: MatchID

    init(_ kind: PushJob.Kind, _ player: PlayerID, _ match: MatchID) {
      (self.kind, self.player, self.match) = (kind, player, match)
    }
  }

  /// The jobs of offers of a rematch, from the senders' acts. A declined offer is kept nowhere
  /// else.
  private var offers: [PushJob] {
    world.senders.sent.compactMap { sent in
      guard case .rematchRequested(let wish) = sent.action,
        case .done(.rematchOffered, _, _)? = store.acceptance(of: sent),
        let other = store.matches[wish.match]?.players.first(where: { $0 != sent.key.player })
      else { return nil }
      let event = sent.event(of: world.identity.service)
      return PushJob(.rematchRequested, to: other, match: wish.match, causedBy: event)
    }
  }

  /// The jobs of offers that were declined.
  private var refusals: [PushJob] {
    world.senders.sent.compactMap { sent in
      guard case .rematchDeclined(let wish) = sent.action,
        case .done(.rematchDeclined, _, _)? = store.acceptance(of: sent),
        let other = store.matches[wish.match]?.players.first(where: { $0 != sent.key.player })
      else { return nil }
      let event = sent.event(of: world.identity.service)
      return PushJob(.rematchDeclined, to: other, match: wish.match, causedBy: event)
    }
  }

  /// Whether one of the two players of a job's match has blocked the other at any time.
  private func hasEverBlocked(_ job: PushJob) -> Bool {
    let players = job.match.flatMap { store.matches[$0] }?.players ?? []
    return world.senders.sent.contains { sent in
      guard case .playerBlocked(let blocked) = sent.action else { return false }
      return players.contains(blocked.other) && players.contains(sent.key.player)
    }
  }
}

private struct AnswerVisitor: EventPayloadVisitor {
  let acceptance: Acceptance

  func visit<Payload: EventPayload>(_: Payload) -> Bool { Payload.answer(acceptance) != nil }
}
