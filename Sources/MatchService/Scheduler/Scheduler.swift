package import Logging
import MatchCore
package import MatchInterfaces
package import MatchWire
import Metrics

/// A scheduler's knobs.
package struct SchedulerSettings: Hashable, Sendable {
  /// Deadlines sent in one second at most.
  package var deadlineLimit = 1_000
  /// Whether time passes only while readers answer: nobody can play on a service without readers.
  package var awaitsReaders = true
  /// The longest wait of one step.
  package var idleWait: Duration = .milliseconds(200)

  package init() {}
}

/// Lets time pass: ticks into every queue, and deadlines that are over, those of recoveries, too. It
/// does nothing else that could make a tick late: the ``Steward`` does the rest. It judges the store's
/// clock, too, so that time passes as it does on its own machine.
///
/// One of many is active; the store decides which. All its events are signed, and may come twice.
package final class Scheduler: Role {
  private let identity: ServiceIdentity
  private let layout: QueueLayout
  private let store: SchedulerStore
  private let bus: SchedulerBus
  private let sender: EventSender
  private let clock: WallClock
  private let randomness: Randomness
  private let settings: SchedulerSettings
  private let memory: ClockMemory
  private let log: Logger
  private let meters: SchedulerMeters

  private var leadership = Leadership<Lead>.following
  private var nextRound: UInt64 = 0
  private var standstill = Incident(
    Incident.Messages(
      began: "no tick is sent", lasts: "still no tick is sent",
      ended: "readers answer again, and ticks go on"))

  /// The facts that only the leading scheduler knows.
  private struct Lead {
    var ticks = TickSchedule()
    var deadlines = DeadlineSchedule<SchedulerStore.Overdue>()
    var recoveries = DeadlineSchedule<SchedulerStore.DueRecovery>()
    var readers = ReaderWatch.unproven(waitingSince: nil)
  }

  /// Puts a scheduler together; it does nothing before its first step.
  package init(
    identity: ServiceIdentity, layout: QueueLayout, store: SchedulerStore, bus: SchedulerBus,
    clock: WallClock, randomness: Randomness, settings: SchedulerSettings = .init(),
    memory: ClockMemory = ClockMemory(), log: Logger
  ) {
    self.identity = identity
    self.layout = layout
    self.store = store
    self.bus = bus
    meters = SchedulerMeters(clock: clock, log: log)
    sender = EventSender(bus, layout: layout, meters: meters, clock: clock, log: log)
    self.clock = clock
    self.randomness = randomness
    self.settings = settings
    self.memory = memory
    self.log = log
  }

  /// Does the round of this second if it is due, else waits.
  /// - Returns: how many events were published.
  /// - Throws: `Interruption`.
  @discardableResult
  package func step() throws(Interruption) -> Int {
    let uptime = clock.uptimeNanoseconds()
    if uptime >= nextRound {
      nextRound = uptime &+ 1_000_000_000
      return try round(uptime)
    }
    clock.sleep(min(settings.idleWait, .nanoseconds(Int64(clamping: nextRound - uptime))))
    return 0
  }

  /// Closes the connection; another scheduler becomes the active one.
  package func leave() { bus.close() }

  /// The reason why time does not pass, though everything else is done.
  package var trouble: Interruption? {
    guard case .leading(let lead) = leadership, lead.readers == .silent else { return nil }
    return .bus(.timedOut(ReaderWatch.complaint))
  }

  private func round(_ uptime: UInt64) throws(Interruption) -> Int {
    let leads = try onStore(try store.lead())
    try leadership.take(leads: leads) { () throws(Interruption) in
      log.info("scheduler leads")
      if let stored = try onStore(try store.layout()) {
        try onStore(try stored.check(layout))
      }
      return Lead()
    } end: {
      log.info("scheduler leads no longer")
    }
    guard case .leading(var lead) = leadership else { return 0 }
    // Nothing of it is copied while it changes.
    leadership = .following
    defer { leadership = .leading(lead) }
    return try round(uptime, &lead)
  }

  private func round(_ uptime: UInt64, _ lead: inout Lead) throws(Interruption) -> Int {
    let (now, clocks) = try lookAtClocks()
    let speaker = try onKeys(try identity.speaker(at: now))
    for queue in try sender.readTroubles() { lead.ticks.refused(by: queue) }
    try askReaders(now, uptime, speaker, &lead.readers)
    guard lead.readers.letsTimePass || !settings.awaitsReaders else { return 0 }
    let ticks = tickEvents(now, clocks, speaker, &lead.ticks)
    let tickCount = try send(ticks, &lead.ticks)
    meters.ticks.increment(by: tickCount)
    // The ticks are sent, so time has gone on, however long this look takes and however it ends.
    var overdue: [(slot: Slot, body: [UInt8])] = []
    try meters.surviving("look for deadlines") { () throws(StoreError) in
      overdue = try deadlineEvents(now, clocks, uptime, speaker, &lead)
    }
    let deadlineCount = try send(overdue, &lead.ticks)
    meters.deadlines.increment(by: deadlineCount)
    var recoveries: [(slot: Slot, body: [UInt8])] = []
    try meters.surviving("look for recoveries") { () throws(StoreError) in
      recoveries = try recoveryEvents(now, clocks, uptime, speaker, &lead)
    }
    return tickCount + deadlineCount + (try send(recoveries, &lead.ticks))
  }

  /// The service's time, and the clocks of the queues. If the store's clock has jumped, the time goes
  /// on all the same.
  private func lookAtClocks() throws(Interruption) -> (now: Instant, clocks: [Int: QueueClock]) {
    let asked = clock.elapsedNanoseconds()
    let time = try onStore(try store.time())
    let heard = clock.elapsedNanoseconds()
    let clocks = try onStore(try store.queueClocks())
    let verdict = memory.take(
      time, newest: clocks.values.compactMap(\.time).max(), asked: asked, heard: heard)
    guard let change = verdict.change else { return (verdict.now, clocks) }
    try onStore(try store.correctTime(change))
    guard let jump = change.jump else { return (verdict.now, clocks) }
    meters.jumps.increment()
    func seconds(_ microseconds: Int64) -> Logger.MetadataValue {
      .stringConvertible(microseconds / 1_000_000)
    }
    log.warning(
      "the database's clock has jumped, and the service's time goes on as before",
      metadata: [
        "jumpedBySeconds": seconds(jump.microseconds),
        "clock": "\(time.shown)", "serviceTime": "\(verdict.now)",
        "addedSeconds": seconds(change.addedMicroseconds),
        "aheadOfThisMachineSeconds": seconds(time.shown.microseconds(since: clock.now())),
      ])
    return (verdict.now, clocks)
  }

  /// Sends events, and gives how many there were.
  private func send(
    _ events: [(slot: Slot, body: [UInt8])], _ ticks: inout TickSchedule
  ) throws(Interruption) -> Int {
    for queue in try sender.send(events) { ticks.refused(by: queue) }
    return events.count
  }

  /// Asks readers whether they are there.
  private func askReaders(
    _ now: Instant, _ uptime: UInt64, _ speaker: ServiceSpeaker, _ readers: inout ReaderWatch
  ) throws(Interruption) {
    guard settings.awaitsReaders else { return }
    var events: [ReaderWatch.Event] = []
    do throws(BusError) {
      try bus.ask(speaker.question(id: EventID(at: now, random: randomness.next128())))
      events.append(.asked)
    } catch {
      guard case .refused = error else { throw .bus(error) }
      events.append(.couldNotAsk)
    }
    if bus.answers().contains(where: Scheduler.isAnswer) { events.append(.answered) }
    for event in events + [.looked] {
      switch readers.take(event, at: uptime) {
      case .fellSilent?:
        log.write(
          standstill.failed(at: uptime, isSevere: true),
          metadata: ["reason": "\(ReaderWatch.complaint)"])
      case .answersAgain?: log.write(standstill.wentWell(at: uptime))
      case nil: break
      }
    }
  }

  /// Whether a reader could answer the query. A reader without its database answers that it cannot.
  private static func isAnswer(_ body: [UInt8]) -> Bool {
    struct Anything: Decodable {}
    guard let (_, answer) = try? AnswerCodec.decode(body, as: Anything.self) else { return false }
    if case .ok = answer { return true }
    return false
  }

  private func tickEvents(
    _ now: Instant, _ clocks: [Int: QueueClock], _ speaker: ServiceSpeaker,
    _ ticks: inout TickSchedule
  ) -> [(slot: Slot, body: [UInt8])] {
    let queues = (0..<layout.queueCount).filter { !sender.silentQueues.contains($0) }
    return ticks.takeDue(of: queues, clocks: clocks, now: now).compactMap { queue in
      layout.slots(of: queue).first.map { slot in
        let action = Event.Action.ticked(
          queue: queue, time: now, since: ticks.since(of: queue))
        return (slot, body(of: action, now, speaker))
      }
    }
  }

  private func deadlineEvents(
    _ now: Instant, _ clocks: [Int: QueueClock], _ uptime: UInt64, _ speaker: ServiceSpeaker,
    _ lead: inout Lead
  ) throws(StoreError) -> [(slot: Slot, body: [UInt8])] {
    let limit = settings.deadlineLimit
    var overdue = try store.overdue(now, lead.deadlines.last, limit)
    if overdue.count >= limit, let since = lead.deadlines.lookedAt {
      // Matches with credit stay overdue for long. Freshly passed deadlines do not wait for them.
      let fresh = SchedulerStore.Overdue(match: MatchID(rawValue: 0), turn: 0, deadline: since)
      let last = overdue.last
      overdue += try store.overdue(now, fresh, limit)
      lead.deadlines.looked(upTo: last, at: now)
    } else {
      lead.deadlines.looked(upTo: overdue.count >= limit ? overdue.last : nil, at: now)
    }
    let consumed = overdue.filter { isConsumed(Slot(of: $0.match), now, clocks, lead) }
    return lead.deadlines.takeDue(of: consumed, uptime: uptime).map { row in
      let action = Event.Action.deadlinePassed(
        row.match, turn: row.turn, deadline: row.deadline, gone: row.gone)
      return (Slot(of: row.match), body(of: action, now, speaker))
    }
  }

  private func recoveryEvents(
    _ now: Instant, _ clocks: [Int: QueueClock], _ uptime: UInt64, _ speaker: ServiceSpeaker,
    _ lead: inout Lead
  ) throws(StoreError) -> [(slot: Slot, body: [UInt8])] {
    let limit = settings.deadlineLimit
    let due = try store.recoveriesDue(now, lead.recoveries.last, limit)
    lead.recoveries.looked(upTo: due.count >= limit ? due.last : nil, at: now)
    let consumed = due.filter { isConsumed(Slot(of: $0.player), now, clocks, lead) }
    return lead.recoveries.takeDue(of: consumed, uptime: uptime).map { row in
      let action = Event.Action.recoveryDue(
        of: row.player, recovery: row.recovery, key: row.key, due: row.due)
      return (Slot(of: row.player), body(of: action, now, speaker))
    }
  }

  /// Whether somebody takes events from the queue of a slot. Another queue gets no more deadlines:
  /// they have still passed when it is consumed again.
  private func isConsumed(
    _ slot: Slot, _ now: Instant, _ clocks: [Int: QueueClock], _ lead: Lead
  ) -> Bool {
    let queue = layout.queue(of: slot)
    return lead.ticks.lag(of: queue, stored: clocks[queue], now: now) < TickSchedule.abandonedLag
  }

  private func body(
    of action: Event.Action, _ now: Instant, _ speaker: ServiceSpeaker
  ) -> [UInt8] {
    speaker.message(action, id: EventID(at: now, random: randomness.next128()))
  }
}
