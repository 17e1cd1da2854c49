package import Logging
import MatchCore
package import MatchInterfaces
package import MatchWire
import Metrics

/// A push worker's knobs.
package struct PushWorkerSettings: Hashable, Sendable {
  /// How many jobs the store is asked about at once.
  package var batchLimit = 128
  /// Jobs in hand at most; among them players take turns.
  package var lineLimit = 2_048
  /// How long to wait for jobs when there are none.
  package var idleWait: Duration = .milliseconds(200)
  /// A step hands over no more jobs after this time. The jobs that are left wait for the next step.
  package var stepNanoseconds: UInt64 = 500_000_000
  /// How often the broker is served while jobs are handed over.
  package var heartbeatNanoseconds: UInt64 = 100_000_000
  /// From this delivery on a job is handed over alone, and that is noted before.
  package var trialFromDelivery = 10
  /// How many workers may end while they hand such a job over before it is given up.
  package var trialLimit = 3
  /// How often the store may give up on a job alone, while it takes others, before the job is given
  /// up.
  package var strikeLimit = 8
  /// The longest pause for a store that fails.
  package var longestStoreWait: Duration = .seconds(5)
  /// How long the receiver may take nothing before the worker reports it as trouble.
  package var patience: Duration = .seconds(60)
  /// How long a job waits before each retry. After the last one it is given up.
  package var delays = PushBus.RetryDelay.allCases

  package init() {}
}

