import Logging
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire

/// A year of notifications for a few players. Relay, push worker, policy and the plan of digests are
/// the shipped code. Store, broker and push services are simulated, and the jobs, the players'
/// wishes and the faults come from a seed. There are no matches: each job brings the facts that the
/// store would read. The time goes from one occasion to the next, so that a year takes a second.
final class PushYear {
  /// The facts about a job that a match or a day would tell.
  struct Facts {
    /// The end of the time in which it is of use. Nil: it has none.
    var expiresAt: Instant?
    /// When the player does what it asks for. Nil: never.
    var answeredAt: Instant?
  }

  /// Something that happens at a time.
  struct Occasion {
    enum Kind {
      case owed(PushJob, Facts)
      case changed(PlayerID, PlayerChange)
    }

    var at: Instant
    var kind: Kind
  }

  /// One life of the push worker.
  private final class Life {
    let session: SimulatedStore.Session
    let connection: SimulatedBroker.Connection
    var isDead = false
    var worker: PushWorker?

    init(_ session: SimulatedStore.Session, _ connection: SimulatedBroker.Connection) {
      (self.session, self.connection) = (session, connection)
    }
  }

  static let start = Instant(microseconds: 1_704_067_200_000_000)
  static let end = start.adding(seconds: 366 * 86_400)
  static let faults: Set<Fault> = [
    .pushSlow, .pushLies, .pushAnsweredTwice, .pushAnswerLost, .redeliver,
  ]
  /// The probability that the push worker dies before it tells the store outcomes, and after.
  private static let mortality = 0.003
  /// Turns of the loop at most. A year has some ten thousand.
  private static let turnLimit = 2_000_000

  let random: SeededRandom
  let clock = VirtualClock(start)
  let store: SimulatedStore
  let broker: SimulatedBroker
  let plan: FaultPlan
  let receiver: SimulatedReceiver
  let zones: TimeZones
  let players: [PlayerID]
  var violations: [String] = []
  /// Everything that was ever owed.
  private(set) var owed: [PushJobID: PushJob] = [:]
  /// How many lives of the push worker there were.
  private(set) var lives = 0
  private let provider: SimulatedProvider
  private let bug: PlantedBug?
  private let facts: Book
  private var occasions: ArraySlice<Occasion> = []
  private var life: Life?
  private let log = Logger(label: "year") { _ in SwiftLogNoOpLogHandler() }

  /// The facts about all jobs, and when players were last told of a match with a sound.
  private final class Book {
    var facts: [PushJobID: Facts] = [:]
    /// The last facts that a push worker has read.
    var read: [PushJobID: PushStore.Details] = [:]
    var lastSound: [PlayerID: Instant] = [:]
    var lastTurnSound: [PlayerID: Instant] = [:]

    func lastSentAt(before job: PushJob, at now: Instant) -> Instant? {
      let last = job.kind.topic == .turn ? lastTurnSound : lastSound
      return last[job.player].flatMap {
        $0 > now.adding(seconds: -PushStore.Details.bundleSeconds) ? $0 : nil
      }
    }
  }

  /// A year of one player in each of these zones. Nil if something cannot be set up.
  init?(seed: UInt64, in names: [String], zones: TimeZones, bug: PlantedBug? = nil) {
    guard let layout = QueueLayout(queueCount: 1) else { return nil }
    (self.zones, self.bug) = (zones, bug)
    random = SeededRandom(seed: seed)
    store = SimulatedStore(clock: clock, random: random.fork())
    plan = FaultPlan(PushYear.faults, random: random.fork())
    let broker = SimulatedBroker(
      layout: layout, faults: plan, random: random.fork(), clock: clock)
    self.broker = broker
    provider = SimulatedProvider(bug: bug)
    let book = Book()
    facts = book
    receiver = SimulatedReceiver(
      of: provider, store: store, zones: zones, expiry: { book.facts[$0.id]?.expiresAt },
      lastSentAt: { [clock] in book.lastSentAt(before: $0, at: clock.now) },
      isRepeated: { broker.repeatedJobs.contains($0) }, faults: plan, refusal: 0.05,
      random: random.fork(), chance: random.fork())
    players = names.indices.map { PlayerID(rawValue: UInt128($0) + 1) }
    begin(in: names)
    occasions = ArraySlice(
      players.flatMap { jobs(of: $0) + changes(of: $0) }.sorted { $0.at < $1.at })
  }

  /// Lets the year pass, and the time in which the last jobs wait.
  func run() {
    for _ in 0..<PushYear.turnLimit {
      let isOver = clock.now >= PushYear.end
      if isOver, !plan.isCalm {
        plan.isCalm = true
        receiver.calm()
      }
      if !isOver { happen() }
      turn()
      if isOver, isDone { return check() }
      pass()
    }
    violations.append("the year did not end: at \(clock.now)")
  }

  private var isDone: Bool { store.outbox.isEmpty && store.held.isEmpty && broker.isEmpty }

  // MARK: Occasions

  private func happen() {
    remind()
    while let next = occasions.first, next.at <= clock.now {
      occasions.removeFirst()
      switch next.kind {
      case .owed(let job, let facts):
        self.facts.facts[job.id] = facts
        owe(job)
      case .changed(let player, let change):
        store.apply([BatchWrite.PlayerRow(player: player, change: change)], at: clock.now)
      }
    }
    remind()
  }

