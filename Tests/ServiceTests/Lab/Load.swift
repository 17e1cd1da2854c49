import Chaos
import CubeRules
import EventBusLive
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import Synchronization
import TestedService

extension Player {
  /// Waits for the answers of a busy machine, too.
  func waitLong() {
    (patience.reply, patience.resend, patience.query) = (.seconds(270), .seconds(270), .seconds(60))
  }
}

extension ServiceLab {
  /// The shipped player, with a profile in memory; its messages are logged. It waits long.
  func client(
    _ name: String, log: SenderLog = SenderLog(), profile: ProfileMemory = ProfileMemory(),
    url: String? = nil
  ) throws -> Player {
    let bus = PlayerBus.live(
      try BrokerAddress(url: url ?? playersURL), clock: .live, log: ServiceLab.log)
    let player = try Player.open(
      profile.store, bus: log.listening(to: bus), clock: .live, randomness: .live,
      makingKey: true)
    player.waitLong()
    if player.profile.name == nil {
      guard let name = PlayerName(freeName(name)) else { throw LabFailure("\(name) is no name") }
      try player.register(name)
    }
    return player
  }
}

/// Pairs of players who play one match after another, each pair on a thread of its own, until they
/// are asked to stop. An event without an answer is sent again, as a person would.
final class Load: Sendable {
  let log = SenderLog()
  let stop = StopSignal()
  private let turns = Atomic(0)
  private let failure = Mutex<String?>(nil)

  /// Turns that were accepted so far.
  var turnCount: Int { turns.load(ordering: .relaxed) }

  /// Registers the players, plays until `stop`, and has every event answered at last.
  func run(pairs: Int, in lab: ServiceLab, seed: UInt64) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<pairs {
        group.addTask { [self] in
          do {
            var pair = try Pair(number, lab, log, seed: seed &+ UInt64(number))
            while !stop.isAsked {
              if try pair.step() { turns.wrappingAdd(1, ordering: .relaxed) }
            }
          } catch {
            // Nobody plays on when one has failed.
            failure.withLock { $0 = $0 ?? "pair \(number): \(error)" }
            stop.ask()
            throw error
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// Waits until so many more turns have been accepted.
  func awaitTurns(_ count: Int) throws {
    let goal = turnCount + count
    try waitUntil("\(count) more turns are played") {
      if let failure = failure.withLock({ $0 }) { throw LabFailure(failure) }
      return turnCount >= goal
    }
  }
}

/// Two players and the match that they are at.
private struct Pair {
  private enum Stage {
    case ask
    case accept(MatchID)
    case play(MatchID)
    case over(MatchID)
  }

  private let players: [Player]
  private var stage = Stage.ask
  private let random: Randomness
  /// Without a word list it only removes cubes, which costs no time.
  private let brain: BotBrain

  init(_ number: Int, _ lab: ServiceLab, _ log: SenderLog, seed: UInt64) throws {
    random = .seeded(seed)
    brain = BotBrain(randomness: random)
    players = try ["a", "b"].map { try lab.client("pair-\(number)-\($0)", log: log) }
    for player in players {
      player.patience.reply = .seconds(2)
      player.patience.resend = .seconds(2)
      player.patience.query = .seconds(5)
    }
  }

  /// Does the next thing; gives whether a turn was accepted.
  mutating func step() throws -> Bool {
    do throws(ClientError) {
      switch stage {
      case .ask:
        let request = MatchRequest(
          opponent: .player(players[1].player), turnLimitSeconds: 3_600)
        stage = .accept(try players[0].startMatch(request).ticket.match)
      case .accept(let match):
        // The answer may have come late, with something else.
        if try players[1].match(match).stage == .waiting { _ = try players[1].accept(match) }
        stage = .play(match)
      case .play(let match): return try play(match)
      case .over(let match):
        // One after the other: the second accepts the first one's offer.
        let progress = players.map { $0.rematch(of: match) }
        if case .started(let ticket)? = progress.last {
          stage = .play(ticket.match)
        } else if case .failed(let error)? = progress.last, error.isFinal {
          throw error
        }
      }
    } catch {
      // An event without an answer is sent again before the next step. If the repetition is
      // refused, the first attempt had arrived.
      switch error {
      case .pending, .earlierPending, .unreachable, .queryRefused(_, _, .unavailable?):
        return false
      case .refused(_, _, .turnAlreadyPlayed?), .refused(_, _, .staleTurn?),
        .refused(_, _, .matchOver?), .refused(_, _, .alreadyJoined?):
        return false
      default: throw error
      }
    }
    return false
  }

  private mutating func play(_ match: MatchID) throws(ClientError) -> Bool {
    let view = try players[0].match(match)
    if view.stage == .ended {
      stage = random.next() % 4 == 0 ? .ask : .over(match)
      return false
    }
    guard let player = players.first(where: { $0.player == view.seats[view.seatToPlay].player })
    else { return false }
    if random.next() % 12 == 0 {
      try player.forfeit(match)
      return false
    }
    let moves: [Move]
    do throws(MatchViewFault) {
      moves = brain.turn(in: try view.game(), seatCount: 2, lexicon: nil)
    } catch {
      throw .unreadable(.malformed(error.description))
    }
    _ = try player.play(moves, in: view)
    return true
  }
}
