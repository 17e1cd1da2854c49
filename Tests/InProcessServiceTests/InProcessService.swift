import CubeLexicon
import Logging
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import Testing
import TestedService

@testable import MatchSimulation

/// A whole service without a socket: the shipped roles over the simulated broker and store, which the
/// conformance suites hold to the real ones. Waiting for anything moves all of them on, on a clock of
/// their own. Confined to one thread.
final class InProcessService: TestedService {
  struct Options {
    var workers = 1
    /// The others; a scheduler brings its steward.
    var roles: [RoleName] = [.reader, .relay, .push]
    /// Any letters that touch are a word: dealing and judging take no time.
    var lexicons = Lexicons(.everyWord)
    var limits = PlayerLimits.none
    var reservedNames = ReservedNames.none
  }

  let identity: ServiceIdentity
  let lexicons: Lexicons
  let layout: QueueLayout
  let pushes = PushRecorder()
  let isShared = false
  let store: SimulatedStore
  private let time = VirtualClock(WallClock.live.now())
  private let broker: SimulatedBroker
  private let limits: PlayerLimits
  private let reservedNames: ReservedNames
  private var running: [(role: RoleName, step: any Role)] = []
  private var workerCount = 0

  /// One move of the service.
  private static let moment: Int64 = 20_000
  /// How long anything is waited for, in the service's time.
  private static let patience: Int64 = 600

  init(_ options: Options = Options()) throws {
    lexicons = options.lexicons
    limits = options.limits
    reservedNames = options.reservedNames
    layout = try #require(QueueLayout(queueCount: 4))
    identity = try ServiceKeyFile.create(now: time.now, randomness: .live).keys.identity()
    let random = SeededRandom(seed: 1)
    store = SimulatedStore(clock: time)
    store.beginClocks(of: layout)
    store.certificates = identity.certificates
    broker = SimulatedBroker(
      layout: layout, faults: FaultPlan([], random: random), random: random, clock: time)
    for _ in 0..<options.workers { try start(.worker) }
    for role in options.roles { try start(role) }
  }

  // MARK: Roles

