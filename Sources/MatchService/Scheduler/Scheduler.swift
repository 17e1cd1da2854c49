public import Logging
public import MatchCore
public import MatchInterfaces
public import MatchWire
import Metrics

/// A scheduler's knobs.
public struct SchedulerSettings: Hashable, Sendable {
  /// Deadlines sent in one second at most.
  public var deadlineLimit = 1_000
  /// Players who get their `dailyReady` job in one transaction.
  public var fanOutLimit = 1_000
  /// Players who are ranked anew in one transaction.
  public var rankLimit = 50
  /// Matches whose players are reminded in one transaction.
  public var reminderLimit = 500
  /// Matches that wait without a turn, not alone on their terms, that are looked at in one second at
  /// most; a hundred times as many may be passed over.
  public var moverLimit = 50
  /// Whether time passes only while readers answer; a service without any is none that anybody can
  /// play on.
  public var awaitsReaders = true
  /// The longest wait of one step.
  public var idleWait: Duration = .milliseconds(200)

  /// The defaults.
  public init() {}
}

/// Lets time pass: ticks into every queue, deadlines that are over, the challenge of the day.
///
/// One of many is active; the store decides which. All that it says is signed, and may be said
/// twice.
public final class Scheduler: Role {
  private let identity: ServiceIdentity
  private let layout: QueueLayout
  private let lexicons: Lexicons
  private let store: SchedulerStore
  private let bus: SchedulerBus
  private let clock: WallClock
  private let randomness: Randomness
  private let settings: SchedulerSettings
  private let log: Logger
  private let meters = SchedulerMeters()

  private var isLeading = false
  private var nextRound: UInt64 = 0
  /// What slots have brought along from former queues.
  private var slotCredits: [Int64] = []
  /// The queues that get nothing more until what they have is confirmed.
  private var silentQueues: Set<Int> = []
  private var ticks = TickBook()
  private var deadlines = DeadlineBook()
  private var mergers = MergerBook()
  /// Challenges of today that are dealt and told to everybody.
  private var told: Set<DailyKey> = []
  private var telling: DailyKey?
  /// Whether somebody may be left to be ranked: looked for once a second.
  private var hasToRank = false
  private var reminders = ReminderBook()
  private var readers = ReaderWatch()
  /// What keeps time from passing, though everything else is done.
  public private(set) var trouble: Interruption?

  /// Puts a scheduler together; it does nothing before its first step.
  public init(
    identity: ServiceIdentity, layout: QueueLayout, lexicons: Lexicons, store: SchedulerStore,
    bus: SchedulerBus, clock: WallClock, randomness: Randomness,
    settings: SchedulerSettings = .init(), log: Logger
  ) {
    self.identity = identity
    self.layout = layout
    self.lexicons = lexicons
    self.store = store
    self.bus = bus
    self.clock = clock
    self.randomness = randomness
    self.settings = settings
    self.log = log
  }

  /// Does the round of this second if it is due, else a piece of what remains to be told, else
  /// waits.
  /// - Returns: how many events were published and players told.
  /// - Throws: `Interruption`.
  @discardableResult
  public func step() throws(Interruption) -> Int {
    let uptime = clock.uptimeNanoseconds()
    if uptime >= nextRound {
      nextRound = uptime &+ 1_000_000_000
      return try round(uptime)
    }
    if isLeading, let key = telling { return try tell(key) }
    if isLeading, let key = reminders.daily { return try remind(of: key) }
    if isLeading, hasToRank { return try rank() }
    clock.sleep(min(settings.idleWait, .nanoseconds(Int64(clamping: nextRound - uptime))))
    return 0
  }

  /// Closes the connection; another scheduler becomes the active one.
  public func leave() { bus.close() }

  private func round(_ uptime: UInt64) throws(Interruption) -> Int {
    let leads = try onStore(store.lead)
    if leads != isLeading {
      log.info(leads ? "scheduler leads" : "scheduler leads no longer")
      // What another one did in between is not known: begin afresh.
      (ticks, deadlines, told, telling) = (TickBook(), DeadlineBook(), [], nil)
      (reminders, mergers) = (ReminderBook(), MergerBook())
      (readers, trouble) = (ReaderWatch(), nil)
      if leads, let stored = try onStore(store.layout) {
        try onStore { () throws(StoreError) in try stored.check(layout) }
        slotCredits = stored.slotCredits
      }
      isLeading = leads
    }
    guard leads else { return 0 }
    let now = try onStore(store.now)
    let speaker = try onKeys { () throws(ServiceKeyError) in try identity.speaker(at: now) }
    let clocks = try onStore(store.queueClocks)
    try readTroubles()
    let passes = try askReaders(now, uptime, speaker)
    var events = passes ? tickEvents(now, clocks, speaker) : []
    let tickCount = events.count
    if passes { events += try deadlineEvents(now, clocks, uptime, speaker) }
    try publish(events)
    meters.ticks.increment(by: tickCount)
    meters.deadlines.increment(by: events.count - tickCount)
    // Time has gone on, however long this look takes.
    let merging = try mergeEvents(now, clocks, uptime, speaker)
    try publish(merging)
    meters.mergers.increment(by: merging.count)
    try dealToday(now)
    if passes { try remind(now, clocks, uptime) }
    hasToRank = true
    return events.count + merging.count
  }

