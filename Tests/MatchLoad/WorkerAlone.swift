import CubistBasics
import Glibc
import Logging
import MatchCore
package import MatchInterfaces
import MatchService
import MatchWire
import Synchronization

/// A turn worker's own work: its loop over a store and a bus in memory that only hold data, with
/// matches that wait for a turn. No libpq, no librabbitmq, no servers, no noise of the network. All
/// its time is one moment and all its randomness has a seed. So the counts are the same in each run
/// where hashes are (`SWIFT_DETERMINISTIC_HASHING`).
package final class WorkerAlone {
  private var worker: TurnWorker?
  private let identity: ServiceIdentity
  private let layout = QueueLayout.standard
  /// The time of everything.
  private let now = Instant(microseconds: 1_780_000_000_000_000)
  private var random = SplitMix64(state: 5)
  private var players: [LoadPlayer] = []
  private var matches: [PreparedMatch] = []
  // The store's contents.
  private var owners: [PublicKey: KeyOwner] = [:]
  private var states: [MatchID: Match] = [:]
  // The bus's contents.
  private var arriving: [EventDelivery] = []
  private var replies: [[UInt8]] = []
  private var jobs: [PushJobID] = []
  private var tag: UInt64 = 0

  /// Makes a worker, and so many matches that are ready to be played.
  ///
  /// - Parameter verifier: `.live`, or `.noop` for one that believes every signature.
  /// - Throws: ``LoadFailure`` where the worker refuses an event.
  package init(matches: Int, verifier: SignatureVerifier) throws {
    identity = try ServiceKeyFile.create(now: now, randomness: .seeded(6)).keys.identity()
    let now = now
    let clock = WallClock(now: { now }, uptimeNanoseconds: { 0 }, sleep: { _ in })
    worker = TurnWorker(
      id: WorkerID(rawValue: 1), identity: identity, layout: layout, lexicons: .standard,
      store: store, bus: bus, clock: clock, verifier: verifier,
      log: Logger(label: "load") { _ in
        var log = SwiftLogNoOpLogHandler()
        log.logLevel = .info
        return log
      })
    try deal(matches)
  }

  private var store: WorkerStore {
    var store = WorkerStore.noop
    store.lookUp.answer { [unowned self] lookup in
      var found = LookupResult(now: now)
      for key in lookup.keys { found.keys[key] = owners[key] }
      for match in lookup.matches { found.matches[match] = states[match] }
      let known = Set(players.map(\.id))
      found.players = known.intersection(lookup.players)
      return found
    }
    store.commit.answer { [unowned self] write in
      for change in write.changes { states[change.after.id] = change.after }
      for one in write.registrations {
        owners[one.key] = KeyOwner(player: one.player, name: one.name)
      }
    }
    return store
  }

  private var bus: WorkerBus {
    var bus = WorkerBus.noop
    bus.receive.answer { [unowned self] limit, _ in
      defer { arriving.removeFirst(min(limit, arriving.count)) }
      return Array(arriving.prefix(limit))
    }
    bus.publish.answer { [unowned self] outgoing in
      for one in outgoing {
        switch one {
        case .reply(_, _, let body): replies.append(body)
        case .push(let job): jobs.append(job.id)
        case .outcome: break
        }
      }
    }
    bus.confirmed.answer { [unowned self] in
      defer { jobs = [] }
      return jobs
    }
    return bus
  }

  /// Hands events to the worker and gives their replies in order.
  ///
  /// - Parameter work: Has the worker process everything that has arrived.
  private func exchange(
    _ events: [SentEvent], work: (TurnWorker, () -> Bool) throws -> Void = work
  ) throws -> [Acceptance] {
    let deliveries = try events.map { sent in
      tag += 1
      guard let slot = Slot(of: sent.event) else { throw LoadFailure("an event without a slot") }
      return EventDelivery(
        queue: layout.queue(of: slot), tag: tag, body: try sent.envelope(),
        replyTo: "amq.rabbitmq.reply-to.load.\(tag)", correlationID: "\(tag)")
    }
    replies = []
    arriving = deliveries
    if let worker { try work(worker) { !arriving.isEmpty } }
    let acceptances = try replies.map { bytes -> Acceptance in
      guard case .accepted(let acceptance) = try ReplyCodec.decode(bytes).reply else {
        throw LoadFailure("refused: \(String(decoding: bytes, as: UTF8.self))")
      }
      return acceptance
    }
    guard acceptances.count == events.count else { throw LoadFailure("replies are missing") }
    return acceptances
  }

  private func deal(_ count: Int) throws {
    players = try (0..<(2 * count)).map { try LoadPlayer(name: "own\($0)", &random) }
    _ = try exchange(players.map { $0.registration(with: identity.service, at: now, &random) })
    let pairs = (0..<count).map { [players[2 * $0], players[2 * $0 + 1]] }
    let asked = try exchange(
      pairs.map { pair in
        let request = MatchRequest(opponent: .player(pair[1].id), turnLimitSeconds: 86_400)
        return pair[0].event(of: identity.service, .matchRequested(request), at: now, &random)
      })
    let ids = try asked.map { acceptance -> MatchID in
      guard case .matchStarted(let ticket) = acceptance else { throw LoadFailure("no match") }
      return ticket.match
    }
    let joined = try exchange(
      zip(ids, pairs).map { id, pair in
        pair[1].event(
          of: identity.service, .invitationAccepted(id, code: nil), at: now, &random)
      })
    for (acceptance, pair) in zip(joined, pairs) {
      guard case .matchJoined(let ticket) = acceptance else { throw LoadFailure("no match") }
      matches.append(try PreparedMatch(ticket, players: pair, seed: random.next()))
    }
  }

  /// The worker's cost of turns.
  package struct Figures: Sendable {
    /// How many turns.
    package var turns: Int
    /// Processor time of a turn, in microseconds.
    package var microseconds: Double
    /// Allocations of a turn; nil where the library `counting` is not preloaded.
    package var allocations: Double?
  }

  /// Plays so many turns of every match that is not over.
  ///
  /// - Throws: ``LoadFailure`` where a turn is not accepted.
  package func play(turns: Int) throws -> Figures {
    var sum = WorkCost()
    var count = 0
    for _ in 0..<turns {
      let playing = matches.indices.filter { !matches[$0].isOver }
      let turns = playing.map { matches[$0].nextTurn(of: identity.service, at: now, &random) }
      let acceptances = try exchange(turns) { worker, hasMore in
        let before = WorkCost.now()
        try workersTurns(worker, while: hasMore)
        sum.add(WorkCost.now().since(before))
      }
      count += playing.count
      for (index, acceptance) in zip(playing, acceptances) {
        guard case .turnAccepted(let receipt) = acceptance else { throw LoadFailure("no turn") }
        matches[index].took(receipt)
      }
    }
    let each = 1 / Double(count)
    return Figures(
      turns: count, microseconds: Double(sum.nanoseconds) * each / 1_000,
      allocations: sum.allocations.map { Double($0) * each })
  }
}