  /// Starts a role, and with a scheduler its steward.
  func start(_ role: RoleName) throws {
    let log = Logger(label: "InProcessService") { _ in SwiftLogNoOpLogHandler() }
    let (session, connection) = try (#require(store.connect()), #require(broker.connect()))
    let started: any Role
    switch role {
    case .worker:
      workerCount += 1
      var settings = TurnWorkerSettings()
      settings.limits = limits
      settings.reservedNames = reservedNames
      settings.heartbeatSeconds = 0.25
      settings.proofSeconds = 0
      settings.beatSeconds = nil
      started = TurnWorker(
        id: WorkerID(rawValue: UInt128(workerCount)), identity: identity, layout: layout,
        lexicons: lexicons, store: store.worker(session), bus: broker.worker(connection),
        clock: rolesClock, verifier: .live, settings: settings, log: log)
    case .reader:
      var settings = ReaderSettings()
      settings.limits = limits
      started = Reader(
        identity: identity, layout: layout, version: Release.number, store: store.reader(session),
        bus: broker.reader(connection), clock: rolesClock, verifier: .live, settings: settings,
        log: log)
    case .relay:
      started = OutboxRelay(
        store: store.relay(session), bus: broker.relay(connection), clock: rolesClock, log: log)
    case .push:
      started = PushWorker(
        store: store.push(session), bus: broker.pushWorker(connection),
        providers: pushes.providers, exchange: .none, clock: rolesClock, log: log)
    case .scheduler:
      started = Scheduler(
        identity: identity, layout: layout, store: store.scheduler(session),
        bus: broker.scheduler(connection), clock: rolesClock, randomness: .live, log: log)
    case .steward:
      started = Steward(
        identity: identity, layout: layout, lexicons: lexicons,
        store: store.scheduler(session, leading: .steward), bus: broker.scheduler(connection),
        clock: rolesClock, randomness: .live, log: log)
    case .rater: started = Rater(store: store.rater(session), clock: rolesClock, log: log)
    case .gateway: throw LabFailure("players of this service need no gateway")
    }
    running.append((role, started))
    if role == .scheduler { try start(.steward) }
  }

  /// Has all of a role leave in good order.
  func stop(_ role: RoleName) {
    for stopped in running where stopped.role == role { stopped.step.leave() }
    running.removeAll { $0.role == role }
  }

  /// The roles never wait by themselves: they are asked again a moment later.
  private var rolesClock: WallClock { time.wallClock }

  /// Lets a moment pass, and each role do a step.
  func moveOn(_ microseconds: Int64 = moment) {
    time.advance(microseconds: microseconds)
    broker.advance()
    for role in running {
      #expect(throws: Never.self) { try role.step.step() }
    }
  }

  // MARK: What tests ask

  var clock: WallClock {
    let (time, handle) = (time, Handle(service: self))
    return WallClock(
      now: { time.now }, uptimeNanoseconds: time.wallClock.uptimeNanoseconds,
      sleep: { handle.service.pass($0) })
  }

  /// A service passed to a closure that may be sent elsewhere, but is not.
  // SAFETY: players and service are confined to the test's thread.
  private struct Handle: @unchecked Sendable {
    unowned let service: InProcessService
  }

  /// Lets some time pass, in steps of so many microseconds.
  func pass(_ duration: Duration, step: Int64 = moment) {
    let end = time.now.adding(microseconds: Int64(duration / .microseconds(1)))
    while time.now < end { moveOn(step) }
  }

  func wait(for what: String, _ isSo: () throws -> Bool) throws {
    let end = time.now.adding(seconds: InProcessService.patience)
    while try !isSo() {
      guard time.now < end else { throw LabFailure("still not so: \(what)") }
      moveOn()
    }
  }

  func client(_ name: String) throws -> Player { try client(name, profile: ProfileMemory()) }

  /// The shipped player, with a profile.
  func client(_ name: String, profile: ProfileMemory) throws -> Player {
    let player = try Player.open(
      profile.store, bus: bus(), clock: clock, randomness: .live, makingKey: true)
    if player.profile.name == nil { try player.register(#require(PlayerName(name))) }
    return player
  }

  func player(_ name: String) throws -> LabPlayer {
    let player = try stranger(name)
    try player.must(.playerRegistered(name: player.name, code: nil))
    return player
  }

  /// A player who is not registered, or a further device of one.
  func stranger(_ name: String, key: PlayerKey = .make(using: .live)) throws -> LabPlayer {
    try LabPlayer(name, key: key, service: identity.service, clock: clock, bus: bus())
  }

  private func bus() throws -> PlayerBus {
    let link = try #require(broker.openLink())
    var lastRequest = 0
    return .failing.with {
      $0.request.answer { [self] message, timeout throws(BusError) in
        lastRequest += 1
        let id = "\(lastRequest)"
        let end = time.now.adding(microseconds: Int64(timeout / .microseconds(1)))
        guard
          try broker.publish(message, correlationID: id, timeout: timeout, over: link)
        else { return .unknown }
        while time.now < end, !link.hasWord(on: id, at: time.now) { moveOn() }
        return try broker.collect(link).answer(to: id)
      }
      $0.close.answer { [self] in broker.drop(link) }
    }
  }

  func looking<Result>(_ body: (CheckStore) throws -> Result) throws -> Result {
    try body(store.check)
  }

  func publish(_ messages: [(slot: Slot, body: [UInt8])]) throws {
    let connection = try #require(broker.connect())
    defer { broker.drop(connection) }
    let bus = broker.scheduler(connection)
    for message in messages { try bus.publish([message]) }
  }

  func inOneBatch(_ messages: [(slot: Slot, body: [UInt8])]) throws {
    stop(.worker)
    try publish(messages)
    try start(.worker)
    pass(.seconds(1))
  }

  func jobs() throws -> [StoredJob] {
    try wait(for: "every push job has its fate") {
      try broker.queuedJobs.isEmpty
        && store.check.jobs(nil, 100_000).allSatisfy { !$0.isOwed && $0.fate != nil }
    }
    return try store.check.jobs(nil, 100_000)
  }

  func violations() throws -> [Violation] {
    if running.contains(where: { $0.role == .push }) { _ = try jobs() }
    var check = StoreCheck(
      store.check, identity: identity, lexicons: lexicons, jobsAreComplete: true)
    return try check.run()
  }
}
