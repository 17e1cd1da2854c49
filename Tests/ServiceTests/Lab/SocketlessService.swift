import Logging
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import Testing

@testable import MatchSimulation

/// A whole service without a socket: the shipped worker, reader and push worker over the simulated
/// broker and store. Waiting for an answer moves them on. Confined to one thread.
final class SocketlessService {
  let clock = VirtualClock(WallClock.live.now())
  let identity: ServiceIdentity
  let lexicons: Lexicons
  let pushes = PushRecorder()
  private let store: SimulatedStore
  private let broker: SimulatedBroker
  private let roles: [any Role]
  private var requestCount = 0

  init(lexicons: Lexicons) throws {
    self.lexicons = lexicons
    guard let layout = QueueLayout(queueCount: 4) else { throw LabFailure("no layout") }
    identity = try ServiceKeyFile.create(now: clock.now, randomness: .live).keys
      .identity()
    let random = SeededRandom(seed: 1)
    store = SimulatedStore(clock: clock)
    broker = SimulatedBroker(
      layout: layout, faults: FaultPlan([], random: random), random: random, clock: clock)
    roles = [
      try TurnWorker(
        id: WorkerID(rawValue: 1), identity: identity, layout: layout, lexicons: lexicons,
        store: store.worker(#require(store.connect())),
        bus: broker.worker(#require(broker.connect())),
        clock: clock.wallClock, verifier: .live, log: ServiceLab.log),
      try Reader(
        identity: identity, layout: layout, version: "test",
        store: store.reader(#require(store.connect())),
        bus: broker.reader(#require(broker.connect())), clock: clock.wallClock, verifier: .live,
        log: ServiceLab.log),
      try PushWorker(
        store: store.push(#require(store.connect())),
        bus: broker.pushWorker(#require(broker.connect())), providers: pushes.providers,
        exchange: .none,
        clock: clock.wallClock, log: ServiceLab.log),
    ]
  }

  /// The shipped player.
  func client(_ name: String) throws -> Player {
    let player = try Player.open(
      ProfileMemory().store, bus: try bus(), clock: clock.wallClock, randomness: .live,
      makingKey: true)
    guard let name = PlayerName(name) else { throw LabFailure("\(name) is no name") }
    try player.register(name)
    return player
  }

  private func bus() throws -> PlayerBus {
    let link = try #require(broker.openLink())
    return .failing.with {
      $0.request.answer { [self] message, timeout throws(BusError) in
        requestCount += 1
        let id = "\(requestCount)"
        _ = try broker.publish(message, correlationID: id, timeout: timeout, over: link)
        for _ in 0..<100 {
          try moveOn()
          let replies = broker.collect(link).replies
          if let reply = replies.first(where: { $0.correlationID == id }) {
            return .reply(reply.body)
          }
        }
        return .confirmed
      }
      $0.close.answer { [self] in broker.drop(link) }
    }
  }

  private func moveOn() throws(BusError) {
    clock.advance(microseconds: 20_000)
    do throws(Interruption) {
      for role in roles { try role.step() }
    } catch {
      throw .disconnected("\(error)")
    }
  }

  /// The findings of `cubistd check`, once all push jobs are handed over.
  func violations() throws -> [Violation] {
    for _ in 0..<100 { try moveOn() }
    var check = StoreCheck(
      store.check, identity: identity, lexicons: lexicons, jobsAreComplete: true)
    return try check.run()
  }
}
