import ArgumentParser
import Foundation
import Glibc
import Logging
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire

/// A turn worker's own work: its loop over a store and a bus in memory that do nothing but hold
/// what they are told. No libpq, no librabbitmq, no servers, no noise of the network.
///
/// Prints one JSON object: microseconds of processor time and allocations a turn, and how many turns
/// they are of.
struct OwnProgram: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "own", shouldDisplay: false)

  @Option(help: "How many turns each match is played for.")
  var turns = 20
  @Option(help: "How many matches are played.")
  var matches = 1_024
  @Flag(help: "Only believing every signature.")
  var withoutSignatures = false

  func run() throws {
    var verifiers = [("Without", SignatureVerifier.noop)]
    if !withoutSignatures { verifiers.append(("With", .live)) }
    var figures: [String: Double] = [:]
    for (name, verifier) in verifiers {
      let world = try MemoryWorld(verifier: verifier)
      try world.deal(matches)
      let cost = try world.play(turns: turns)
      figures["turns"] = Double(cost.turns)
      figures["us\(name)Signatures"] = cost.microseconds
      if let allocations = cost.allocations {
        figures["allocations\(name)Signatures"] = allocations
      }
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    print(String(decoding: try encoder.encode(figures), as: UTF8.self))
  }

  /// What callgrind is told to count: the worker, and not the players around it.
  static let counted = "*workersOwnWork*"
}

/// Has the worker do whatever has arrived. A function of its own, for `OwnProgram.counted`.
@inline(never)
func workersOwnWork(_ worker: TurnWorker, while hasMore: () -> Bool) throws {
  while hasMore() { try worker.step() }
}

/// A worker with a store and a bus in memory, and matches in which it is somebody's turn.
private final class MemoryWorld {
  private var worker: TurnWorker?
  private let identity: ServiceIdentity
  private let layout = QueueLayout.standard
  private var random = SplitMix(state: 5)
  private var players: [LoadPlayer] = []
  private var matches: [PreparedMatch] = []
  // What the store holds.
  private var owners: [PublicKey: KeyOwner] = [:]
  private var states: [MatchID: Match] = [:]
  // What the bus holds.
  private var arriving: [EventDelivery] = []
  private var replies: [[UInt8]] = []
  private var jobs: [PushJobID] = []
  private var tag: UInt64 = 0

  init(verifier: SignatureVerifier) throws {
    let now = WallClock.live.now()
    identity = try ServiceKeyFile.create(now: now, randomness: .live).keys.identity(now: now)
    worker = TurnWorker(
      id: WorkerID(rawValue: 1), identity: identity, layout: layout, lexicons: .standard,
      store: store, bus: bus, clock: .live, verifier: verifier,
      log: Logger(label: "bench") { _ in
        var log = SwiftLogNoOpLogHandler()
        log.logLevel = .info
        return log
      })
  }

  private var store: WorkerStore {
    var store = WorkerStore.noop
    store.lookUp = { [unowned self] lookup in
      var found = LookupResult(now: WallClock.live.now())
      for key in lookup.keys { found.keys[key] = owners[key] }
      for match in lookup.matches { found.matches[match] = states[match] }
      let known = Set(players.map(\.id))
      found.players = known.intersection(lookup.players)
      return found
    }
    store.commit = { [unowned self] write in
      for change in write.changes { states[change.after.id] = change.after }
      for one in write.registrations {
        owners[one.key] = KeyOwner(player: one.player, name: one.name)
      }
    }
    return store
  }

  private var bus: WorkerBus {
    var bus = WorkerBus.noop
    bus.receive = { [unowned self] limit, _ in
      defer { arriving.removeFirst(min(limit, arriving.count)) }
      return Array(arriving.prefix(limit))
    }
    bus.publish = { [unowned self] outgoing in
      for one in outgoing {
        switch one {
        case .reply(_, _, let body): replies.append(body)
        case .push(let job): jobs.append(job.id)
        case .outcome: break
        }
      }
    }
    bus.confirmed = { [unowned self] in
      defer { jobs = [] }
      return jobs
    }
    return bus
  }

