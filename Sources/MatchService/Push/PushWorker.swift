public import Logging
import MatchCore
public import MatchInterfaces
import Metrics

/// A push worker's knobs.
public struct PushWorkerSettings: Hashable, Sendable {
  /// Jobs taken at once.
  public var batchLimit = 128
  /// How long to wait for jobs when there are none.
  public var idleWait: Duration = .milliseconds(200)
  /// A step hands over no more jobs after this time; those that were taken wait for the next one.
  public var stepNanoseconds: UInt64 = 500_000_000
  /// How often the broker is served while jobs are handed over.
  public var heartbeatNanoseconds: UInt64 = 100_000_000
  /// A job that came more often than this, since its workers died of it, is given up.
  public var deliveryLimit = 20
  /// How long a job waits before each time that it is tried again; after the last it is given up.
  public var delays = PushBus.RetryDelay.allCases

  /// The defaults.
  public init() {}
}

/// Takes push jobs from their queue and hands each to the provider once, as far as the provider
/// lets anyone tell.
///
/// Handed over first and recorded second, what a step hands over in one transaction: who dies in
/// between hands over twice, and the job's id tells. What the provider refuses for good, or too
/// often, is recorded as failed and kept as a dead letter, for an operator to send again.
public final class PushWorker: Role {
  private let store: PushStore
  private let bus: PushBus
  private let sender: PushSender
  private let clock: WallClock
  private let settings: PushWorkerSettings
  private let log: Logger
  /// Jobs that were taken and not yet handled: a provider may be slow, and a step must not be.
  private var waiting: ArraySlice<PushBus.Delivery> = []

  /// Puts a push worker together; it does nothing before its first step.
  public init(
    store: PushStore, bus: PushBus, sender: PushSender, clock: WallClock,
    settings: PushWorkerSettings = .init(), log: Logger
  ) {
    self.store = store
    self.bus = bus
    self.sender = sender
    self.clock = clock
    self.settings = settings
    self.log = log
  }

  /// Handles the jobs that have arrived, as many as there is time for.
  /// - Returns: how many.
  /// - Throws: `Interruption`; what was not acknowledged comes again.
  @discardableResult
  public func step() throws(Interruption) -> Int {
    if waiting.isEmpty {
      let deliveries = try onBus { () throws(BusError) in
        try bus.receive(settings.batchLimit, settings.idleWait)
      }
      waiting = deliveries[...]
    } else {
      try onBus(bus.serveHeartbeats)
    }
    guard !waiting.isEmpty else { return 0 }
    let briefings = try brief(waiting.compactMap(\.job))
    var handled = HandledJobs()
    var lost: BusError?
    let started = clock.uptimeNanoseconds()
    var lastServed = started
    while let delivery = waiting.popFirst() {
      handle(delivery, briefings, &handled)
      let now = clock.uptimeNanoseconds()
      if now &- started >= settings.stepNanoseconds { break }
      guard now &- lastServed >= settings.heartbeatNanoseconds else { continue }
      lastServed = now
      // What was handed over is recorded, whatever the broker says meanwhile.
      do throws(BusError) { try bus.serveHeartbeats() } catch {
        lost = error
        break
      }
    }
    try record(handled.outcomes)
    if !handled.dead.isEmpty {
      try onStore { () throws(StoreError) in try store.bury(handled.dead) }
    }
    if let lost { throw .bus(lost) }
    try settle(handled)
    return handled.count
  }

  /// Closes the connection; what is unacknowledged goes back.
  public func leave() { bus.close() }

  /// What there is to know of jobs; one that the store cannot read is not in the answer.
  private func brief(
    _ jobs: [PushJob]
  ) throws(Interruption) -> [PushJobID: PushStore.Briefing] {
    guard !jobs.isEmpty else { return [:] }
    do throws(StoreError) { return try store.brief(jobs) } catch {
      guard case .rejected(let reason) = error else { throw .store(error) }
      if jobs.count == 1 {
        log.error("push cannot be judged", metadata: metadata(of: jobs[0], reason: reason))
        return [:]
      }
    }
    // It is for one of them: each by itself.
    var briefings: [PushJobID: PushStore.Briefing] = [:]
    for job in jobs { briefings.merge(try brief([job])) { $1 } }
    return briefings
  }

  private func handle(
    _ delivery: PushBus.Delivery, _ briefings: [PushJobID: PushStore.Briefing],
    _ handled: inout HandledJobs
  ) {
    guard let job = delivery.job else {
      count("unreadable")
      log.error(
        "no push job", metadata: ["bytes": "\(delivery.body.count)", "tag": "\(delivery.tag)"])
      return handled.done.append(delivery.tag)
    }
    let briefing = handled.contains(job.id) ? .settled : briefings[job.id]
    switch briefing {
    case .settled?:
      count("repeated")
      handled.done.append(delivery.tag)
    case .stale?: handled.settle(delivery, job, .dropped)
    case .due? where delivery.deliveryCount > settings.deliveryLimit:
      giveUp(delivery, job, "delivered \(settings.deliveryLimit) times to no end", &handled)
    case .due(let details)?: handOver(delivery, job, details, &handled)
    // What the store cannot read for this job it will not be able to read the next time.
    case nil: giveUp(delivery, job, "the store cannot read what it is about", &handled)
    }
  }