extension Randomness {
  /// Numbers that are the same for the same seed.
  fileprivate static func seeded(_ seed: UInt64) -> Randomness {
    let random = Mutex(SplitMix64(state: seed))
    return Randomness { random.withLock { $0.next() } }
  }
}

private func work(_ worker: TurnWorker, while hasMore: () -> Bool) throws {
  while hasMore() { try worker.step() }
}

/// The worker's work on turns. A function of its own, for ``Callgrind/counted``.
@inline(never)
func workersTurns(_ worker: TurnWorker, while hasMore: () -> Bool) throws {
  try work(worker, while: hasMore)
}

/// Processor time of this thread, and allocations where the counting library is preloaded.
private struct WorkCost {
  var nanoseconds: UInt64 = 0
  var allocations: UInt64?

  static func now() -> WorkCost {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return WorkCost(
      nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec),
      allocations: Allocations.now())
  }

  func since(_ earlier: WorkCost) -> WorkCost {
    WorkCost(
      nanoseconds: nanoseconds - earlier.nanoseconds,
      allocations: allocations.map { $0 - (earlier.allocations ?? 0) })
  }

  mutating func add(_ other: WorkCost) {
    nanoseconds += other.nanoseconds
    if let more = other.allocations { allocations = (allocations ?? 0) + more }
  }
}