/// Takes push jobs from their queue and hands each to the provider once, as far as the provider's
/// answers tell.
///
/// It hands over the jobs of a step first, and records them second, in one transaction. A worker
/// that dies in between hands over twice. The job's id tells. If the store fails, the worker waits
/// and keeps everything in hand. It records the jobs that it has handed over once the store is
/// back. A job that the provider refuses for good, or too often, is recorded as failed and kept as
/// a dead letter, for an operator to send again.
package final class PushWorker: Role {
  let store: PushStore
  let bus: PushBus
  private let sender: PushSender
  let clock: WallClock
  let settings: PushWorkerSettings
  let log: Logger
  /// Jobs that were taken and not yet handled: a provider may be slow, and a step must not be.
  private(set) var line = PushLine()
  /// Jobs that were handled, and are not yet recorded or acknowledged.
  private(set) var handled = HandledJobs()
  /// The broker is gone. The worker says so once the store knows which jobs were handed over.
  var lost: BusError?
  /// Since when the worker waits for the store, if the store has failed.
  var wait: StoreWait?
  /// The job that is noted as being handed over.
  var trial: Hash?
  /// The notices that were sent; nil: nobody is told.
  private var notices: NoticeLine?
  /// Whether the receiver takes notifications.
  private var receiver = ReceiverWatch()
  /// How many jobs the store is asked about next, and told of.
  private var limit: Int
  /// How often the store gave up on the first job alone while it took another.
  private var strikes = 0

  /// Puts a push worker together; it does nothing before its first step.
  /// - Parameter source: Names the worker in its notices of sent notifications; nil: it sends none.
  package init(
    store: PushStore, bus: PushBus, sender: PushSender, source: NoticeSource? = nil,
    clock: WallClock, settings: PushWorkerSettings = .init(), log: Logger
  ) {
    self.store = store
    self.bus = bus
    self.sender = sender
    notices = source.map { NoticeLine(source: $0) }
    self.clock = clock
    self.settings = settings
    self.log = log
    limit = settings.batchLimit
  }

  /// Handles the jobs that have arrived, as many as there is time for.
  /// - Returns: how many.
  /// - Throws: `Interruption`; unacknowledged jobs come again.
  @discardableResult
  package func step() throws(Interruption) -> Int {
    beat()
    guard try !waitForStore() else { return 0 }
    do throws(Interruption) {
      // Jobs that were handled before the store failed.
      let before = try finish()
      try endTrial()
      try takeInHand()
      guard !line.isEmpty else {
        stopWaiting()
        return before
      }
      try handleNext()
      return try before + finish()
    } catch {
      guard case .store(let failure) = error else { throw error }
      hold(failure)
      return 0
    }
  }

  /// Tells the store and the broker the missing outcomes, as far as possible, and closes the
  /// connection. Unacknowledged jobs go back.
  package func leave() {
    do throws(Interruption) {
      if trial != nil || !handled.isRecorded {
        if wait?.needsConnection == true { try onStore(try store.reconnect()) }
        try endTrial()
        try record()
      }
    } catch {
      log.warning("leaving without a word", metadata: ["reason": "\(error)"])
    }
    bus.close()
  }

  private func takeInHand() throws(Interruption) {
    let room = settings.lineLimit - line.count
    let wait = line.isEmpty ? settings.idleWait : .zero
    if !line.isEmpty { try onBus(try bus.serveHeartbeats()) }
    guard room > 0 else { return }
    line.add(try onBus(try bus.receive(room, wait)))
  }

  /// Hands over the next jobs, as many as there is time for.
  private func handleNext() throws(Interruption) {
    var part = line.prefix(limit)
    if let suspect = part.firstIndex(where: isSuspect) {
      part = suspect == 0 ? [part[0]] : Array(part[..<suspect])
    }
    if let first = part.first, let job = first.job, isSuspect(first) {
      let lives = try beginTrial(of: first)
      guard lives <= settings.trialLimit else {
        giveUp(first, job, "\(lives - 1) workers ended while they handed it over alone")
        return line.removeFirst()
      }
    }
    // A worker that has come so far lives, also if the store has failed.
    defer { try? endTrial() }
    let briefings = try brief(&part)
    stopWaiting()
    let started = clock.uptimeNanoseconds()
    var lastServed = started
    for delivery in part {
      handle(delivery, briefings)
      line.removeFirst()
      let now = clock.uptimeNanoseconds()
      if now &- started >= settings.stepNanoseconds { break }
      guard now &- lastServed >= settings.heartbeatNanoseconds else { continue }
      lastServed = now
      serveBroker()
      beat()
      if lost != nil { break }
    }
  }

  /// The facts about jobs. A job that the store cannot read is not in the answer. If the store
  /// gives up, it is asked about fewer.
  private func brief(
    _ part: inout [PushBus.Delivery]
  ) throws(Interruption) -> [PushJobID: PushStore.Briefing] {
    while true {
      let jobs = part.compactMap(\.job)
      guard !jobs.isEmpty else { return [:] }
      do throws(StoreError) {
        let briefings = try store.brief(jobs)
        widen()
        return briefings
      } catch {
        guard try !narrow(part.count, after: error) else {
          part = Array(part.prefix(limit))
          continue
        }
        if case .failed = error, try !isFirstToBlame() { throw .store(error) }
        log.error(
          "push cannot be judged", metadata: metadata(of: jobs[0], reason: "\(error)"))
        widen()
        return [:]
      }
    }
  }

  /// Whether to ask the store about fewer jobs, since it gives up on so many or refuses one of
  /// them.
  private func narrow(_ count: Int, after error: StoreError) throws(Interruption) -> Bool {
    switch error {
    case .rejected, .failed:
      guard count > 1 else { return false }
      limit = count / 2
      serveBroker()
      return true
    case .conflict, .duplicate, .unavailable, .unusable: throw .store(error)
    }
  }

  private func widen() {
    strikes = 0
    limit = min(limit * 2, settings.batchLimit)
  }

  /// Counts a strike against the first job if the store gives up on it alone and takes another one.
  private func isFirstToBlame() throws(Interruption) -> Bool {
    let others = line.prefix(settings.batchLimit).dropFirst().compactMap(\.job)
    guard let witness = others.first else { return false }
    _ = try onStore(try store.brief([witness]))
    strikes += 1
    return strikes >= settings.strikeLimit
  }

  private func handle(
    _ delivery: PushBus.Delivery, _ briefings: [PushJobID: PushStore.Briefing]
  ) {
    guard let job = delivery.job else {
      count("unreadable")
      log.error(
        "no push job", metadata: ["bytes": "\(delivery.body.count)", "tag": "\(delivery.tag)"])
      return handled.done.append(delivery.tag)
    }
    switch handled.contains(job.id) ? .handled : briefings[job.id] {
    case .handled?:
      count("repeated")
      handled.done.append(delivery.tag)
    case .stale(_)?: handled.record(delivery, job, .dropped)
    case .due(let details)?: handOver(delivery, job, details)
    // The store could not read the facts about this job, and will not be able to the next time.
    case nil: giveUp(delivery, job, "the store cannot read what it is about")
    }
  }

  /// Keeps a job among the dead letters.
  private func giveUp(_ delivery: PushBus.Delivery, _ job: PushJob, _ reason: String) {
    log.error("push given up", metadata: metadata(of: job, reason: reason))
    handled.bury(delivery, job, reason)
  }

  /// Hands a job to the provider.
  private func handOver(
    _ delivery: PushBus.Delivery, _ job: PushJob, _ details: PushStore.Details
  ) {
    do throws(PushSender.PushError) {
      try sender.send(PushText.notification(of: job, details))
      receiver.took()
      handled.record(delivery, job, .delivered)
    } catch {
      switch error {
      case .temporary(let reason): putOff(delivery, job, reason)
      case .busy(let reason, let pause): putOff(delivery, job, reason, atLeast: pause)
      case .permanent(let reason): giveUp(delivery, job, reason)
      }
    }
  }

  /// Puts a job into the retry queue of its next attempt, or one of a longer delay that the
  /// provider asks for; if there is none left, the job has failed.
  private func putOff(
    _ delivery: PushBus.Delivery, _ job: PushJob, _ reason: String,
    atLeast pause: Duration = .zero
  ) {
    let left = settings.delays.dropFirst(max(0, delivery.attempts))
    guard let delay = left.first(where: { .seconds($0.rawValue) >= pause }) ?? left.last else {
      return giveUp(delivery, job, reason)
    }
    handled.delayed.append(PushBus.Delayed(delivery, after: delay))
    receiver.failed(reason, at: clock.uptimeNanoseconds(), triedAgainAfter: delay)
    log.warning("push put off", metadata: metadata(of: job, reason: reason))
  }

  /// The store's last error while the worker waits for it, or that the receiver takes nothing.
  package var trouble: Interruption? {
    if let wait { return .store(wait.error) }
    return receiver.complaint(at: clock.uptimeNanoseconds(), after: settings.patience)
      .map { .receiver($0) }
  }

  /// Tells the store and then the broker the outcomes of jobs.
  /// - Returns: how many.
  private func finish() throws(Interruption) -> Int {
    try record()
    if let lost { throw .bus(lost) }
    guard handled.count > 0 else { return 0 }
    let finished = handled
    handled = HandledJobs()
    try onBus { () throws(BusError) in
      if !finished.delayed.isEmpty { try bus.retry(finished.delayed) }
      if !finished.done.isEmpty { try bus.acknowledge(finished.done) }
    }
    for _ in finished.delayed { count("retried") }
    return finished.count
  }

  /// Tells the store the outcomes of jobs, fewer at a time if it gives up.
  private func record() throws(Interruption) {
    while !handled.outcomes.isEmpty {
      let part = Array(handled.outcomes.prefix(limit))
      do throws(StoreError) {
        try store.record(PushStore.Results(part))
        widen()
      } catch {
        if try narrow(part.count, after: error) { continue }
        guard case .rejected(let reason) = error else { throw .store(error) }
        // A job that the store will never take must not come back for ever.
        log.error("push not recorded", metadata: metadata(of: part[0].job, reason: reason))
      }
      handled.recorded(part.count)
      announce(part)
      for outcome in part {
        count(outcome.fate.rawValue)
        log.debug(
          "push settled", metadata: metadata(of: outcome.job, reason: outcome.fate.rawValue))
      }
    }
    guard !handled.dead.isEmpty else { return }
    try onStore(try store.bury(handled.dead))
    handled.buried()
  }

  /// Tells everybody who watches which players have new notifications. A broker that is gone shows
  /// at the next call.
  private func announce(_ outcomes: [PushStore.Outcome]) {
    let players = Set(outcomes.lazy.filter { $0.fate == .delivered }.map(\.job.player))
    let bodies = notices?.notices(
      of: [], players: players.sorted(), at: clock.uptimeNanoseconds())
    for body in bodies ?? [] { send(body) }
  }

  /// Says that this worker lives and which of its notices was the last one, if it is time.
  private func beat() {
    if let body = notices?.beat(at: clock.uptimeNanoseconds()) { send(body) }
  }

  private func send(_ notice: [UInt8]) {
    guard lost == nil else { return }
    do throws(BusError) { try bus.announce(notice) } catch { lost = error }
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
