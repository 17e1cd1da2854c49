package import Logging
package import CubeRules
package import MatchCore
package import MatchInterfaces
package import MatchWire

/// A worker's knobs.
package struct TurnWorkerSettings: Hashable, Sendable {
  /// Deliveries taken into one transaction at most.
  package var batchLimit = 512
  /// How often the worker gives a sign of life, and looks which queues are its own.
  package var heartbeatSeconds: Double = 2
  /// How long a worker lasts before it takes queues from others (`WorkerAdmission`); 0: at once.
  package var proofSeconds = WorkerAdmission.proofSeconds
  /// From this delivery on an event is read and judged alone, when everything before it is
  /// acknowledged. So a poisonous one takes no other with it.
  package var carefulFromDelivery = 3
  /// From this delivery on a note is made before an event is read.
  package var trialFromDelivery = 10
  /// How many workers may end while they read such an event before it is buried unread.
  package var trialLimit = 3
  /// How often a batch is judged again after a conflict before it is made smaller, or waits.
  package var conflictLimit = 8
  /// How often the store may give up on an event alone, while it takes others, before the event is
  /// buried.
  package var strikeLimit = 8
  /// The longest pause for a store that fails.
  package var longestStoreWait: Duration = .seconds(5)
  /// Matches kept in memory: twice this many at most. As many as a dictionary of 65,536 places
  /// takes; with one more it has twice the places.
  package var cacheGenerationLimit = 49_152
  /// How long to wait for deliveries when there are none.
  package var idleWait: Duration = .milliseconds(200)
  /// Whether turns in matches that are at hand are judged without a look-up.
  package var judgesFromMemory = true
  /// How long after its last notice a worker sends one without content; nil: it sends none.
  package var beatSeconds: Double? = 1
  /// The limits of one player.
  package var limits = PlayerLimits.none
  /// The names that nobody registers without an operator.
  package var reservedNames = ReservedNames.none

  package init() {}
}

