import CubeLexicon
import Logging
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire

/// All that there is in one run, on one thread: whose turn it is the seed decides.
final class World {
  let options: Simulation.Options
  let random: SeededRandom
  let clock: VirtualClock
  let faults: FaultPlan
  let trace: Trace
  let store: SimulatedStore
  let broker: SimulatedBroker
  let provider: SimulatedProvider
  let identity: ServiceIdentity
  let lexicons = Lexicons(.everyWord)
  let layout: QueueLayout
  let senders = SenderLog()
  private(set) var players: [SimulatedPlayer] = []
  private(set) var processes: [SimulatedProcess] = []
  /// Codes of open invitations that went from hand to hand.
  var codes: [(code: ShareCode, match: MatchID)] = []
  /// Events that players still make.
  var eventsLeft: Int
  var violations: [String] = []
  private var pauses = 0
  private let log = Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }

  static let start = Instant(microseconds: 1_777_636_800_000_000)

  init?(seed: UInt64, options: Simulation.Options) {
    self.options = options
    random = SeededRandom(seed: seed)
    clock = VirtualClock(World.start.adding(seconds: Int64(random.below(86_400))))
    faults = FaultPlan(options.faults, random: random.fork())
    trace = Trace(clock: clock, capacity: options.traceLength)
    guard let layout = QueueLayout(queueCount: random.pick([1, 2, 3, 4, 4]) ?? 1),
      let identity = World.identity(options, random)
    else { return nil }
    self.layout = layout
    self.identity = identity
    store = SimulatedStore(clock: clock)
    store.ignoresVersions = options.bug == .noVersionGuard
    broker = SimulatedBroker(layout: layout, faults: faults, random: random.fork(), clock: clock)
    provider = SimulatedProvider(
      refusal: options.faults.contains(.pushRefused) ? 0.2 : 0, random: random.fork())
    eventsLeft = options.eventCount
    for number in 0..<random.number(in: 2...4) {
      guard let signer = World.signer(options, random) else { return nil }
      players.append(SimulatedPlayer(number: number, signer: signer, world: self))
    }
    addProcesses()
  }

  private static func identity(
    _ options: Simulation.Options, _ random: SeededRandom
  ) -> ServiceIdentity? {
    guard let root = signer(options, random), let working = signer(options, random),
      let secret = ServiceSecret(bytes: random.randomness.bytes(32))
    else { return nil }
    let service = ServiceID(rawValue: random.randomness.next128())
    let certificate = KeyCertificate(
      workingKey: working.publicKey, validFrom: start,
      validUntil: start.adding(seconds: 90 * 86_400), service: service, root: root)
    return ServiceIdentity(
      service: service, rootKey: root.publicKey, certificates: [certificate], signer: working,
      secret: secret)
  }

  private static func signer(_ options: Simulation.Options, _ random: SeededRandom) -> Signer? {
    options.usesEd25519
      ? Signer.ed25519(seed: random.randomness.bytes(32)) : KeyedHash.signer(random)
  }

  var verifier: SignatureVerifier { options.usesEd25519 ? .live : KeyedHash.verifier }

  private func addProcesses() {
    for number in 0..<(random.pick([1, 2, 2, 3, 3]) ?? 1) { addWorker(number) }
    for number in 0..<random.number(in: 1...2) { addScheduler(number) }
    processes.append(
      SimulatedProcess(name: "relay", world: self) { [unowned self] life in
        OutboxRelay(
          store: life.relay(store.relay(life.session), options.bug),
          bus: life.relay(broker.relay(life.connection)), clock: clock.wallClock, log: log)
      })
    processes.append(
      SimulatedProcess(name: "push", world: self) { [unowned self] life in
        PushWorker(
          store: life.push(store.push(life.session)),
          bus: life.push(broker.pushWorker(life.connection)), sender: provider.sender, log: log)
      })
  }

  private func addWorker(_ number: Int) {
    let batchLimit = random.number(in: 1...16)
    processes.append(
      SimulatedProcess(name: "worker \(number)", world: self) { [unowned self] life in
        var settings = TurnWorkerSettings()
        settings.batchLimit = batchLimit
        return TurnWorker(
          id: WorkerID(rawValue: random.randomness.next128()), identity: identity,
          layout: layout, lexicons: lexicons,
          store: life.worker(store.worker(life.session), options.bug),
          bus: life.worker(broker.worker(life.connection), options.bug),
          clock: clock.wallClock, verifier: verifier, settings: settings, log: log)
      })
  }

  private func addScheduler(_ number: Int) {
    processes.append(
      SimulatedProcess(name: "scheduler \(number)", world: self) { [unowned self] life in
        Scheduler(
          identity: identity, layout: layout, lexicons: lexicons,
          store: life.scheduler(store.scheduler(life.session)),
          bus: life.scheduler(broker.scheduler(life.connection)), clock: clock.wallClock,
          randomness: random.randomness, log: log)
      })
  }

  // MARK: Turns

  /// Lets a moment pass and somebody do something.
  func turn() {
    clock.advance(microseconds: Int64(random.below(15_000)))
    if faults.strikes(.clockJump) {
      trace.note("clock", "jumps")
      clock.advance(microseconds: Int64(random.number(in: 1_000_000...20_000_000)))
    }
    let who = random.below(players.count + processes.count)
    if who < players.count { players[who].turn() } else { processes[who - players.count].turn() }
  }

  /// Lets the others go on while a process stands still, its connection given up or not.
  func pause(_ life: Life) {
    guard pauses < 2 else { return }
    pauses += 1
    trace.note(life.name, "stands still")
    if random.happens(0.5) { broker.drop(life.connection) }
    for _ in 0..<random.number(in: 1...60) { turn() }
    trace.note(life.name, "goes on")
    pauses -= 1
  }

  /// What was confirmed to a sender has a stored reply or is still somewhere, at any time.
  func checkConfirmed() {
    for sent in senders.lost(store: store, broker: broker) {
      let text = "event \(sent.key.event) was confirmed to its sender and is gone"
      if !violations.contains(text) { violations.append(text) }
    }
  }
}
