public import Logging
public import MatchCore
public import MatchInterfaces
public import MatchWire
import Metrics

/// A worker's knobs.
public struct TurnWorkerSettings: Hashable, Sendable {
  /// Deliveries taken into one transaction at most.
  public var batchLimit = 512
  /// How often the worker says that it lives, and looks whose queues are whose.
  public var heartbeatSeconds: Double = 2
  /// From this delivery on an event is read and judged alone, when everything before it is
  /// acknowledged, so that a poisonous one takes no other with it.
  public var carefulFromDelivery = 3
  /// From this delivery on an event is buried unread, if it is the first such one that the worker
  /// comes to: what stood behind a poisonous event came as often.
  public var buryFromDelivery = 10
  /// How often a batch is judged again after a conflict before the worker gives the deliveries
  /// back.
  public var conflictLimit = 8
  /// Matches kept in memory: twice this many at most. As many as a dictionary of 65,536 places
  /// takes; with one more it has twice the places.
  public var cacheGenerationLimit = 49_152
  /// How long to wait for deliveries when there are none.
  public var idleWait: Duration = .milliseconds(200)
  /// Whether turns in matches that are at hand are judged without a look-up.
  public var judgesFromMemory = true
  /// What one player may do at most.
  public var limits = PlayerLimits.none

  /// The defaults.
  public init() {}
}

/// Takes events from its queues, judges them in batches and makes each batch true in one
/// transaction.
///
/// Synchronous: one call of `step` does what there is to do. Everything that fails throws; the
/// owner makes a new worker with new connections, and nothing is lost, since nothing was
/// acknowledged before its commit.
public final class TurnWorker: Role {
  private let id: WorkerID
  private let environment: Batch.Environment
  private let store: WorkerStore
  private let bus: WorkerBus
  private let clock: WallClock
  private let verifier: SignatureVerifier
  private let settings: TurnWorkerSettings
  private let log: Logger
  private let meters = WorkerMeters()

  private var queues: [Int] = []
  private var clocks: [Int: QueueClock] = [:]
  /// What slots have brought along from former queues.
  private var slotCredits: [Int64] = []
  private var attendance = Attendance()
  private var storeTime = StoreTime()
  private var cache: MatchCache
  private var owners: [PublicKey: KeyOwner] = [:]
  /// How many keys had been revoked when the owners were looked up.
  private var revocationCount: Int64 = 0
  private var players: Set<PlayerID> = []
  private var published: [PushJobID] = []
  private var budgets: EventBudgets
  private var lastHeartbeat: UInt64?
  /// Whether an event was buried for having come too often.
  private var hasBuried = false
  /// What waits for the next batch.
  private var arrivals: Arrivals

  /// Puts a worker together; it consumes nothing before its first step.
  public init(
    id: WorkerID, identity: ServiceIdentity, layout: QueueLayout, lexicons: Lexicons,
    store: WorkerStore, bus: WorkerBus, clock: WallClock, verifier: SignatureVerifier,
    settings: TurnWorkerSettings = .init(), log: Logger
  ) {
    self.id = id
    environment = Batch.Environment(
      identity: identity, layout: layout, lexicons: lexicons, limits: settings.limits)
    budgets = EventBudgets(eventsPerMinute: settings.limits.eventsPerMinute)
    self.store = store
    self.bus = bus
    self.clock = clock
    self.verifier = verifier
    self.settings = settings
    self.log = log
    cache = MatchCache(generationLimit: settings.cacheGenerationLimit)
    arrivals = Arrivals(
      environment: environment, bus: bus, clock: clock, verifier: verifier,
      limit: settings.batchLimit, carefulFromDelivery: settings.carefulFromDelivery)
    store.workWhileWaiting { [weak arrivals] in arrivals?.prepareOne() ?? false }
  }

  /// Does what there is to do: membership if it is due, then one batch.
  /// - Returns: how many deliveries were handled.
  /// - Throws: `Interruption`; the worker is of no use afterwards.
  @discardableResult
  public func step() throws(Interruption) -> Int {
    try keepMembership()
    guard !queues.isEmpty else {
      clock.sleep(settings.idleWait)
      return 0
    }
    let part = try onBus { () throws(BusError) in try arrivals.take(wait: settings.idleWait) }
    published += try onBus(bus.confirmed)
    switch part {
    case nil:
      try forgetPublished()
      return 0
    case .together(let intakes):
      try handle(intakes)
      return intakes.count
    case .alone(let delivery):
      try handle(alone: delivery)
      return 1
    }
  }

