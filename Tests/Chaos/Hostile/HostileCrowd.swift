import CubistBasics
import EventBusLive
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import Synchronization

/// Hostile players: some have registered, some use unknown keys. They send everything a player can
/// send while everybody else plays.
final class HostileCrowd: Sendable {
  /// Accounts that play and ask, and accounts that only meddle in matches of others.
  static let (accountCount, bystanderCount) = (16, 4)
  /// Connections that attack at the same time.
  private static let threadCount = 2
  /// Messages per second and connection, on the average. A burst goes as fast as it can.
  private static let rate = 80.0
  /// Players without an answer for this time wait for one: there are too many attacks, or a fault.
  private static let lateNanoseconds: UInt64 = 6_000_000_000
  /// How often an attack is tried that does not reach the broker.
  private static let attempts = 20

  let log = HostileLog()
  private let threads = ThreadCrew()
  private let stop = StopSignal()
  private let failure = Mutex<String?>(nil)
  /// One for all connections: every kind has its turn soon.
  private let plan = Mutex<AttackPlan?>(nil)

  /// Why one of them could not go on; nil as long as all can.
  var failureText: String? { failure.withLock { $0 } }
  /// How many accounts they have.
  var count: Int { Self.accountCount + Self.bystanderCount }

  /// Registers accounts and begins to attack.
  func start(seed: UInt64, url: String, against crowd: Crowd, layout: QueueLayout) {
    plan.withLock { $0 = AttackPlan(seed: seed) }
    threads.start { [self] in
      do {
        let world = try register(seed: seed, url: url, against: crowd, layout: layout)
        for number in 0..<Self.threadCount {
          // Nested headers are written by nested calls, which need a large stack.
          threads.start(stack: 64) { [self] in
            do {
              try attack(
                world, url: url, watch: crowd.watch, seed: seed &+ UInt64(number) &* 104_729)
            } catch {
              failure.withLock { $0 = $0 ?? "a hostile player: \(error)" }
            }
          }
        }
      } catch {
        failure.withLock { $0 = $0 ?? "a hostile player: \(error)" }
      }
    }
  }

  /// Lets all of them end, once every attack was sent: on a busy machine a short run may be too
  /// short for that.
  func leave(atMost limit: Duration) throws {
    // An attack that was never sent becomes a finding.
    try? waitUntil("every attack was sent", atMost: limit) {
      failureText != nil || log.counts.count == AttackKind.allCases.count
    }
    stop.ask()
    try waitUntil("the hostile players have stopped", atMost: limit) { threads.count == 0 }
  }

  // MARK: Registering

  private func register(
    seed: UInt64, url: String, against crowd: Crowd, layout: QueueLayout
  ) throws -> HostileMind.World {
    var random = SplitMix64(state: seed ^ 0xbad)
    let keys = (0..<count).compactMap { _ in PlayerKey(seed: Signer.seed(using: &random)) }
    guard let service = crowd.log.all.first?.event.service else {
      throw ChaosFailure("nobody has registered before")
    }
    let bus = PlayerBus.live(try BrokerAddress(url: url), clock: .live, log: Agent.log)
    defer { bus.close() }
    for (number, key) in keys.enumerated() {
      guard let name = PlayerName("hostile-\(number)") else { continue }
      let event = Event(
        service: service, id: EventID(at: WallClock.live.now(), random: UInt128(random.next())),
        player: key.player, action: .playerRegistered(name: name, code: nil))
      log.signed(EventKey(player: event.player, event: event.id))
      try register(event, key, over: bus)
    }
    return HostileMind.World(
      service: service, accounts: Array(keys.prefix(Self.accountCount)),
      bystanders: Array(keys.dropFirst(Self.accountCount)), victims: crowd.players,
      honest: crowd.log, layout: layout, log: log)
  }

  /// Sends a registration until it is answered, whichever faults are on.
  private func register(_ event: Event, _ key: PlayerKey, over bus: PlayerBus) throws {
    guard let slot = Slot(of: event) else { return }
    let message = PlayerMessage(
      destination: .events(slot), body: Envelope.encode(try key.signer.sign(event)))
    while !stop.isAsked {
      if case .reply(let bytes)? = try? bus.request(message, .seconds(3)),
        case .accepted? = (try? ReplyCodec.decode(bytes))?.reply
      {
        return
      }
      pauseThread(0.1)
    }
  }

  // MARK: Attacking

  private func attack(
    _ world: HostileMind.World, url: String, watch: AnswerWatch, seed: UInt64
  ) throws {
    var mind = HostileMind(world, seed: seed &+ 1)
    let link = try HostileLink(url: url) { [log] in Self.judge($0, $1, log) }
    defer { link.close() }
    while !stop.isAsked, let (kind, seed) = plan.withLock({ $0?.next() }) {
      mind.random = SplitMix64(state: seed)
      // A server may be down: messages that have not been sent are tried again.
      for _ in 0..<Self.attempts where !stop.isAsked {
        let messages = mind.messages(kind)
        let hasArrived =
          kind == .forbiddenQueue
          ? link.consume(Names().events(queue: 0))
          : link.send(kind, messages, isDeaf: kind == .deafAsker)
        if hasArrived { log.note(kind, messages: messages.count) }
        link.listen()
        rest(Double(max(messages.count, 3)) / Self.rate)
        // More than a slow machine can judge would prove nothing.
        rest(1) { watch.isAnswering(since: uptime() &- Self.lateNanoseconds) }
        if hasArrived { break }
      }
    }
    link.listen()
  }

  /// Waits, until something is so if that comes first.
  private func rest(_ seconds: Double, until isSo: () -> Bool = { false }) {
    let end = uptime() + UInt64(seconds * 1_000_000_000)
    while uptime() < end, !stop.isAsked, !isSo() { pauseThread(0.02) }
  }

  /// Checks whether a forbidden request was granted.
  private static func judge(_ kind: AttackKind, _ answer: [UInt8], _ log: HostileLog) {
    guard kind.isNeverGranted else { return }
    struct Anything: Decodable, Sendable {}
    if case .accepted? = (try? ReplyCodec.decode(answer))?.reply {
      log.note(granted: kind, answer)
    } else if case .ok? = (try? AnswerCodec.decode(answer, as: Anything.self))?.answer {
      log.note(granted: kind, answer)
    }
  }
}
