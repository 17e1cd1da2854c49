import CubistBasics
import EventBusLive
import Logging
import MatchCore
import MatchInterfaces
import MatchService
import PlayerClient
import Synchronization

/// Many players, each on a thread of its own.
final class Crowd: Sendable {
  let log = SenderLog()
  let watch: AnswerWatch
  let tally = Tally()
  let queries = QueryWatch()
  private let threads = ThreadCrew()
  private let stop = StopSignal()
  private let registered = Mutex<[PlayerID]>([])
  private let failure = Mutex<String?>(nil)
  let count: Int

  init(count: Int, watch: AnswerWatch) {
    self.count = count
    self.watch = watch
  }

  /// Why a player could not go on; nil as long as all can.
  var failureText: String? { failure.withLock { $0 } }

  /// The players that have registered.
  var players: [PlayerID] { registered.withLock { $0 } }

  /// Starts the players. They wait for one another, then begin to play.
  ///
  /// - Parameter pause: How long each rests between two looks at its matches, on the average.
  func start(seed: UInt64, pause: Double, ways: [Agent.Way]) {
    for number in 0..<count {
      let world = Agent.World(
        log: log, watch: watch, queries: queries, tally: tally, way: ways[number % ways.count])
      threads.start { [self] in
        do {
          try play(number, world, seed: seed &+ UInt64(number) &* 7_919, pause: pause)
        } catch {
          failure.withLock { $0 = $0 ?? "player \(number): \(error)" }
        }
      }
    }
  }

  private func play(_ number: Int, _ world: Agent.World, seed: UInt64, pause: Double) throws {
    guard let name = PlayerName("player-\(number)") else { return }
    let agent = try Agent(name, seed: seed, world: world)
    defer { agent.close() }
    while !stop.isAsked {
      do throws(ClientError) {
        let id = try agent.register()
        registered.withLock { $0.append(id) }
        break
      } catch {
        switch error {
        case .pending, .earlierPending, .unreachable: pauseThread(0.2)
        default: throw error
        }
      }
    }
    var random = SplitMix64(state: seed &+ 13)
    while !stop.isAsked, isGathering { pauseThread(0.02) }
    let others = registered.withLock { $0 }
    while !stop.isAsked {
      try agent.step(others: others)
      pauseThread(random.number(0...2) * pause)
    }
  }

  private var isGathering: Bool { registered.withLock { $0.count } < count }

  /// Waits until all are registered.
  func waitUntilRegistered(atMost limit: Duration) throws {
    try waitUntil("\(count) players are registered", atMost: limit) {
      if let failureText { throw ChaosFailure(failureText) }
      return !isGathering
    }
  }

  /// Lets everybody finish the step they are in.
  func leave(atMost limit: Duration) throws {
    stop.ask()
    try waitUntil("the players have stopped", atMost: limit) { threads.count == 0 }
  }
}