  /// Finishes: says goodbye to the other workers and gives back whatever is unacknowledged.
  public func leave() {
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
  public var heldQueues: [Int] { queues }

  // MARK: Membership

  private func keepMembership() throws(Interruption) {
    let now = clock.uptimeNanoseconds()
    if let lastHeartbeat,
      now < lastHeartbeat &+ UInt64(settings.heartbeatSeconds * 1_000_000_000)
    {
      return
    }
    let living = try onStore { () throws(StoreError) in try store.heartbeat(id) }
    lastHeartbeat = now
    let share = QueueAssignment.queues(
      of: id, among: living, queueCount: environment.layout.queueCount)
    if let layout = try onStore(store.layout) {
      try onStore { () throws(StoreError) in try layout.check(environment.layout) }
      slotCredits = layout.slotCredits
    }
    // Clocks of other workers' queues only lend their credits to new deadlines; now and then is
    // enough.
    let stored = try onStore(store.queueClocks)
    for (queue, clock) in stored where clocks[queue] == nil || !queues.contains(queue) {
      clocks[queue] = clock
    }
    guard share != queues else { return }
    log.info(
      "queues assigned",
      metadata: ["queues": "\(share)", "before": "\(queues)", "workers": "\(living.count)"])
    // What an earlier consumer was given comes again.
    arrivals.forget()
    try onBus { () throws(BusError) in try bus.consume(QueueAssignment.order(of: share, for: id)) }
    attendance.assigned(share, before: queues)
    queues = share
    clocks = stored
    cache.keepOnly(isOfOwnQueue)
  }

  private func isOfOwnQueue(_ id: MatchID) -> Bool {
    queues.contains(environment.layout.queue(of: Slot(of: id)))
  }

  // MARK: Batches

  private func handle(alone delivery: EventDelivery) throws(Interruption) {
    guard delivery.deliveryCount >= settings.buryFromDelivery, !hasBuried else {
      return try handle([arrivals.intake(of: delivery)])
    }
    // One for each worker that ended: what stood behind it in its queue came as often, and gets its
    // turn now.
    hasBuried = true
    try bury(unread: delivery)
  }

  private func handle(_ intakes: [Intake]) throws(Interruption) {
    let started = clock.uptimeNanoseconds()
    bus.serveHeartbeats()
    let batch: Batch
    do throws(StoreError) {
      batch = try judgeAndCommit(intakes)
    } catch {
      guard case .rejected(let reason) = error else { throw .store(error) }
      // The store refuses the data itself: find the culprit by judging each alone.
      guard intakes.count > 1 else { return try bury(intakes[0], reason: reason) }
      for intake in intakes { try handle([intake]) }
      return
    }
    try finish(batch, started: started)
  }

  private func judgeAndCommit(_ intakes: [Intake]) throws(StoreError) -> Batch {
    var conflicts = 0
    // Judged again, an event is not counted again.
    var charges = EventBudgets.Charges()
    while true {
      do throws(StoreError) {
        var batch: Batch
        // Whatever was remembered wrongly is looked up.
        if conflicts == 0, let remembered = judgeFromMemory(intakes, &charges) {
          batch = remembered
        } else {
          batch = try judge(intakes, &charges)
        }
        batch.forget(published: published)
        if !batch.write.isEmpty { try store.commit(batch.write) } else { store.abandon() }
        return batch
      } catch {
        store.abandon()
        // The others' matches stay: whoever provokes conflicts makes nobody else wait.
        for id in intakes.flatMap(\.needs.matches) { cache.forget(id) }
        guard case .conflict = error else { throw error }
        // Whoever had the queues before may have heard ticks after the clocks were read.
        clocks.merge(try store.queueClocks()) { $1 }
        conflicts += 1
        meters.conflicts.increment()
        if conflicts >= settings.conflictLimit {
          throw .unavailable("\(conflicts) conflicts in a row: \(error)")
        }
      }
    }
  }

  /// Judges without asking the store anything, where that is enough.
  private func judgeFromMemory(
    _ intakes: [Intake], _ charges: inout EventBudgets.Charges
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
    // Not before: what was handled before costs nothing.
    budgets.charge(intakes, known: known, owners: owners, at: uptime, &charges)
    return charges.tooSoon.isEmpty ? batch : nil
  }

  private func judge(
    _ intakes: [Intake], _ charges: inout EventBudgets.Charges
  ) throws(StoreError) -> Batch {
    var known = try lookUp(intakes)
    func match(_ id: MatchID) -> Match? { known.matches[id] ?? cache.match(id) }
    budgets.charge(
      intakes, known: known, owners: owners, at: clock.uptimeNanoseconds(), &charges)
    let claims = Batch.claims(
      for: intakes, known: known, owners: owners, limits: settings.limits,
      secret: environment.identity.secret, tooSoon: charges.tooSoon, match: match)
    var facts: [Claim: ClaimFacts] = [:]
    var more = Lookup()
    if !claims.isEmpty {
      for (claim, fact) in zip(claims, try store.settle(claims)) { facts[claim] = fact }
      // What was found under the locks has to be read under them, too.
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
    more.meeting.formUnion(
      Batch.encounters(of: intakes, secret: environment.identity.secret, match: match))
    if !more.matches.isEmpty || more.meeting.count > 1 {
      let found = try store.lookUp(more)
      known.matches.merge(found.matches) { _, newer in newer }
      known.blocks = found.blocks
    }
    var batch = Batch(
      intakes, environment: environment, known: withCached(known, for: intakes),
      clocks: clocks, facts: facts, tooSoon: charges.tooSoon,
      slotCredits: slotCredits, attendance: attendance)
    batch.judgeAll()
    return batch
  }

  /// Looks up what is not cached. Where a key has been revoked since the cached ones were looked up,
  /// they are looked up again.
  private func lookUp(_ intakes: [Intake]) throws(StoreError) -> LookupResult {
    while true {
      let lookup = Batch.lookup(
        for: intakes, cached: { cache.match($0) }, owners: owners, players: players,
        limits: settings.limits)
      let known = try store.lookUp(lookup)
      storeTime.heard(known.now, at: clock.uptimeNanoseconds())
      if known.revocationCount == revocationCount { return known }
      revocationCount = known.revocationCount
      if owners.isEmpty { return known }
      owners.removeAll()
    }
  }

  /// Adds what is cached to what the store knew; the store's word is the newer one.
  private func withCached(_ known: LookupResult, for intakes: [Intake]) -> LookupResult {
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

  /// After the commit: first the acknowledgement, then whoever waits is told.
  private func finish(_ batch: Batch, started: UInt64) throws(Interruption) {
    clocks = batch.clocks
    attendance.judged(batch.intakes.lazy.map(\.delivery.queue), at: batch.write.now)
    remember(batch)
    published = []
    guard let last = batch.answers.map(\.delivery.tag).max() else { return }
    try onBus { () throws(BusError) in try bus.acknowledge(last) }
    var outgoing: [WorkerBus.Outgoing] = []
    outgoing.reserveCapacity(batch.answers.count * 2 + 1)
    for answer in batch.answers {
      if let reply = answer.reply, let replyTo = answer.delivery.replyTo {
        outgoing.append(
          .reply(
            to: replyTo, correlationID: answer.delivery.correlationID ?? "", body: reply))
      }
    }
    outgoing += batch.outcomes
    outgoing += batch.pushes.map { .push($0) }
    if !outgoing.isEmpty {
      try onBus { () throws(BusError) in try bus.publish(outgoing) }
    }
    meters.record(batch, nanoseconds: clock.uptimeNanoseconds() &- started)
    logAnswers(of: batch)
  }

  private func remember(_ batch: Batch) {
    for match in batch.matches.values {
      // Who takes a seat or asks for a rematch may do so by another worker: what waits, or belongs
      // to another queue, would be stale when it is needed, and a conflict costs more than a look-up.
      if match.stage == .playing, isOfOwnQueue(match.id) {
        cache.keep(match)
      } else {
        cache.forget(match.id)
      }
    }
    // Facts about players are cheap to ask again; what bounds them is memory.
    if owners.count > settings.cacheGenerationLimit { owners.removeAll() }
    if players.count > settings.cacheGenerationLimit { players.removeAll() }
    owners.merge(batch.owners) { _, newer in newer }
    players.formUnion(batch.players)
  }

  /// Keeps what could not be handled where a person can look at it, and goes on. Strangers'
  /// messages are only counted.
  private func bury(_ intake: Intake, reason: String) throws(Interruption) {
    let delivery = intake.delivery
    log.error(
      "event buried",
      metadata: ["queue": "\(delivery.queue)", "reason": "\(reason)"])
    try onStore { () throws(StoreError) in
      guard case .event(let received) = intake.content else { return }
      let event = received.event
      var lookup = Lookup()
      lookup.keys = [received.signed.key]
      let known = try store.lookUp(lookup)
      let owner = known.keys[received.signed.key]
      guard event.isFromService || owner?.player == event.player && owner?.isRevoked == false else {
        return store.abandon()
      }
      var write = BatchWrite(now: known.now)
      write.dead = [
        DeadEvent(
          queue: delivery.queue, player: event.player, event: event.id, reason: reason,
          body: delivery.body)
      ]
      try store.commit(write)
    }
    meters.buried.increment()
    try onBus { () throws(BusError) in try bus.acknowledge(delivery.tag) }
    guard let replyTo = delivery.replyTo, case .event(let received) = intake.content else { return }
    let body = ReplyCodec.encode(.refused(.unavailable), event: received.event.id)
    try onBus { () throws(BusError) in
      try bus.publish([
        .reply(to: replyTo, correlationID: delivery.correlationID ?? "", body: body)
      ])
    }
  }

  /// Gives up what ended one worker after another, without reading it. It is kept if it can be an
  /// event at all: who signed it nobody knows, but of such there is no more than one a worker.
  private func bury(unread delivery: EventDelivery) throws(Interruption) {
    let reason = "delivered \(delivery.deliveryCount) times without an answer"
    log.error(
      "event buried",
      metadata: [
        "queue": "\(delivery.queue)", "reason": "\(reason)", "bytes": "\(delivery.body.count)",
        "message": "\(DeadLetter(tag: delivery.tag, body: delivery.body, deaths: []).id)",
      ])
    if Envelope.sizes.contains(delivery.body.count) {
      try onStore { () throws(StoreError) in
        var write = BatchWrite(now: try store.lookUp(Lookup()).now)
        write.dead = [DeadEvent(unread: delivery, reason: reason)]
        try store.commit(write)
      }
    }
    meters.buried.increment()
    try onBus { () throws(BusError) in try bus.acknowledge(delivery.tag) }
    guard let replyTo = delivery.replyTo else { return }
    let body = ReplyCodec.encode(.refused(.unavailable), event: nil)
    try onBus { () throws(BusError) in
      try bus.publish([
        .reply(to: replyTo, correlationID: delivery.correlationID ?? "", body: body)
      ])
    }
  }

  /// Deletes outbox rows that the broker has confirmed, when no batch comes that could do it on the
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

  /// What anybody can bring about without limit is counted, and a line is written about it only
  /// for who wants details: nobody fills the disk with refusals.
  private func logAnswers(of batch: Batch) {
    let isDetailed = log.logLevel <= .debug
    for answer in batch.answers
    where answer.isNew && (isDetailed || answer.refusal != nil && answer.isKept) {
      var metadata: Logger.Metadata = ["queue": "\(answer.delivery.queue)"]
      if let event = answer.event {
        metadata["event"] = "\(event.id)"
        metadata["player"] = "\(event.player)"
        if let match = event.match { metadata["match"] = "\(match)" }
      }
      if let refusal = answer.refusal {
        metadata["refusal"] = "\(refusal.name)"
        log.log(level: answer.isKept ? .info : .debug, "event refused", metadata: metadata)
      } else {
        log.debug("event accepted", metadata: metadata)
      }
    }
  }
}
