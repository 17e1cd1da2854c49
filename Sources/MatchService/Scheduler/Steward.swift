package import Logging
package import MatchCore
package import MatchInterfaces
package import MatchWire

/// A steward's knobs.
package struct StewardSettings: Hashable, Sendable {
  /// Players that get their `dailyReady` job in one transaction.
  package var fanOutLimit = 1_000
  /// Players that are ranked anew in one transaction.
  package var rankLimit = 50
  /// Matches that are looked at for reminders in one transaction.
  package var reminderLimit = 500
  /// How many matches one statement looks at, at most: matches that wait without a turn, and not
  /// alone on their terms. It may skip a hundred times as many.
  package var moverLimit = 50
  /// How long the steward looks through waiting matches in one second. There may be many players
  /// who block one another and may meet nobody; they do not hide the others for long.
  package var moverTime: Duration = .milliseconds(250)
  /// The longest wait of one step.
  package var idleWait: Duration = .milliseconds(200)
  /// How often the service is sampled for the metrics; nil: never.
  package var samplePause: Duration?
  /// The limits of queues, for the metrics.
  package var capacity = QueueCapacity.standard

  package init() {}
}

/// Does the work that is due each second and may take long: merges waiting matches, deals and
/// announces the daily challenge, ranks and reminds. It has connections of its own, so that no tick
/// waits for it.
///
/// One of many is active; the store decides which. All its events are signed, and may come twice.
package final class Steward: Role {
  private let identity: ServiceIdentity
  private let layout: QueueLayout
  private let lexicons: Lexicons
  private let zones: TimeZones
  private let store: SchedulerStore
  private let bus: SchedulerBus
  private let sender: EventSender
  private let clock: WallClock
  private let randomness: Randomness
  private let settings: StewardSettings
  private let log: Logger
  private let meters: SchedulerMeters

  private var time = SteadyTime()
  private var leadership = Leadership<Lead>.following
  private var nextRound: UInt64 = 0
  /// The last failure of a piece of work, and the uptime then.
  private var lastFailure: (error: StoreError, at: UInt64)?
  private var fleet = FleetMeters()
  /// The uptime at which the service is sampled next.
  private var nextSample: UInt64 = 0

  /// The facts that only the leading steward knows.
  private struct Lead {
    /// The credits that slots have brought along from former queues.
    var slotCredits: [Int64] = []
    var mergers = MergerSchedule()
    /// Challenges of today that players are told of once they are dealt.
    var dailies = DailyRound.idle(done: [])
    var reminders = ReminderSchedule()
    var ranking = Ranking.done

    /// Whether somebody may be left to be ranked: looked for once a second.
    enum Ranking {
      case due
      case done
    }

    /// The next errand between two rounds.
    var errand: Errand? {
      switch (dailies.current, reminders.dailies.current, ranking) {
      case (let key?, _, _): .tell(key)
      case (nil, let key?, _): .remind(key)
      case (nil, nil, .due): .rank
      case (nil, nil, .done): nil
      }
    }
  }

  /// A piece of long work.
  private enum Errand {
    case tell(DailyKey)
    case remind(DailyKey)
    case rank
  }

  /// Puts a steward together; it does nothing before its first step.
  package init(
    identity: ServiceIdentity, layout: QueueLayout, lexicons: Lexicons,
    zones: TimeZones = .utc, store: SchedulerStore,
    bus: SchedulerBus, clock: WallClock, randomness: Randomness,
    settings: StewardSettings = .init(), log: Logger
  ) {
    self.identity = identity
    self.layout = layout
    self.lexicons = lexicons
    self.zones = zones
    self.store = store
    self.bus = bus
    meters = SchedulerMeters(clock: clock, log: log)
    sender = EventSender(bus, layout: layout, meters: meters, clock: clock, log: log)
    self.clock = clock
    self.randomness = randomness
    self.settings = settings
    self.log = log
  }

  /// Does the round of this second if it is due, else an errand, else waits.
  /// - Returns: how many events were published and players told.
  /// - Throws: `Interruption`.
  @discardableResult
  package func step() throws(Interruption) -> Int {
    let uptime = clock.uptimeNanoseconds()
    if uptime >= nextRound {
      let count = try round(uptime)
      // If a round takes long, there is still time for the rest before the next one.
      nextRound = clock.uptimeNanoseconds() &+ 1_000_000_000
      return count
    }
    let count = try onLead { (lead) throws(Interruption) -> Int? in
      switch lead.errand {
      case .tell(let key): try tell(key, &lead)
      case .remind(let key): try remind(of: key, &lead)
      case .rank: try rank(&lead)
      case nil: nil
      }
    }
    if let count = count ?? nil { return count }
    clock.sleep(min(settings.idleWait, .nanoseconds(Int64(clamping: nextRound - uptime))))
    return 0
  }

  /// Closes the connection; another steward becomes the active one.
  package func leave() {
    fleet.show([:])
    bus.close()
  }

  private func round(_ uptime: UInt64) throws(Interruption) -> Int {
    let leads = try onStore(try store.lead())
    try leadership.take(leads: leads) { () throws(Interruption) in
      log.info("steward leads")
      var lead = Lead()
      if let stored = try onStore(try store.layout()) {
        try onStore(try stored.check(layout))
        lead.slotCredits = stored.slotCredits
      }
      return lead
    } end: {
      log.info("steward leads no longer")
      fleet.show([:])
    }
    return try onLead { (lead) throws(Interruption) in try round(uptime, &lead) } ?? 0
  }

  /// Works on the lead's facts; nil if this steward does not lead.
  private func onLead<Result>(
    _ body: (inout Lead) throws(Interruption) -> Result
  ) throws(Interruption) -> Result? {
    guard case .leading(var lead) = leadership else { return nil }
    // Nothing of it is copied while it changes.
    leadership = .following
    defer { leadership = .leading(lead) }
    return try body(&lead)
  }

  private func round(_ uptime: UInt64, _ lead: inout Lead) throws(Interruption) -> Int {
    let asked = clock.elapsedNanoseconds()
    let shown = try onStore(try store.now())
    let now = time.take(shown, asked: asked, heard: clock.elapsedNanoseconds())
    let speaker = try onKeys(try identity.speaker(at: now))
    let clocks = try onStore(try store.queueClocks())
    _ = try sender.readTroubles()
    let merging = try mergeEvents(now, clocks, uptime, speaker, &lead.mergers)
    _ = try sender.send(merging)
    meters.merged(merging.count)
    try dealToday(now, &lead.dailies)
    try remind(now, clocks, uptime, &lead)
    lead.ranking = .due
    try sampleIfDue(uptime)
    return merging.count
  }

  /// Looks how the service stands, for the metrics. A failure shows in the sample's age, and hinders
  /// nothing else.
  private func sampleIfDue(_ uptime: UInt64) throws(Interruption) {
    guard let pause = settings.samplePause, uptime >= nextSample else { return }
    nextSample = uptime &+ UInt64(max(0, pause / .nanoseconds(1)))
    try meters.surviving("sample the service") { () throws(StoreError) in
      let status = try store.workload()
      var broker: FleetMeters.Broker?
      do throws(BusError) {
        let served = status.layout?.layout ?? layout
        broker = FleetMeters.Broker(
          queues: try bus.queueCounts(served), faults: try bus.topologyFaults(served))
      } catch {
        log.debug("the broker cannot be looked at", metadata: ["reason": "\(error)"])
      }
      fleet.show(
        FleetMeters.values(status, broker, layout: layout, capacity: settings.capacity))
    }
  }

  /// Merges waiting matches that fit. It goes page by page, from the match that has waited longest.
  /// If the time is up, it goes on in the next second.
  private func mergeEvents(
    _ now: Instant, _ clocks: [Int: QueueClock], _ uptime: UInt64, _ speaker: ServiceSpeaker,
    _ mergers: inout MergerSchedule
  ) throws(Interruption) -> [(slot: Slot, body: [UInt8])] {
    let end = clock.uptimeNanoseconds() &+ UInt64(settings.moverTime / .nanoseconds(1))
    var fitting: [Merger] = []
    repeat {
      var found: [Pairing.Mover] = []
      try surviving("look for who waits") { () throws(StoreError) in
        found = try store.movers(mergers.last, settings.moverLimit)
      }
      mergers.last = found.last?.own
      fitting += Pairing.mergers(found, at: now)
    } while mergers.last != nil && clock.uptimeNanoseconds() < end
    // A queue without a consumer gets no mergers on top of its waiting events.
    let consumed = fitting.filter { merger in
      guard let time = clocks[layout.queue(of: Slot(of: merger.kept))]?.time else { return false }
      return now.microseconds(since: time) < TickSchedule.abandonedLag
    }
    return mergers.takeDue(of: consumed, uptime: uptime).map { merger in
      let id = EventID(at: now, random: randomness.next128())
      return (Slot(of: merger.kept), speaker.message(.mergeProposed(merger), id: id))
    }
  }

  // MARK: The daily challenge

  /// Deals the challenges of the store's today, never another day's.
  private func dealToday(_ now: Instant, _ dailies: inout DailyRound) throws(Interruption) {
    let today = Day(containing: now)
    let keys = SoloMode.allCases.flatMap { mode in
      Language.allCases.map { DailyKey(day: today, mode: mode, language: $0) }
    }
    dailies.take(.narrowed(to: Set(keys)))
    guard dailies.current == nil else { return }
    var announced: DailyKey?
    for key in keys where !dailies.done.contains(key) {
      guard let lexicon = lexicons.current(for: key.language) else { continue }
      try surviving("deal the daily") { () throws(StoreError) in
        if try store.daily(key) == nil {
          let kept = try store.keepDaily(
            Dealer.daily(key, lexicon: lexicon, secret: identity.secret))
          log.info(
            "daily dealt", metadata: ["daily": "\(kept.key)", "lexicon": "\(kept.lexicon)"])
        }
        if key.isAnnounced { announced = announced ?? key } else { dailies.take(.ended([key])) }
      }
    }
    // A player who is told finds every mode dealt.
    if let announced { dailies.take(.begun(announced)) }
  }

  /// Owes the next players their jobs.
  private func tell(_ key: DailyKey, _ lead: inout Lead) throws(Interruption) -> Int {
    var event: DailyRound.Event? = .paused
    try surviving("tell of the daily") { () throws(StoreError) in
      event = try store.fanOutDaily(key, settings.fanOutLimit) ? nil : .ended([key])
    }
    if let event { lead.dailies.take(event) }
    return 1
  }

  /// Ranks the next players with a changed standing.
  private func rank(_ lead: inout Lead) throws(Interruption) -> Int {
    lead.ranking = .done
    try surviving("rank players") { () throws(StoreError) in
      if try store.rank(settings.rankLimit) { lead.ranking = .due }
    }
    return lead.ranking == .due ? 1 : 0
  }

  /// Owes reminders of turns that run out of time, and looks whether those of a daily are due.
  private func remind(
    _ now: Instant, _ clocks: [Int: QueueClock], _ uptime: UInt64, _ lead: inout Lead
  ) throws(Interruption) {
    guard lead.reminders.isDue(at: uptime) else { return }
    let stored = StoredLayout(layout, slotCredits: lead.slotCredits)
    try surviving("remind of turns") { () throws(StoreError) in
      let count = try store.remindTurns(now, settings.reminderLimit) { match in
        stored.clock(of: match, clocks)
      }
      if count >= settings.reminderLimit { lead.reminders.lookAgain() }
    }
    try surviving("remind of offers") { () throws(StoreError) in
      let last = try store.remindOffers(now, lead.reminders.lastOffer, settings.reminderLimit)
      lead.reminders.lastOffer = last ?? lead.reminders.lastOffer
    }
    try surviving("remind by the players' clocks") { () throws(StoreError) in
      let zones = zones
      let count = try store.remindByLocalTime(
        now, settings.reminderLimit, { stored.clock(of: $0, clocks) },
        { LocalPlan.round($0, now: now, zones: zones) })
      if count >= settings.reminderLimit { lead.reminders.lookAgain() }
    }
    let due = lead.dailies.done.filter { $0.mode == .unlimited && now >= $0.reminderAt }
    lead.reminders.begin(due)
  }

  /// Owes the next players their reminder of a daily.
  private func remind(of key: DailyKey, _ lead: inout Lead) throws(Interruption) -> Int {
    var event: DailyRound.Event? = .paused
    try surviving("remind of the daily") { () throws(StoreError) in
      event = try store.remindDaily(key, settings.fanOutLimit) ? nil : .ended([key])
    }
    if let event { lead.reminders.dailies.take(event) }
    return 1
  }

  private func surviving(
    _ what: String, _ body: () throws(StoreError) -> Void
  ) throws(Interruption) {
    guard let error = try meters.surviving(what, body) else { return }
    lastFailure = (error, clock.uptimeNanoseconds())
  }

  /// The work that the store has refused lately, though the rest goes on.
  package var trouble: Interruption? {
    guard let (error, at) = lastFailure else { return nil }
    let memory = UInt64(RolePresence.memory / .nanoseconds(1))
    return clock.uptimeNanoseconds() &- at < memory ? .store(error) : nil
  }
}