  /// Keeps a job among the dead letters.
  private func giveUp(
    _ delivery: PushBus.Delivery, _ job: PushJob, _ reason: String,
    _ handled: inout HandledJobs
  ) {
    log.error("push given up", metadata: metadata(of: job, reason: reason))
    handled.bury(delivery, job, reason)
  }

  /// Hands a job to the provider.
  private func handOver(
    _ delivery: PushBus.Delivery, _ job: PushJob, _ details: PushStore.Details,
    _ handled: inout HandledJobs
  ) {
    do throws(PushSender.PushError) {
      try sender.send(PushText.notification(of: job, details))
      handled.settle(delivery, job, .delivered)
    } catch {
      switch error {
      case .temporary(let reason): putOff(delivery, job, reason, &handled)
      case .busy(let reason, let pause):
        putOff(delivery, job, reason, atLeast: pause, &handled)
      case .permanent(let reason): giveUp(delivery, job, reason, &handled)
      }
    }
  }

  /// Puts a job into the retry queue of its next attempt, or one of a longer delay that the provider
  /// asks for; where there is none left it has failed.
  private func putOff(
    _ delivery: PushBus.Delivery, _ job: PushJob, _ reason: String,
    atLeast pause: Duration = .zero, _ handled: inout HandledJobs
  ) {
    let left = settings.delays.dropFirst(max(0, delivery.attempts))
    guard let delay = left.first(where: { .seconds($0.rawValue) >= pause }) ?? left.last else {
      return giveUp(delivery, job, reason, &handled)
    }
    handled.delayed.append(PushBus.Delayed(delivery, after: delay))
    log.warning("push put off", metadata: metadata(of: job, reason: reason))
  }

  private func record(_ outcomes: [PushStore.Outcome]) throws(Interruption) {
    guard !outcomes.isEmpty else { return }
    do throws(StoreError) {
      try store.record(outcomes)
    } catch {
      guard case .rejected(let reason) = error else { throw .store(error) }
      if outcomes.count > 1 {
        for outcome in outcomes { try record([outcome]) }
        return
      }
      // A job that the store will never take must not come back for ever.
      log.error("push not recorded", metadata: metadata(of: outcomes[0].job, reason: reason))
    }
    for outcome in outcomes {
      count(outcome.fate.rawValue)
      log.debug(
        "push settled", metadata: metadata(of: outcome.job, reason: outcome.fate.rawValue))
    }
  }

  /// Tells the broker what became of deliveries, once the store knows.
  private func settle(_ handled: HandledJobs) throws(Interruption) {
    try onBus { () throws(BusError) in
      if !handled.delayed.isEmpty { try bus.retry(handled.delayed) }
      if !handled.done.isEmpty { try bus.acknowledge(handled.done) }
    }
    for _ in handled.delayed { count("retried") }
  }

  private func count(_ result: String) {
    Counter(label: "cubist_push_total", dimensions: [("result", result)]).increment()
  }

  private func metadata(of job: PushJob, reason: String) -> Logger.Metadata {
    var metadata: Logger.Metadata = [
      "job": "\(job.id)", "kind": "\(job.kind.rawValue)", "player": "\(job.player)",
      "reason": "\(reason)",
    ]
    if let match = job.match { metadata["match"] = "\(match)" }
    return metadata
  }
}

/// What a step has handled so far.
private struct HandledJobs {
  /// What the store is to know.
  private(set) var outcomes: [PushStore.Outcome] = []
  /// Deliveries that are done with.
  var done: [UInt64] = []
  /// Jobs that become dead letters.
  private(set) var dead: [DeadJob] = []
  /// Deliveries that are tried again.
  var delayed: [PushBus.Delayed] = []
  private var ids: Set<PushJobID> = []

  var count: Int { done.count + delayed.count }

  /// Whether a job has been settled.
  func contains(_ id: PushJobID) -> Bool { ids.contains(id) }

  mutating func settle(_ delivery: PushBus.Delivery, _ job: PushJob, _ fate: PushStore.Fate) {
    outcomes.append(PushStore.Outcome(job, fate))
    ids.insert(job.id)
    done.append(delivery.tag)
  }

  mutating func bury(_ delivery: PushBus.Delivery, _ job: PushJob, _ reason: String) {
    settle(delivery, job, .failed)
    dead.append(DeadJob(reason: reason, body: delivery.body))
  }
}
