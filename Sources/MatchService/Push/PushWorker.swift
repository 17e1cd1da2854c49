public import Logging
import MatchCore
public import MatchInterfaces
import Metrics

/// A push worker's knobs.
public struct PushWorkerSettings: Hashable, Sendable {
  /// Jobs taken at once.
  public var batchLimit = 64
  /// How long to wait for jobs when there are none.
  public var idleWait: Duration = .milliseconds(200)

  /// The defaults.
  public init() {}
}

/// Takes push jobs from their queue and hands each to the provider once, as far as the provider
/// lets anyone tell.
///
/// Handed over first and recorded second: who dies in between hands over twice, and the job's id
/// tells.
public final class PushWorker: Role {
  private let store: PushStore
  private let bus: PushBus
  private let sender: PushSender
  private let settings: PushWorkerSettings
  private let log: Logger

  /// Puts a push worker together; it does nothing before its first step.
  public init(
    store: PushStore, bus: PushBus, sender: PushSender,
    settings: PushWorkerSettings = .init(), log: Logger
  ) {
    self.store = store
    self.bus = bus
    self.sender = sender
    self.settings = settings
    self.log = log
  }

  /// Handles the jobs that have arrived.
  /// - Returns: how many.
  /// - Throws: `Interruption`; what was not acknowledged comes again.
  @discardableResult
  public func step() throws(Interruption) -> Int {
    let deliveries = try onBus { () throws(BusError) in
      try bus.receive(settings.batchLimit, settings.idleWait)
    }
    guard !deliveries.isEmpty else { return 0 }
    let ids = deliveries.compactMap { $0.job?.id }
    var known: Set<PushJobID> = []
    if !ids.isEmpty {
      known = try onStore { () throws(StoreError) in try store.delivered(ids) }
    }
    for delivery in deliveries { try handle(delivery, &known) }
    return deliveries.count
  }

  /// Closes the connection; what is unacknowledged goes back.
  public func leave() { bus.close() }

  private func handle(
    _ delivery: PushBus.Delivery, _ known: inout Set<PushJobID>
  ) throws(Interruption) {
    guard let job = delivery.job else {
      count("unreadable")
      log.error(
        "no push job", metadata: ["bytes": "\(delivery.body.count)", "tag": "\(delivery.tag)"])
      return try acknowledge(delivery)
    }
    guard !known.contains(job.id) else {
      count("repeated")
      return try acknowledge(delivery)
    }
    guard let fate = try fate(of: job, delivery) else { return }
    try record(job, fate)
    known.insert(job.id)
    try acknowledge(delivery)
  }

  /// What becomes of a job. Nil: it waits in a retry queue.
  private func fate(
    of job: PushJob, _ delivery: PushBus.Delivery
  ) throws(Interruption) -> PushStore.Fate? {
    do throws(Interruption) {
      let isDue = try onStore { () throws(StoreError) in try store.isDue(job) }
      return isDue ? try handOver(job, delivery) : .dropped
    } catch {
      // What the store cannot read for this job it will not be able to read the next time.
      guard case .store(.rejected(let reason)) = error else { throw error }
      log.error("push cannot be judged", metadata: metadata(of: job, reason: reason))
      return .failed
    }
  }

  /// Hands a job to the provider. Nil: it waits in a retry queue.
  private func handOver(
    _ job: PushJob, _ delivery: PushBus.Delivery
  ) throws(Interruption) -> PushStore.Fate? {
    let name = try onStore { () throws(StoreError) in try opponentName(of: job) }
    do throws(PushSender.PushError) {
      try sender.send(PushText.notification(of: job, opponent: name))
      return .delivered
    } catch {
      switch error {
      case .temporary(let reason):
        let delays = PushBus.RetryDelay.allCases
        guard delivery.attempts < delays.count else {
          log.error("push given up", metadata: metadata(of: job, reason: reason))
          return .failed
        }
        let delay = delays[max(0, delivery.attempts)]
        try onBus { () throws(BusError) in try bus.retry(delivery, delay) }
        count("retried")
        log.warning("push put off", metadata: metadata(of: job, reason: reason))
        return nil
      case .permanent(let reason):
        log.error("push refused", metadata: metadata(of: job, reason: reason))
        return .failed
      }
    }
  }

  private func opponentName(of job: PushJob) throws(StoreError) -> PlayerName? {
    guard let match = job.match, let opponent = try store.opponent(job.player, match) else {
      return nil
    }
    return try store.name(opponent)
  }

  private func record(_ job: PushJob, _ fate: PushStore.Fate) throws(Interruption) {
    do throws(StoreError) {
      try store.record(job, fate)
    } catch {
      guard case .rejected(let reason) = error else { throw .store(error) }
      // A job that the store will never take must not come back for ever.
      log.error("push not recorded", metadata: metadata(of: job, reason: reason))
    }
    count(fate.rawValue)
    log.debug("push settled", metadata: metadata(of: job, reason: fate.rawValue))
  }

  private func acknowledge(_ delivery: PushBus.Delivery) throws(Interruption) {
    try onBus { () throws(BusError) in try bus.acknowledge(delivery.tag) }
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