/// Takes events from its queues, judges them in batches and makes each batch true in one
/// transaction.
///
/// Synchronous: one call of `step` does the work that there is. If the store fails, the worker
/// waits with everything in hand and tries again. If the broker fails, it throws. Then the owner
/// makes a new worker with new connections. Nothing is lost, since nothing was acknowledged before
/// its commit.
package final class TurnWorker: Role {
  let id: WorkerID
  private var environment: Batch.Environment
  let store: WorkerStore
  let bus: WorkerBus
  let clock: WallClock
  private let verifier: SignatureVerifier
  let settings: TurnWorkerSettings
  let log: Logger
  let meters = WorkerMeters()

  private var queues: [Int] = []
  private var clocks: [Int: QueueClock] = [:]
  /// The credits that slots have brought along from former queues.
  private var slotCredits: [Int64] = []
  private var attendance = Attendance()
  private var storeTime = StoreTime()
  private var time = SteadyTime()
  var cache: MatchCache
  private var owners: [PublicKey: KeyOwner] = [:]
  /// How many keys had been revoked when the owners were looked up.
  private var revocationCount: Int64 = 0
  /// Players who are there, by the same count.
  private var players: Set<PlayerID> = []
  private var published: [PushJobID] = []
  /// The notices that were sent.
  var notices: NoticeLine
  private var budgets: EventBudgets
  var lastHeartbeat: UInt64?
  /// A larger share of queues, taken if the next heartbeat still gives it.
  private var proposed: [Int]?
  /// The events that are being judged, and are not yet acknowledged.
  var hand = Hand()
  /// Since when the worker waits for the store, if the store has failed.
  var wait: StoreWait?
  /// The message that is noted as being read.
  var trial: Hash?
  private let proof: WorkerProof
  private let begunAt: UInt64
  /// Whether the worker has a share of the queues.
  private(set) var isAdmitted: Bool
  /// The deliveries that wait for the next batch.
  var arrivals: ReadAhead

  /// Puts a worker together; it consumes nothing before its first step.
  package init(
    id: WorkerID, identity: ServiceIdentity, layout: QueueLayout, rules: Rulebook = .standard,
    lexicons: Lexicons,
    store: WorkerStore, bus: WorkerBus, clock: WallClock, verifier: SignatureVerifier,
    settings: TurnWorkerSettings = .init(), proof: WorkerProof = WorkerProof(), log: Logger
  ) {
    self.id = id
    notices = NoticeLine(
      source: NoticeSource(rawValue: id.rawValue), beatSeconds: settings.beatSeconds)
    self.proof = proof
    begunAt = clock.uptimeNanoseconds()
    isAdmitted = settings.proofSeconds == 0
    environment = Batch.Environment(
      identity: identity, layout: layout, rules: rules, lexicons: lexicons, limits: settings.limits,
      reservedNames: settings.reservedNames)
    budgets = EventBudgets(
      eventsPerMinute: settings.limits.eventsPerMinute,
      testsPerMinute: settings.limits.testsPerMinute)
    self.store = store
    self.bus = bus
    self.clock = clock
    self.verifier = verifier
    self.settings = settings
    self.log = log
    cache = MatchCache(generationLimit: settings.cacheGenerationLimit)
    arrivals = ReadAhead(
      environment: environment, bus: bus, clock: clock, verifier: verifier,
      limit: settings.batchLimit, carefulFromDelivery: settings.carefulFromDelivery)
    store.workWhileWaiting { [weak arrivals] in arrivals?.prepareOne() ?? false }
  }

  /// Does one step: membership if it is due, then one batch.
  /// - Returns: how many deliveries were handled.
  /// - Throws: `Interruption`; the worker is of no use afterwards.
  @discardableResult
  package func step() throws(Interruption) -> Int {
    try beat()
    guard try !waitForStore() else { return 0 }
    do throws(Interruption) {
      try keepMembership()
      guard !queues.isEmpty else {
        clock.sleep(settings.idleWait)
        return 0
      }
      if hand.isEmpty { try takeInHand() }
      return try workOff()
    } catch {
      // A worker without a queue has nothing in hand that would go back.
      guard case .store(let failure) = error, !queues.isEmpty else { throw error }
      hold(failure)
      return 0
    }
  }

  private func takeInHand() throws(Interruption) {
    let part = try onBus(try arrivals.take(wait: settings.idleWait))
    published += try onBus(try bus.confirmed())
    switch part {
    case nil:
      try forgetPublished()
      if wait != nil { stopWaiting() }
    case .together(let intakes): hand.take(intakes)
    case .alone(let delivery) where delivery.deliveryCount >= settings.trialFromDelivery:
      hand.unread = delivery
    case .alone(let delivery): hand.take([arrivals.intake(of: delivery)])
    }
  }

  /// Judges the events in hand, until it is time for a sign of life.
  private func workOff() throws(Interruption) -> Int {
    try takeUnread()
    let count = hand.intakes.count
    repeat {
      let part = hand.next
      guard !part.isEmpty else { break }
      try handle(part)
      try beat()
    } while !isHeartbeatDue(at: clock.uptimeNanoseconds())
    return max(0, count - hand.intakes.count)
  }

  /// Finishes: says goodbye to the other workers and gives back every unacknowledged event.
  package func leave() {
    // A worker that is interrupted soon after it began has proved nothing.
    proof.isGiven = isAdmitted && secondsLasting >= WorkerAdmission.proofSeconds
    do {
      published += try bus.confirmed()
      try forgetPublished()
      try store.leave(id)
    } catch {
      log.warning("leaving without a word", metadata: ["reason": "\(error)"])
    }
    bus.close()
  }

  /// The queues that this worker consumes.
  package var heldQueues: [Int] { queues }

  // MARK: Membership

  private func keepMembership() throws(Interruption) {
    let now = clock.uptimeNanoseconds()
    guard isHeartbeatDue(at: now) else { return }
    guard try admitted() else {
      lastHeartbeat = now
      return
    }
    let living = try onStore(try store.heartbeat(id))
    lastHeartbeat = now
    let share = QueueAssignment.queues(
      of: id, among: living, queueCount: environment.layout.queueCount)
    if let layout = try onStore(try store.layout()) {
      try onStore(try layout.check(environment.layout))
      slotCredits = layout.slotCredits
    }
    // Clocks of other workers' queues only lend their credits to new deadlines; now and then is
    // enough.
    let stored = try onStore(try store.queueClocks())
    for (queue, clock) in stored where clocks[queue] == nil || !queues.contains(queue) {
      clocks[queue] = clock
    }
    // Events in hand are not given back for it.
    guard share != queues, hand.isEmpty else { return proposed = nil }
    // A worker that would take more looks twice. After an outage, or a jump of the clock, the first
    // one to give a sign of life sees nobody else for a moment.
    let isMore = !queues.isEmpty && !Set(share).isSubset(of: queues)
    guard !isMore || proposed == share else { return proposed = share }
    proposed = nil
    log.info(
      "queues assigned",
      metadata: [
        "queues": "\(share)", "before": "\(queues)", "workers": .stringConvertible(living.count),
      ])
    // Deliveries to an earlier consumer come again.
    arrivals.forget()
    try onBus(try bus.consume(QueueAssignment.order(of: share, for: id)))
    attendance.assigned(share, before: queues)
    queues = share
    clocks = stored
    cache.keepOnly(isOfOwnQueue)
  }

  /// Whether the last heartbeat is old enough for the next one.
  func isHeartbeatDue(at uptime: UInt64) -> Bool {
    guard let lastHeartbeat else { return true }
    return uptime >= lastHeartbeat &+ UInt64(settings.heartbeatSeconds * 1_000_000_000)
  }

  /// Whether the worker may take a share. Once admitted it stays so until it leaves.
  private func admitted() throws(Interruption) -> Bool {
    if isAdmitted { return true }
    let standing = try onStore(try store.standing(id))
    isAdmitted = WorkerAdmission.isAdmitted(
      lasting: secondsLasting, isProven: proof.isGiven, standing, proof: settings.proofSeconds)
    if !isAdmitted {
      log.debug(
        "worker waits for its share",
        metadata: [
          "lasting": .stringConvertible(secondsLasting),
          "diedYoung": .stringConvertible(standing.youngDeathCount),
        ])
    }
    return isAdmitted
  }

  private var secondsLasting: Int64 {
    Int64((clock.uptimeNanoseconds() &- begunAt) / 1_000_000_000)
  }

  private func isOfOwnQueue(_ id: MatchID) -> Bool {
    queues.contains(environment.layout.queue(of: Slot(of: id)))
  }

  // MARK: Batches

  private func handle(_ part: [DecodedDelivery]) throws(Interruption) {
    let started = clock.uptimeNanoseconds()
    bus.serveHeartbeats()
    let batch: Batch
    do throws(StoreError) {
      batch = try judgeAndCommit(part)
    } catch {
      endTrial()
      return try handleFailure(of: part, error)
    }
    endTrial()
    // Nothing is acknowledged. Everything comes again, to a worker that may sign.
    if let failure = batch.keyFailure { throw .keys(failure) }
    hand.finish(part.count)
    stopWaiting()
    try finish(batch, started: started)
  }

  /// Judges events and makes their consequences true. After a conflict it tries again and again for
  /// a moment.
  func judgeAndCommit(_ intakes: [DecodedDelivery]) throws(StoreError) -> Batch {
    var conflicts = 0
    let started = clock.uptimeNanoseconds()
    // An event that is judged again is not counted again.
    var charges = EventBudgets.Charges()
    while true {
      do throws(StoreError) {
        var batch: Batch
        // Facts that were remembered wrongly are looked up.
        if conflicts == 0, let remembered = judgeFromMemory(intakes, &charges) {
          batch = remembered
        } else {
          batch = try judge(intakes, &charges)
        }
        guard batch.keyFailure == nil else {
          store.abandon()
          return batch
        }
        batch.forget(published: published)
        try commit(batch.write)
        return batch
      } catch {
        store.abandon()
        // The others' matches stay in the cache: a player who provokes conflicts makes nobody else
        // wait.
        for id in intakes.flatMap(\.needs.matches) { cache.forget(id) }
        guard error.isConflict else { throw error }
        // The queues' former worker may have heard ticks after the clocks were read.
        clocks.merge(try store.queueClocks()) { $1 }
        conflicts += 1
        meters.conflicted()
        // A lock takes seconds each time, and the others want to hear that this worker lives.
        let passed = clock.uptimeNanoseconds() &- started
        let isLong = passed >= UInt64(settings.heartbeatSeconds * 1_000_000_000)
        if conflicts >= settings.conflictLimit || isLong { throw error }
      }
    }
  }

  /// Judges without asking the store anything, if the memory is enough.
  private func judgeFromMemory(
    _ intakes: [DecodedDelivery], _ charges: inout EventBudgets.Charges
  ) -> Batch? {
    let uptime = clock.uptimeNanoseconds()
    guard settings.judgesFromMemory, let now = storeTime.now(at: uptime) else { return nil }
    var known = LookupResult(now: now)
    known.revocationCount = revocationCount
    known = withCached(known, for: intakes)
    guard
      let batch = Batch.fromMemory(
        intakes, environment: environment, known: known, clocks: clocks,
        slotCredits: slotCredits, attendance: attendance)
    else { return nil }
    // Charged only here: an event that was handled before costs nothing.
    budgets.charge(intakes, known: known, at: uptime, &charges)
    guard charges.tooSoon.isEmpty else { return nil }
    meters.lookedInCache(hits: intakes.reduce(0) { $0 + $1.needs.matches.count })
    return batch
  }

  private func judge(
    _ intakes: [DecodedDelivery], _ charges: inout EventBudgets.Charges
  ) throws(StoreError) -> Batch {
    let known = withCached(try lookUp(intakes), for: intakes)
    budgets.charge(intakes, known: known, at: clock.uptimeNanoseconds(), &charges)
    var batch = Batch(
      intakes, environment: environment, known: known, clocks: clocks, tooSoon: charges.tooSoon,
      slotCredits: slotCredits, attendance: attendance)
    let candidates = batch.candidates
    let claims = batch.claims(of: candidates)
    var more = Lookup()
    more.meeting = batch.encounters(of: candidates)
    if !claims.isEmpty {
      let facts = Dictionary(uniqueKeysWithValues: zip(claims, try store.resolve(claims)))
      batch.take(facts)
      // Matches that were found under the locks have to be read under them, too.
      for fact in facts.values {
        switch fact {
        case .heldBy(let match): more.matches.append(match)
        case .waiting(let found):
          more.matches += found.waiting.map(\.match)
          more.meeting.formUnion(found.waiting.map(\.seeker.player))
        default: break
        }
      }
    }
    if more.meeting.count > 1 { more.players = more.meeting.filter { !players.contains($0) } }
    if !more.matches.isEmpty || more.meeting.count > 1 { batch.take(try store.lookUp(more)) }
    batch.judgeAll()
    return batch
  }

  /// Looks up the facts that are not cached. If a key has been revoked since the cached keys and
  /// players were looked up, they are looked up again: the player may be gone.
  private func lookUp(_ intakes: [DecodedDelivery]) throws(StoreError) -> LookupResult {
    while true {
      var (hits, misses) = (0, 0)
      let lookup = Batch.lookup(
        for: intakes, cached: { remembered($0, &hits, &misses) }, owners: owners,
        players: players, limits: settings.limits, isCertified: environment.identity.isCertified)
      meters.lookedInCache(hits: hits, misses: misses)
      let asked = clock.elapsedNanoseconds()
      var known = try store.lookUp(lookup)
      known.now = time.take(known.now, asked: asked, heard: clock.elapsedNanoseconds())
      environment.identity.learn(known.certificates, verifier: verifier)
      storeTime.heard(known.now, at: clock.uptimeNanoseconds())
      if known.revocationCount == revocationCount { return known }
      revocationCount = known.revocationCount
      if owners.isEmpty, players.isEmpty { return known }
      owners.removeAll()
      players.removeAll()
    }
  }

  /// Adds the cached facts to the store's answers; the store's are newer.
  private func withCached(_ known: LookupResult, for intakes: [DecodedDelivery]) -> LookupResult {
    var known = known
    for intake in intakes {
      guard case .event(let received) = intake.content else { continue }
      for id in intake.needs.matches where known.matches[id] == nil {
        known.matches[id] = cache.match(id)
      }
      if let owner = owners[received.signed.key] { known.keys[received.signed.key] = owner }
      for player in intake.needs.players where players.contains(player) {
        known.players.insert(player)
      }
    }
    return known
  }

  /// After the commit: first the acknowledgement, then the answers and outcomes.
  func finish(
    _ batch: Batch, started: UInt64, acknowledging: Bool = true
  ) throws(Interruption) {
    clocks = batch.clocks
    budgets.charge(keptRefusals: batch.keptRefusals)
    attendance.judged(batch.intakes.lazy.map(\.delivery.queue), at: batch.write.now)
    remember(batch)
    published = []
    guard let last = batch.answers.map(\.delivery.tag).max() else { return }
    if acknowledging { try onBus(try bus.acknowledge(last)) }
    var outgoing: [WorkerBus.Outgoing] = []
    outgoing.reserveCapacity(batch.answers.count * 2 + 1)
    for answer in batch.answers {
      if let reply = answer.reply, let replyTo = answer.delivery.replyTo {
        outgoing.append(
          .reply(
            to: replyTo, correlationID: answer.delivery.correlationID ?? "", body: reply))
      }
    }
    outgoing += outcomes(of: batch)
    outgoing += batch.pushes.map { .push($0) }
    if !outgoing.isEmpty {
      try onBus(try bus.publish(outgoing))
    }
    meters.record(batch, from: started, to: clock.uptimeNanoseconds())
    logAnswers(of: batch)
  }

  private func remember(_ batch: Batch) {
    for match in batch.known.matches.values {
      // A player may take a seat or ask for a rematch through another worker. So a cached match
      // that waits, or belongs to another queue, would be stale when it is needed, and a conflict
      // costs more than a look-up.
      if match.stage == .playing, isOfOwnQueue(match.id) {
        cache.keep(match)
      } else {
        cache.forget(match.id)
      }
    }
    // Facts about players are cheap to look up again; the bound is for memory.
    if owners.count > settings.cacheGenerationLimit { owners.removeAll() }
    if players.count > settings.cacheGenerationLimit { players.removeAll() }
    owners.merge(batch.known.keys) { _, newer in newer }
    // The batch was committed by the count that it was judged by, and no key was removed since.
    let removed = batch.write.removedKeys
    if !removed.isEmpty, let count = batch.write.revocationCount {
      for removed in removed { owners[removed.key]?.isRevoked = true }
      revocationCount = count + Int64(removed.count)
    }
    players.formUnion(batch.known.players.filter { batch.known.absences[$0] == nil })
  }

  /// Deletes outbox rows that the broker has confirmed, if no batch comes that could do it on the
  /// way.
  private func forgetPublished() throws(Interruption) {
    guard !published.isEmpty else { return }
    try onStore { () throws(StoreError) in
      var write = BatchWrite(now: try store.lookUp(Lookup()).now)
      write.published = published
      try store.commit(write)
    }
    published = []
  }
}
