package import Logging
package import MatchCore
package import MatchInterfaces
package import MatchWire

/// Takes push jobs from their queue and brings each to the player's devices, many at a time, as far
/// as the push services' answers tell.
///
/// A step sends what there is room for, takes the answers that have come, and records them in one
/// transaction. A job that was handed over and not recorded is handed over again: by a worker that
/// died in between, or whose broker has gone. The job's id and its replacing key tell. If the store
/// fails, the worker waits and keeps everything in hand. It records the jobs that it has handed over
/// once the store is back.
///
/// A job that one device has and another may take later is tried again for the other one. Its copy
/// names the devices that have it. The broker has the copy before the store knows the job as
/// delivered: a job that is delivered comes only to devices that such a copy leaves. A job that all
/// providers refuse for good, or too often, is recorded as failed and kept as a dead letter, for an
/// operator to send again.
package final class PushWorker: Role {
  /// The verdict on a job that holds, at the time of its facts.
  package typealias Plan = @Sendable (PushJob, PushStore.Details) -> PushPlan

  let store: PushStore
  let bus: PushBus
  let providers: [PushProvider]
  let exchange: PushExchange
  let plan: Plan
  let clock: WallClock
  let settings: PushWorkerSettings
  let log: Logger
  let meters = PushMeters()
  /// Jobs that were taken and are not on their way yet.
  var line = PushLine()
  /// Notifications that are on their way, by their numbers.
  var open: [UInt64: OpenPush] = [:]
  /// The jobs of those.
  var openIDs: Set<PushJobID> = []
  var flights: PushFlights
  var lastNotification: UInt64 = 0
  /// The origin that each provider of one origin has last sent to.
  var lastOrigins: [Device.Route.Service: PushOrigin] = [:]
  /// Jobs that were handled, and are not yet recorded or acknowledged.
  var handled = HandledJobs()
  /// The broker is gone. The worker says so once the store knows which jobs were handed over.
  var lost: BusError?
  /// Since when the worker waits for the store, if the store has failed.
  var wait: StoreWait?
  /// The job that is noted as being handed over.
  var trial: Hash?
  /// The notices that were sent; nil: nobody is told.
  private var notices: NoticeLine?
  /// Whether each provider's push services take notifications.
  var watches: [String: ReceiverWatch] = [:]
  private var refusal = Incident(
    Incident.Messages(
      began: "a receiver takes no notifications", lasts: "a receiver still takes no notifications",
      ended: "receivers take notifications again"))
  /// When jobs last made room for others.
  private var crowdedAt: UInt64 = 0
  /// How many jobs the store is asked about next, and told of.
  private var limit: Int
  /// How often the store gave up on the first job alone while it took another.
  private var strikes = 0

  /// Puts a push worker together; it does nothing before its first step.
  /// - Parameters:
  ///   - providers: The ways to devices, one a service. Of two the first one counts.
  ///   - source: Names the worker in its notices of sent notifications; nil: it sends none.
  package init(
    store: PushStore, bus: PushBus, providers: [PushProvider], exchange: PushExchange,
    plan: @escaping Plan = { _, _ in .now(silently: false) }, source: NoticeSource? = nil,
    clock: WallClock, settings: PushWorkerSettings = .init(), log: Logger
  ) {
    self.store = store
    self.bus = bus
    self.providers = providers
    self.exchange = exchange
    self.plan = plan
    notices = source.map { NoticeLine(source: $0) }
    self.clock = clock
    self.settings = settings
    self.log = log
    flights = PushFlights(
      limit: settings.flightLimit, originLimit: settings.originLimit,
      strangePerMinute: settings.strangePerMinute)
    limit = settings.batchLimit
  }

  /// Handles the jobs that have arrived, as many as there is time for.
  /// - Returns: how many are done with.
  /// - Throws: `Interruption`; unacknowledged jobs come again.
  @discardableResult
  package func step() throws(Interruption) -> Int {
    beat()
    logReceivers()
    guard try !waitForStore() else { return 0 }
    do throws(Interruption) {
      // Jobs that were handled before the store failed.
      let before = try finish()
      if open.isEmpty { try endTrial() }
      guard lost == nil else {
        // What is on its way is still recorded.
        collect(settings.idleWait)
        return try before + finish()
      }
      try takeInHand()
      guard !line.isEmpty || !open.isEmpty else {
        stopWaiting()
        return before
      }
      let goesOn = try startNext()
      collect(goesOn ? .zero : settings.answerWait)
      if open.isEmpty { try endTrial() }
      return try before + finish()
    } catch {
      guard case .store(let failure) = error else { throw error }
      hold(failure)
      return 0
    }
  }

  /// Waits some seconds for the answers on their way, tells the store and the broker the missing
  /// outcomes, as far as possible, and closes the connection. Unacknowledged jobs go back.
  package func leave() {
    for _ in 0..<100 where !open.isEmpty { collect(.milliseconds(100)) }
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
    let count = open.values.reduce(line.count) { $0 + $1.parts.count }
    let isIdle = line.isEmpty && open.isEmpty
    if !isIdle { try onBus(try bus.serveHeartbeats()) }
    guard count < settings.lineLimit else { return }
    line.add(
      try onBus(
        try bus.receive(settings.lineLimit - count, isIdle ? settings.idleWait : .zero)))
  }

  /// Sends the notifications of the next jobs, as many as there is time and room for.
  /// - Returns: whether there is more to send at once.
  private func startNext() throws(Interruption) -> Bool {
    flights.pass(to: clock.uptimeNanoseconds())
    let room = flights.room
    guard trial == nil || open.isEmpty, room > 0, !line.isEmpty else { return false }
    var part = line.prefix(min(limit, room), flights)
    // A store that gives up on many is asked about few.
    let others =
      settings.isBundling && limit == settings.batchLimit ? line.others(with: part) : []
    part += others
    if let suspect = part.firstIndex(where: isSuspect) {
      part = suspect == 0 ? [part[0]] : Array(part[..<suspect])
    }
    guard let first = part.first else {
      makeRoom()
      // Time alone gives strange origins requests again.
      if flights.isEmpty { clock.sleep(settings.answerWait) }
      return false
    }
    if let job = first.job, isSuspect(first) {
      guard open.isEmpty else { return false }
      let lives = try beginTrial(of: first)
      guard lives <= settings.trialLimit else {
        giveUp(
          OpenPush.Part(delivery: first, job: job),
          "\(lives - 1) workers ended while they handed it over alone", .endedWorkers)
        line.remove([first.tag])
        return true
      }
    }
    // A worker that has come so far lives, also if the store has failed.
    defer { if open.isEmpty { try? endTrial() } }
    let briefings = try brief(&part)
    stopWaiting()
    return handOver(part, briefings, others: Set(others.map(\.tag)))
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
        if case .failed = error, try !isToBlame(part[0].tag) { throw .store(error) }
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
    case .rejected, .damaged, .failed:
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

  /// Counts a strike against a job if the store gives up on it alone and takes another one.
  private func isToBlame(_ tag: UInt64) throws(Interruption) -> Bool {
    guard let witness = line.job(besides: tag, amongFirst: settings.batchLimit) else {
      return false
    }
    _ = try onStore(try store.brief([witness]))
    strikes += 1
    return strikes >= settings.strikeLimit
  }

  /// Everything in hand waits for full origins: some of it makes room for jobs behind, for which
  /// there may be room.
  private func makeRoom() {
    let now = clock.uptimeNanoseconds()
    guard line.count + open.count >= settings.lineLimit / 2, !flights.isFull,
      now &- crowdedAt >= settings.crowdNanoseconds
    else { return }
    crowdedAt = now
    for delivery in line.removeLastWaiting(settings.lineLimit / 8) {
      guard let job = delivery.job else { continue }
      handled.delay(
        OpenPush.Part(delivery: delivery, job: job),
        PushBus.Delayed(delivery, after: .tenSeconds, isAttempt: false))
    }
  }

  /// Tells of receivers that take nothing: not each time that one does not, and not of each job.
  private func logReceivers() {
    let uptime = clock.uptimeNanoseconds()
    for provider in providers {
      let silence = watches[provider.name]?.silence(at: uptime)
      meters.silent(provider.name, nanoseconds: silence ?? 0)
    }
    let complaint = receiverTrouble
    guard complaint != nil || refusal.isOpen else { return }
    if case .receiver(let text) = complaint {
      log.write(refusal.failed(at: uptime, isSevere: true), metadata: ["reason": "\(text)"])
    } else {
      log.write(refusal.wentWell(at: uptime))
    }
  }

  /// The store's last error while the worker waits for it, or a provider that takes nothing.
  package var trouble: Interruption? { wait.map { .store($0.error) } ?? receiverTrouble }

  private var receiverTrouble: Interruption? {
    let now = clock.uptimeNanoseconds()
    for (provider, watch) in watches.sorted(by: { $0.key < $1.key }) {
      if let text = watch.complaint(about: provider, at: now, after: settings.patience) {
        return .receiver(text)
      }
    }
    return nil
  }

  /// Tells the store and then the broker the outcomes of jobs.
  /// - Returns: how many.
  private func finish() throws(Interruption) -> Int {
    try record()
    if let lost {
      guard open.isEmpty else { return 0 }
      throw .bus(lost)
    }
    guard handled.count > 0 else { return 0 }
    let finished = handled
    handled = HandledJobs()
    try onBus { () throws(BusError) in
      if !finished.delayed.isEmpty { try bus.retry(finished.delayed) }
      if !finished.done.isEmpty { try bus.acknowledge(finished.done) }
    }
    for delayed in finished.delayed { count(delayed.isAttempt ? "retried" : "crowded") }
    handled = HandledJobs(after: finished)
    try record()
    return finished.count
  }

  /// Tells the store the outcomes of jobs, fewer at a time if it gives up.
  private func record() throws(Interruption) {
    while !handled.entries.isEmpty {
      let part = Array(handled.entries.prefix(limit))
      do throws(StoreError) {
        try store.record(PushStore.Results(part))
        widen()
      } catch {
        if try narrow(part.count, after: error) { continue }
        guard let reason = error.refusal else { throw .store(error) }
        // A job that the store will never take must not come back for ever.
        log.error("push not recorded", metadata: metadata(of: part[0].job, reason: reason))
        if part[0].held != nil { handled.keep(part[0], "the store does not hold it: \(reason)") }
      }
      handled.recorded(part.count)
      announce(part.compactMap(\.outcome))
      for entry in part { tell(entry) }
    }
    guard !handled.dead.isEmpty else { return }
    try onStore(try store.bury(handled.dead))
    handled.buried()
  }

  private func tell(_ entry: HandledJobs.Entry) {
    for answer in entry.answers { meters.answered(answer) }
    if entry.held != nil { count("held") }
    guard let outcome = entry.outcome else { return }
    count(outcome.fate.rawValue)
    log.debug(
      "push settled",
      metadata: metadata(
        of: outcome.job, reason: outcome.reason?.rawValue ?? outcome.fate.rawValue))
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
  func beat() {
    if let body = notices?.beat(at: clock.uptimeNanoseconds()) { send(body) }
  }

  private func send(_ notice: [UInt8]) {
    guard lost == nil else { return }
    do throws(BusError) { try bus.announce(notice) } catch { lost = error }
  }

  func count(_ result: String) { meters.count(result) }

  func metadata(of job: PushJob, reason: String) -> Logger.Metadata {
    var metadata: Logger.Metadata = [
      "job": "\(job.id)", "kind": "\(job.kind.rawValue)", "player": "\(job.player)",
      "reason": "\(reason)",
    ]
    if let match = job.match { metadata["match"] = "\(match)" }
    return metadata
  }
}