  /// Asks readers whether they are there; gives whether time may pass.
  private func askReaders(
    _ now: Instant, _ uptime: UInt64, _ speaker: ServiceSpeaker
  ) throws(Interruption) -> Bool {
    guard settings.awaitsReaders else { return true }
    do throws(BusError) {
      try bus.ask(speaker.question(id: EventID(at: now, random: randomness.next128())))
      readers.asked(at: uptime)
    } catch {
      guard case .refused = error else { throw .bus(error) }
      readers.couldNotAsk(at: uptime)
    }
    if bus.answers().contains(where: Scheduler.isAnswer) { readers.answered() }
    let isOutage = readers.isOutage(at: uptime)
    if isOutage != (trouble != nil) {
      trouble = isOutage ? .bus(.timedOut(ReaderWatch.complaint)) : nil
      if isOutage {
        log.error("no tick is sent", metadata: ["reason": "\(ReaderWatch.complaint)"])
      } else {
        log.info("readers answer again, and ticks go on")
      }
    }
    return readers.letsTimePass(at: uptime)
  }

  /// Whether a reader could say what it was asked; one without its database says that it cannot.
  private static func isAnswer(_ body: [UInt8]) -> Bool {
    struct Anything: Decodable {}
    guard let (_, answer) = try? AnswerCodec.decode(body, as: Anything.self) else { return false }
    if case .ok = answer { return true }
    return false
  }

  private func tickEvents(
    _ now: Instant, _ clocks: [Int: QueueClock], _ speaker: ServiceSpeaker
  ) -> [(slot: Slot, body: [UInt8])] {
    let queues = (0..<layout.queueCount).filter { !silentQueues.contains($0) }
    return ticks.takeDue(of: queues, clocks: clocks, now: now).compactMap { queue in
      layout.slots(of: queue).first.map { slot in
        let action = Event.Action.ticked(
          queue: queue, time: now, since: ticks.since(of: queue))
        return (slot, body(of: action, now, speaker))
      }
    }
  }

  private func deadlineEvents(
    _ now: Instant, _ clocks: [Int: QueueClock], _ uptime: UInt64, _ speaker: ServiceSpeaker
  ) throws(Interruption) -> [(slot: Slot, body: [UInt8])] {
    let limit = settings.deadlineLimit
    var overdue = try onStore { () throws(StoreError) in
      try store.overdue(now, deadlines.last, limit)
    }
    if overdue.count >= limit, let since = deadlines.lookedAt {
      // Those with credit stay overdue for long: what has just passed does not wait for them.
      let fresh = SchedulerStore.Overdue(match: MatchID(rawValue: 0), turn: 0, deadline: since)
      let last = overdue.last
      overdue += try onStore { () throws(StoreError) in try store.overdue(now, fresh, limit) }
      deadlines.looked(upTo: last, at: now)
    } else {
      deadlines.looked(upTo: overdue.count >= limit ? overdue.last : nil, at: now)
    }
    // What nobody consumes gets no deadlines on top of those that wait in it: they are still
    // overdue afterwards.
    let consumed = overdue.filter { row in
      let queue = layout.queue(of: Slot(of: row.match))
      return ticks.lag(of: queue, stored: clocks[queue], now: now) < TickBook.abandonedLag
    }
    return deadlines.takeDue(of: consumed, uptime: uptime).map { row in
      let action = Event.Action.deadlinePassed(
        row.match, turn: row.turn, deadline: row.deadline)
      return (Slot(of: row.match), body(of: action, now, speaker))
    }
  }

  /// Brings together those who wait and fit, a page of them each second.
  private func mergeEvents(
    _ now: Instant, _ clocks: [Int: QueueClock], _ uptime: UInt64, _ speaker: ServiceSpeaker
  ) throws(Interruption) -> [(slot: Slot, body: [UInt8])] {
    var found: [Pairing.Mover] = []
    try surviving("look for who waits") { () throws(StoreError) in
      found = try store.movers(mergers.last, settings.moverLimit)
      // All have been looked through: begin with who has waited longest.
      if found.isEmpty, mergers.last != nil { found = try store.movers(nil, settings.moverLimit) }
    }
    mergers.last = found.last?.own
    let consumed = Pairing.mergers(found, at: now).filter { merger in
      let queue = layout.queue(of: Slot(of: merger.kept))
      return ticks.lag(of: queue, stored: clocks[queue], now: now) < TickBook.abandonedLag
    }
    return mergers.takeDue(of: consumed, uptime: uptime).map { merger in
      (Slot(of: merger.kept), body(of: .mergeProposed(merger), now, speaker))
    }
  }

  private func body(
    of action: Event.Action, _ now: Instant, _ speaker: ServiceSpeaker
  ) -> [UInt8] {
    speaker.message(action, id: EventID(at: now, random: randomness.next128()))
  }

