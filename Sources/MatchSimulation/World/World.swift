import CubeLexicon
import Logging
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient

/// Everything in one run, on one thread. The seed decides the turns.
final class World {
  let options: Simulation.Options
  let random: SeededRandom
  let clock: VirtualClock
  let beginning: Instant
  let faults: FaultPlan
  let trace: Trace
  let store: SimulatedStore
  let broker: SimulatedBroker
  let provider: SimulatedProvider
  let receiver: SimulatedReceiver
  let zones = TimeZones.simulated
  /// The service's identity in the key file. A process keeps the one from its start.
  private(set) var identity: ServiceIdentity
  private let rootKey: Signer
  /// The time of the next renewal of the working key, if its certificate ends before the run does.
  private(set) var renewsAt: Instant?
  let lexicons = Lexicons(.everyWord)
  let layout: QueueLayout
  let senders = SenderLog()
  /// The limits of one player in this run.
  let limits: PlayerLimits
  private(set) var players: [SimulatedPlayer] = []
  /// Players with several devices.
  private(set) var owners: [DeviceOwner] = []
  /// The events of these players and of their thieves.
  let deviceEvents = SenderLog()
  private(set) lazy var hostile = HostileSender(self)
  private(set) var processes: [SimulatedProcess] = []
  /// Codes of open invitations that went from hand to hand.
  var codes: [ShareCode] = []
  /// The codes of games that were shared, as they go from hand to hand.
  var shares: [ShareCode] = []
  /// Registration codes. Empty if anybody may register.
  private(set) var registrationCodes: [ShareCode] = []
  /// The approximate number of a player's matches at once. The fewer there are, the more players
  /// get in each other's way.
  let matchLimit: Int
  var wishCount = 0
  /// The players' results, with the wish of each.
  var told: [(player: PlayerID, wish: Int, what: SimulatedPlayer.Told)] = []
  /// Events that players still make.
  var eventsLeft: Int
  var violations: [String] = []
  var order = OrderCheck()
  var clocks = ClockCheck()
  var deadlines = DeadlineCheck()
  var meetings = MeetingCheck()
  var devices = DeviceCheck()
  private(set) var turnCount = 0
  /// How long rows are kept.
  let retention: Retention
  private(set) var batches = BatchLog()
  private var depth = 0
  /// The factor by which more time than usual passes between two turns.
  var pace: Int64 = 1
  /// Decides the players' wishes about when notifications come. Nil: they have none in this run.
  let wishes: SeededRandom?
  /// Decides which owners of several devices leave, and how. Nil: nobody does in this run.
  let leaving: SeededRandom?
  private static let wishSeed: UInt64 = 0x7769_7368
  private static let leavingSeed: UInt64 = 0x6c65_6176
  private let log = Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }

  static let start = Instant(microseconds: 1_777_636_800_000_000)

  init?(seed: UInt64, options: Simulation.Options) {
    self.options = options
    random = SeededRandom(seed: seed)
    clock = VirtualClock(World.start.adding(seconds: Int64(random.below(86_400))))
    faults = FaultPlan(
      options.faults, only: options.onlyStrikes, clock: clock, random: random.fork())
    trace = Trace(clock: clock, capacity: options.traceLength)
    guard let layout = QueueLayout(queueCount: random.pick([1, 2, 3, 4, 4]) ?? 1),
      let (identity, rootKey) = World.identity(options, random)
    else { return nil }
    self.layout = layout
    self.identity = identity
    self.rootKey = rootKey
    store = SimulatedStore(clock: clock, random: random.fork())
    store.beginClocks(of: layout)
    beginning = clock.now
    store.certificates = identity.certificates
    var brokerLimits = SimulatedBroker.Limits()
    brokerLimits.prefetch = random.pick([1, 8, 256]) ?? 256
    let broker = SimulatedBroker(
      layout: layout, faults: faults, random: random.fork(), clock: clock, limits: brokerLimits)
    self.broker = broker
    provider = SimulatedProvider(bug: options.bug)
    // Random numbers of their own, so that runs without wishes and lies are as they were.
    let wishing = SeededRandom(seed: seed ^ World.wishSeed)
    receiver = SimulatedReceiver(
      of: provider, store: store, zones: zones, expiry: store.expiry,
      lastSentAt: { [store] job in
        store.lastSentAt(to: job.player, of: job.kind.topic == .turn ? .turn : nil)
      },
      isRepeated: { broker.repeatedJobs.contains($0) }, faults: faults,
      refusal: options.faults.contains(.pushRefused) ? 0.2 : 0, random: random.fork(),
      chance: wishing.fork())
    let isShort = !options.hasDevices && !options.passesWeeks
    wishes = wishing.happens(0.3) && isShort ? wishing : nil
    retention = options.passesWeeks ? .shortest : .standard
    let leaving = SeededRandom(seed: seed ^ World.leavingSeed)
    self.leaving = leaving.happens(0.5) && options.hasDevices ? leaving : nil
    limits =
      random.happens(0.3)
      ? PlayerLimits(
        eventsPerMinute: random.number(in: 6...60), openRequests: random.number(in: 1...2),
        runningMatches: random.number(in: 1...4)) : .none
    eventsLeft = options.eventCount
    matchLimit = random.pick([1, 1, 2, 3]) ?? 1
    senders.countsEvents = limits.eventsPerMinute != nil
    for number in 0..<random.number(in: 2...4) {
      players.append(SimulatedPlayer(number: number, world: self))
    }
    if random.happens(0.5) {
      players.append(
        SimulatedPlayer(number: players.count, world: self, sharing: random.pick(players)))
    }
    if random.happens(0.3) { registerByCode() }
    addProcesses()
    if options.hasDevices {
      for number in 0..<random.number(in: 1...2) {
        owners.append(DeviceOwner(number: number, world: self))
      }
    }
    receiver.onStrike = { [trace] in trace.note("push service", $0) }
    broker.wait = { [unowned self] limit, isDone in wait(until: limit, isDone) }
    store.afterCommit = { [unowned self] write in
      order.committed(write, self)
      clocks.committed(write, self)
      deadlines.committed(write, at: clock.now)
      meetings.committed(write, self)
      batches.committed(write, at: clock.now)
      if options.hasDevices { devices.committed(write, self) }
    }
    store.duringCommit = { [unowned self] _ in waitForDisk() }
  }

  private static func identity(
    _ options: Simulation.Options, _ random: SeededRandom
  ) -> (ServiceIdentity, root: Signer)? {
    let (root, working) = (signer(options, random), signer(options, random))
    guard let secret = ServiceSecret(bytes: random.randomness.bytes(32)) else { return nil }
    let service = ServiceID(rawValue: random.randomness.next128())
    let certificate = KeyCertificate(
      workingKey: working.publicKey, validFrom: start,
      validUntil: start.adding(seconds: 90 * 86_400), service: service, root: root)
    let identity = ServiceIdentity(
      service: service, rootKey: root.publicKey, certificates: [certificate], signer: working,
      secret: secret)
    return (identity, root)
  }

  static func signer(_ options: Simulation.Options, _ random: SeededRandom) -> Signer {
    options.usesEd25519
      ? PlayerKey.make(using: random.randomness).signer : KeyedHash.signer(random)
  }

  /// One code for each player.
  private func registerByCode() {
    store.needsCode = true
    for number in players.indices {
      guard let code = ShareCode("CODE\(number)") else { continue }
      store.registrationCodes[code] = .some(nil)
      registrationCodes.append(code)
    }
  }

  var verifier: SignatureVerifier { options.usesEd25519 ? .live : KeyedHash.verifier }

  private func addProcesses() {
    for number in 0..<(random.pick([1, 2, 2, 3, 3]) ?? 1) { addWorker(number) }
    for number in 0..<random.number(in: 1...2) { addScheduler(number) }
    processes.append(
      SimulatedProcess(name: "relay", world: self) { [unowned self] life in
        let store = store.relay(life.session)
        let isHasty = options.bug == .relayDeletesBeforeConfirm
        return OutboxRelay(
          store: life.reached(isHasty ? store.deletingBeforeConfirm : store),
          bus: life.reached(broker.relay(life.connection)), clock: clock.wallClock, log: log)
      })
    for number in 0..<random.number(in: 1...2) { addReader(number) }
    for number in 0..<random.number(in: 1...2) { addRater(number) }
    if random.happens(0.3) { addOperator() }
    if leaving != nil || options.passesWeeks { addHousekeeper() }
    processes.append(
      SimulatedProcess(name: "push", world: self) { [unowned self] life in
        var settings = PushWorkerSettings()
        // A run lasts for minutes.
        settings.delays = PushBus.RetryDelay.short
        return PushWorker(
          store: life.reached(store.push(life.session)),
          bus: life.reached(broker.pushWorker(life.connection)),
          providers: Device.Route.Service.allCases.map { provider.provider(of: $0) },
          exchange: receiver.exchange(whileQueued: broker.queuedJobs),
          plan: PushPolicy.plan(zones: zones, bug: options.bug),
          clock: clock.wallClock, settings: settings, log: log)
      })
  }

  private func addWorker(_ number: Int) {
    let batchLimit = random.number(in: 1...16)
    processes.append(
      SimulatedProcess(name: "worker \(number)", world: self) { [unowned self] life in
        var settings = TurnWorkerSettings()
        settings.batchLimit = batchLimit
        settings.limits = limits
        // Workers of a run live for seconds, and must meet.
        settings.proofSeconds = 0
        // Nobody listens to them here.
        settings.beatSeconds = nil
        let (store, bus) = (store.worker(life.session), broker.worker(life.connection))
        let bug = options.bug.map {
          BuggyWorker($0, world: self, connection: life.connection)
        }
        return TurnWorker(
          id: WorkerID(rawValue: random.randomness.next128()), identity: identity,
          layout: layout, lexicons: lexicons,
          store: life.worker(bug?.store(store) ?? store),
          bus: life.worker(bug?.bus(bus) ?? bus),
          clock: clock.wallClock, verifier: verifier, settings: settings, log: log)
      })
  }

  private func addReader(_ number: Int) {
    processes.append(
      SimulatedProcess(name: "reader \(number)", world: self) { [unowned self] life in
        let isBuggy = options.bug == .oldestMatchesOnly
        var settings = ReaderSettings()
        settings.retention = retention
        let bus = broker.reader(life.connection)
        return Reader(
          identity: identity, layout: layout, version: "simulation",
          store: life.reached(store.reader(life.session)),
          bus: life.reached(isBuggy ? bus.listingOldest : bus), clock: clock.wallClock,
          verifier: verifier, settings: settings, log: log)
      })
  }

  private func addRater(_ number: Int) {
    processes.append(
      SimulatedProcess(name: "rater \(number)", world: self) { [unowned self] life in
        Rater(
          store: life.reached(store.rater(life.session)), clock: clock.wallClock,
          settings: settings(ofRater: number), log: log)
      })
  }

  private func addOperator() {
    processes.append(
      SimulatedProcess(name: "operator", world: self) { [unowned self] life in
        SimulatedOperator(
          world: self, bus: life.scheduler(broker.scheduler(life.connection)),
          revoke: { [unowned self] key throws(StoreError) in
            try life.onWrite("revokes a key") { () throws(StoreError) in
              try store.checkWritable(life.session)
              return try store.revoke(key)
            }
          }, random: random.fork())
      })
  }

  private func addHousekeeper() {
    processes.append(
      SimulatedProcess(name: "housekeeper", world: self) { [unowned self] life in
        let raw = store.scheduler(life.session, keeping: retention)
        let isForgetful = options.bug == .devicesLeft
        // Nobody asks a simulated role whether it works.
        var settings = HousekeeperSettings()
        settings.lookSeconds = nil
        return Housekeeper(
          store: life.reached(isForgetful ? store.leavingDevices(raw) : raw),
          clock: clock.wallClock, settings: settings, log: log)
      })
  }

  /// One match at a time, or several.
  private func settings(ofRater number: Int) -> RaterSettings {
    var settings = RaterSettings()
    settings.limit = number == 0 ? 1 : 3
    return settings
  }

  private func addScheduler(_ number: Int) {
    processes.append(
      SimulatedProcess(name: "scheduler \(number)", world: self) { [unowned self] life in
        Scheduler(
          identity: identity, layout: layout,
          store: life.reached(store.scheduler(life.session)),
          bus: life.scheduler(broker.scheduler(life.connection)), clock: clock.wallClock,
          randomness: random.randomness, log: log)
      })
    processes.append(
      SimulatedProcess(name: "steward \(number)", world: self) { [unowned self] life in
        Steward(
          identity: identity, layout: layout, lexicons: lexicons, zones: zones,
          store: life.reached(store.scheduler(life.session, leading: .steward)),
          bus: life.scheduler(broker.scheduler(life.connection)), clock: clock.wallClock,
          randomness: random.randomness, log: log)
      })
  }

  // MARK: Turns

  /// Lets a moment pass and somebody do something.
  func turn() {
    turnCount += 1
    clock.advance(microseconds: Int64(random.below(15_000)) * pace)
    broker.advance()
    if faults.strikes(.clockJump) { jump() }
    changeKeys()
    let who = random.below(players.count + processes.count + owners.count)
    let process = who - players.count
    if who < players.count {
      players[who].turn()
    } else if process < processes.count {
      processes[process].turn()
    } else {
      owners[process - processes.count].turn()
    }
  }

  /// The most processes that may stand still in the middle of something at once. Each is a call
  /// within a call.
  private static let depthLimit = 3
  /// The pace at which hours pass. Every process still has its turn every few seconds.
  static let restingPace: Int64 = 20
  /// The approximate number of others' turns in one wait.
  private static let turnsPerWait: Int64 = 80

  /// Lets the others go on until a time has come or something has happened.
  func wait(until limit: Instant, _ isDone: () -> Bool) {
    guard depth < World.depthLimit, clock.now < limit, !isDone() else { return }
    depth += 1
    let outer = pace
    pace = max(1, limit.microseconds(since: clock.now) / (World.turnsPerWait * 7_500))
    while clock.now < limit, !isDone() { turn() }
    pace = outer
    depth -= 1
  }

  /// From a moment to some seconds, µs; short ones are more frequent.
  var shortWhile: Int64 {
    let longest = random.pick([50_000, 500_000, 500_000, 5_000_000]) ?? 50_000
    return Int64(random.number(in: 1_000...longest))
  }

  /// Lets the others go on while a process stands still. The broker gives up a process without a
  /// sign of life for long. In the middle of a transaction the store does so too.
  func pause(_ life: FaultInjector) {
    let isLong = random.happens(0.2)
    let time = isLong ? Int64(random.number(in: 10_000_000...35_000_000)) : shortWhile
    trace.note(life.name, "stands still")
    wait(until: clock.now.adding(microseconds: time)) { false }
    if time > World.heartbeatPatience {
      broker.cut(life.connection)
      broker.breakOutlet(of: life.connection)
      if random.happens(0.5) { store.drop(life.session) }
    }
    trace.note(life.name, "goes on")
  }

  /// The time that the broker waits for a sign of life, µs.
  private static let heartbeatPatience: Int64 = 20_000_000

  /// The time that a server is gone, µs.
  private var aWhile: Int64 { Int64(random.number(in: 10_000...8_000_000)) }

  /// Strikes the broker and the store with faults.
  func strikeServers() {
    if faults.strikes(.brokerRestart) {
      trace.note("broker", "restarts")
      broker.restart(downFor: aWhile)
    }
    if faults.begins(.brokerAlarm) {
      trace.note("broker", "raises an alarm")
      broker.raiseAlarm(for: 2 * aWhile)
    }
    if faults.begins(.queueFull) {
      trace.note("broker", "has a full queue")
      broker.fillQueue(for: 2 * aWhile)
    }
    if faults.strikes(.storeRestart) {
      trace.note("store", "restarts")
      store.restart(downFor: aWhile)
    }
    if faults.strikes(.storeFailover) {
      trace.note("store", "fails over")
      store.failOver(downFor: aWhile)
    }
  }

  /// If the fault strikes, takes a working key with a certificate that ends soon. Renews it around
  /// that time.
  private func changeKeys() {
    if let time = renewsAt, clock.now >= time {
      renewsAt = nil
      trace.note("operator", "renews the working key")
      return renewKey(validFor: 90 * 86_400_000_000)
    }
    guard renewsAt == nil, faults.strikes(.keyEnds) else { return }
    trace.note("operator", "takes a working key that ends soon")
    let time = random.number(in: 1_000_000...10_000_000)
    renewKey(validFor: Int64(time))
    let late = random.number(in: -1_000_000...8_000_000)
    renewsAt = clock.now.adding(microseconds: Int64(time + late))
  }

  /// Takes a new working key, as `cubistd setup --renew` does.
  private func renewKey(validFor microseconds: Int64) {
    identity.signer = World.signer(options, random)
    identity.certificates.append(
      KeyCertificate(
        workingKey: identity.signer.publicKey, validFrom: store.now.adding(seconds: -3_600),
        validUntil: store.now.adding(microseconds: microseconds), service: identity.service,
        root: rootKey))
    store.certificates = identity.certificates
  }

  private func waitForDisk() {
    guard faults.strikes(.slowDisk) else { return }
    trace.note("store", "has a slow disk")
    let time = random.happens(0.2) ? Int64(random.number(in: 5_000_000...15_000_000)) : shortWhile
    wait(until: clock.now.adding(microseconds: time)) { false }
  }

  private func jump() {
    switch random.below(3) {
    case 0:
      trace.note("clock", "jumps")
      clock.advance(microseconds: Int64(random.number(in: 1_000_000...20_000_000)))
    case 1:
      trace.note("store", "sets its clock forth")
      store.setClock(by: Int64(random.number(in: 1_000...20_000_000)))
    default:
      trace.note("store", "sets its clock back")
      store.setClock(by: -Int64(random.number(in: 1_000...20_000_000)))
    }
  }

  /// An event as its sender signed it, honest or hostile. Nil if that player never signed it.
  func signed(_ key: EventKey) -> SenderLog.Sent? {
    senders.event(key) ?? hostile.accounts.log.event(key) ?? deviceEvents.event(key)
  }

  /// Checks that every confirmed event has a stored reply or still exists somewhere, at any time.
  func checkConfirmed() {
    for sent in senders.lost(store: store, broker: broker) {
      let text = "event \(sent.key.event) was confirmed to its sender and is gone"
      if !violations.contains(text) { violations.append(text) }
    }
  }
}