  /// Hands events to the worker and gives their replies in order, with the cost of the worker.
  private func exchange(_ events: [(Event, LoadPlayer)]) throws -> ([Acceptance], Cost) {
    let deliveries = try events.map { event, player in
      tag += 1
      guard let slot = Slot(of: event) else { throw BenchFailure("an event without a slot") }
      return EventDelivery(
        queue: layout.queue(of: slot), tag: tag,
        body: Envelope.encode(try player.signer.sign(event)),
        replyTo: "amq.rabbitmq.reply-to.bench.\(tag)", correlationID: "\(tag)")
    }
    replies = []
    arriving = deliveries
    let before = Cost.now()
    if let worker { try workersOwnWork(worker) { !arriving.isEmpty } }
    let cost = Cost.now().since(before)
    let acceptances = try replies.map { bytes -> Acceptance in
      guard case .accepted(let acceptance) = try ReplyCodec.decode(bytes).reply else {
        throw BenchFailure("refused: \(String(decoding: bytes, as: UTF8.self))")
      }
      return acceptance
    }
    guard acceptances.count == events.count else { throw BenchFailure("replies are missing") }
    return (acceptances, cost)
  }

  func deal(_ count: Int) throws {
    for number in 0..<(2 * count) {
      guard let signer = Signer.ed25519(seed: Signer.seed(using: &random)),
        let name = PlayerName("own\(number)")
      else { throw BenchFailure("no key") }
      players.append(
        LoadPlayer(name: name, signer: signer, id: PlayerID(firstKey: signer.publicKey)))
    }
    _ = try exchange(
      players.map { (event(.playerRegistered(name: $0.name, code: nil), $0), $0) })
    let pairs = (0..<count).map { [players[2 * $0], players[2 * $0 + 1]] }
    let (asked, _) = try exchange(
      pairs.map { pair in
        let request = MatchRequest(opponent: .player(pair[1].id), turnLimitSeconds: 86_400)
        return (event(.matchRequested(request), pair[0]), pair[0])
      })
    let ids = try asked.map { acceptance -> MatchID in
      guard case .matchStarted(let ticket) = acceptance else { throw BenchFailure("no match") }
      return ticket.match
    }
    let (joined, _) = try exchange(
      zip(ids, pairs).map { (event(.invitationAccepted($0, code: nil), $1[1]), $1[1]) })
    for (acceptance, pair) in zip(joined, pairs) {
      guard case .matchJoined(let ticket) = acceptance else { throw BenchFailure("no match") }
      matches.append(
        PreparedMatch(
          id: ticket.match, slot: Slot(of: ticket.match), players: pair,
          script: try Strategy.script(letters: ticket.letters, seed: random.next()),
          previous: ticket.previous))
    }
  }

  /// Plays so many turns of every match; gives the cost of one.
  func play(turns: Int) throws -> (turns: Int, microseconds: Double, allocations: Double?) {
    var sum = Cost()
    var count = 0
    for _ in 0..<turns {
      let playing = matches.indices.filter { !matches[$0].isOver }
      let events = playing.map { index -> (Event, LoadPlayer) in
        let match = matches[index]
        let turn = Turn(
          number: match.number, previous: match.previous, moves: match.script[match.number - 1])
        let player = match.players[(match.number - 1) % 2]
        return (event(.turnPlayed(match.id, turn), player), player)
      }
      let (acceptances, cost) = try exchange(events)
      sum.add(cost)
      count += events.count
      for (index, acceptance) in zip(playing, acceptances) {
        guard case .turnAccepted(let receipt) = acceptance else { throw BenchFailure("no turn") }
        matches[index].previous = receipt.hash
        matches[index].number += 1
      }
    }
    let each = 1 / Double(count)
    return (
      count, Double(sum.nanoseconds) * each / 1_000, sum.allocations.map { Double($0) * each }
    )
  }

  private func event(_ action: Event.Action, _ player: LoadPlayer) -> Event {
    Event(service: identity.service, by: player, action, &random)
  }
}

/// Processor time of this thread, and allocations where the counting library is preloaded.
private struct Cost {
  var nanoseconds: UInt64 = 0
  var allocations: UInt64?

  private typealias Read = @convention(c) (UnsafeMutablePointer<UInt64>) -> Void
  private static let read = dlsym(nil, "counting_read").map { unsafeBitCast($0, to: Read.self) }

  static func now() -> Cost {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    var cost = Cost(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    if let read {
      var counts = [UInt64](repeating: 0, count: 16)
      read(&counts)
      cost.allocations = counts[WorkerTotals.preloaded.firstIndex(of: "allocationsOther") ?? 0]
    }
    return cost
  }

  func since(_ earlier: Cost) -> Cost {
    Cost(
      nanoseconds: nanoseconds - earlier.nanoseconds,
      allocations: allocations.map { $0 - (earlier.allocations ?? 0) })
  }

  mutating func add(_ other: Cost) {
    nanoseconds += other.nanoseconds
    if let more = other.allocations { allocations = (allocations ?? 0) + more }
  }
}