  /// Sends events, and waits for no queue: one that takes nothing keeps no other from its ticks, and
  /// nobody from the duties that follow.
  private func publish(_ events: [(slot: Slot, body: [UInt8])]) throws(Interruption) {
    let events = events.filter { !silentQueues.contains(layout.queue(of: $0.slot)) }
    guard !events.isEmpty else { return }
    do throws(BusError) { try bus.send(events) } catch {
      guard case .refused(let reason) = error else { throw .bus(error) }
      meters.refused.increment()
      for event in events { ticks.refused(by: layout.queue(of: event.slot)) }
      log.warning("the broker takes nothing", metadata: ["reason": "\(reason)"])
    }
  }

  /// Finds the queues that take nothing, and says which.
  private func readTroubles() throws(Interruption) {
    silentQueues = []
    let troubles = try onBus(bus.troubles)
    for (slot, error) in troubles.sorted(by: { $0.key.number < $1.key.number }) {
      let queue = layout.queue(of: slot)
      ticks.refused(by: queue)
      if case .timedOut = error, !silentQueues.insert(queue).inserted { continue }
      meters.refused.increment()
      log.warning(
        "queue takes nothing", metadata: ["queue": "\(queue)", "reason": "\(error)"])
    }
  }

  // MARK: The daily challenge

  /// Deals the challenges of the store's today, never another day's.
  private func dealToday(_ now: Instant) throws(Interruption) {
    let today = Day(containing: now)
    told = told.filter { $0.day == today }
    if let telling, telling.day != today { self.telling = nil }
    guard telling == nil else { return }
    var announced: DailyKey?
    for mode in SoloMode.allCases {
      for language in Language.allCases {
        let key = DailyKey(day: today, mode: mode, language: language)
        guard !told.contains(key), let lexicon = lexicons.current(for: language) else { continue }
        try surviving("deal the daily") { () throws(StoreError) in
          if try store.daily(key) == nil {
            let kept = try store.keepDaily(
              Dealer.daily(key, lexicon: lexicon, secret: identity.secret))
            log.info(
              "daily dealt", metadata: ["daily": "\(kept.key)", "lexicon": "\(kept.lexicon)"])
          }
          if key.isAnnounced { announced = announced ?? key } else { told.insert(key) }
        }
      }
    }
    // Whoever is told finds every mode dealt.
    telling = announced
  }

  /// Owes the next players their jobs.
  private func tell(_ key: DailyKey) throws(Interruption) -> Int {
    var isMore = false
    try surviving("tell of the daily") { () throws(StoreError) in
      isMore = try store.fanOutDaily(key, settings.fanOutLimit)
      if !isMore { told.insert(key) }
    }
    if !isMore { telling = nil }
    return 1
  }

  /// Ranks the next players whose standing has changed.
  private func rank() throws(Interruption) -> Int {
    hasToRank = false
    try surviving("rank players") { () throws(StoreError) in
      hasToRank = try store.rank(settings.rankLimit)
    }
    return hasToRank ? 1 : 0
  }

  /// Owes reminders of turns whose time runs out, and looks whether those of a daily are due.
  private func remind(
    _ now: Instant, _ clocks: [Int: QueueClock], _ uptime: UInt64
  ) throws(Interruption) {
    guard reminders.isDue(at: uptime) else { return }
    let stored = StoredLayout(layout, slotCredits: slotCredits)
    try surviving("remind of turns") { () throws(StoreError) in
      let count = try store.remindTurns(now, settings.reminderLimit) { match in
        stored.clock(of: match, clocks)
      }
      if count >= settings.reminderLimit { reminders.lookAgain() }
    }
    reminders.begin(told.filter { $0.mode == .unlimited && now >= $0.reminderAt })
  }

  /// Owes the next players their reminder of a daily.
  private func remind(of key: DailyKey) throws(Interruption) -> Int {
    var isMore = false
    try surviving("remind of the daily") { () throws(StoreError) in
      isMore = try store.remindDaily(key, settings.fanOutLimit)
      if !isMore { reminders.end(key) }
    }
    if !isMore { reminders.pause() }
    return 1
  }

  /// Does something that may fail by itself without keeping ticks and deadlines from going out.
  private func surviving(
    _ what: String, _ body: () throws(StoreError) -> Void
  ) throws(Interruption) {
    do throws(StoreError) {
      try body()
    } catch {
      guard !error.concernsTheStore else { throw .store(error) }
      meters.failures.increment()
      log.error("scheduler cannot \(what)", metadata: ["reason": "\(error)"])
    }
  }
}

/// What a scheduler counts.
private struct SchedulerMeters {
  let ticks = Counter(label: "cubist_scheduler_ticks_total")
  let deadlines = Counter(label: "cubist_scheduler_deadlines_total")
  let mergers = Counter(label: "cubist_scheduler_mergers_total")
  let refused = Counter(label: "cubist_scheduler_refused_total")
  let failures = Counter(label: "cubist_scheduler_failures_total")
}