  /// Digests and reviews.
  private func remind() {
    let (now, before) = (clock.now, Set(store.outbox.keys))
    while store.remindByLocalTime(
      now, 100, { _ in QueueClock() },
      { [zones] in LocalPlan.round($0, now: now, zones: zones) }) > 0
    {}
    for (id, row) in store.outbox where !before.contains(id) { owed[id] = row.job }
  }

  /// Now and then a worker has sent a job, and the relay sends it once more.
  private func owe(_ job: PushJob) {
    store.owe([job])
    owed[job.id] = job
    guard random.happens(0.05) else { return }
    for message in PushJobMessage.messages(of: [job]) {
      broker.putPush(SimulatedBroker.Message(body: message.body, publishedAt: clock.now))
    }
  }

  // MARK: Roles

  private func turn() {
    if life?.isDead != false { beginLife() }
    relay()
    broker.advance()
    guard let life, let worker = life.worker else { return }
    do throws(Interruption) {
      try worker.step()
    } catch {
      if !life.isDead { worker.leave() }
      life.isDead = true
    }
    guard life.isDead else { return }
    broker.drop(life.connection)
    store.drop(life.session)
  }

  private func relay() {
    guard store.outbox.values.contains(where: { $0.lockedBy == nil }) || isHeldDue,
      let session = store.connect(), let connection = broker.connect()
    else { return }
    var settings = OutboxRelaySettings()
    settings.age = .zero
    let relay = OutboxRelay(
      store: store.relay(session), bus: broker.relay(connection), clock: clock.wallClock,
      settings: settings, log: log)
    // Jobs without a confirm stay in the outbox.
    _ = try? relay.step()
    broker.drop(connection)
    store.drop(session)
  }

  private func beginLife() {
    guard let session = store.connect(), let connection = broker.connect() else { return }
    lives += 1
    let life = Life(session, connection)
    life.worker = PushWorker(
      store: store(of: life), bus: broker.pushWorker(connection),
      providers: [provider.provider(hasParcelPerDevice: true)],
      exchange: receiver.exchange(whileQueued: broker.queuedJobs),
      plan: PushPolicy.plan(zones: zones, bug: bug), clock: clock.wallClock, log: log)
    self.life = life
  }

  /// The store of a push worker that may die just before it tells outcomes, and just after.
  private func store(of life: Life) -> PushStore {
    let raw = store.push(life.session)
    return raw.with { store in
      store.brief.answer { [unowned self] jobs in
        Dictionary(jobs.map { ($0.id, briefing(of: $0)) }) { $1 }
      }
      store.record.answer { [unowned self, unowned life] results throws(StoreError) in
        try meetFate(life)
        try raw.record(results)
        for outcome in results.outcomes { note(outcome) }
        try meetFate(life)
      }
    }
  }

  private func note(_ outcome: PushStore.Outcome) {
    let job = outcome.job
    switch outcome.fate {
    case .delivered:
      if job.kind.topic != nil, outcome.reason != .silent {
        facts.lastSound[job.player] = clock.now
        if job.kind.topic == .turn { facts.lastTurnSound[job.player] = clock.now }
      }
    case .dropped:
      if let details = facts.read[job.id] { receiver.check.drop(job, outcome.reason, details) }
    case .failed: break
    }
  }

  private func meetFate(_ life: Life) throws(StoreError) {
    if !plan.isCalm, random.happens(PushYear.mortality) { life.isDead = true }
    guard !life.isDead else { throw .unavailable("killed") }
  }

  private func briefing(of job: PushJob) -> PushStore.Briefing {
    let fate = store.deliveries[job.id]?.fate
    guard fate != .dropped else { return .handled }
    let facts = facts.facts[job.id] ?? Facts()
    if let answeredAt = facts.answeredAt, answeredAt <= clock.now {
      return fate == .delivered ? .handled : .stale(.answered)
    }
    let row = store.settingsRow(of: job.player)
    let last = self.facts.lastSentAt(before: job, at: clock.now)
    let details = PushStore.Details(
      devices: row.devices.map(\.device), waiting: .init(turns: 1), preferences: row.settings.push,
      expiresAt: facts.expiresAt, lastSentAt: last, lastTurnSentAt: last, readAt: clock.now)
    self.facts.read[job.id] = details
    return fate == .delivered ? .delivered(details) : .due(details)
  }

  // MARK: Time

  private var isHeldDue: Bool { store.held.values.contains { $0.held.until <= clock.now } }

  /// Lets the time pass until the next occasion.
  private func pass() {
    let now = clock.now
    var times = store.held.values.map(\.held.until)
    for delay in PushBus.RetryDelay.allCases {
      guard let next = broker.retries[delay]?.ready.first else { continue }
      times.append(next.arrivedAt.adding(seconds: Int64(delay.rawValue)))
    }
    if let arrival = receiver.nextArrival { times.append(arrival) }
    if now < PushYear.end {
      times.append(PushYear.end)
      if let next = occasions.first { times.append(next.at) }
      times += store.nextDigest.values
    }
    // Something is on its way, or in the hands of the push worker.
    let isBusy =
      !store.outbox.isEmpty || !broker.push.ready.isEmpty || !broker.transit.isEmpty
      || life?.isDead != false || isInHand
    let soon = now.adding(microseconds: 20_000)
    let next = isBusy ? soon : max(soon, times.min() ?? soon)
    clock.advance(microseconds: next.microseconds(since: now))
  }

  /// Whether the push worker has jobs that wait for no answer.
  private var isInHand: Bool {
    receiver.nextArrival == nil && broker.connections.values.contains { !$0.pushes.isEmpty }
  }
}
