import CubeRules
import CubistBasics
import EventBusLive
import Logging
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient

/// A player who plays by itself, through the public client: asks for matches of all kinds, accepts
/// offers, plays by removing cubes, which costs no time, and ends some matches early.
///
/// An event without an answer is sent again, as the client does by itself.
final class Agent {
  /// The part that many of them share.
  struct World: Sendable {
    var log: SenderLog
    var watch: AnswerWatch
    var queries: QueryWatch
    var tally: Tally
    var way: Way
  }

  /// The way of a player to the service.
  enum Way: Hashable, Sendable {
    /// AMQP.
    case broker(String)
    /// HTTP, through the gateway with this number.
    case gateway(Int, url: String)
  }

  /// Logs nothing: answers are counted instead.
  static let log = Logger(label: "chaos") { _ in SwiftLogNoOpLogHandler() }

  private let name: PlayerName
  private let world: World
  private let memory = ProfileMemory()
  private var random: SplitMix64
  private let brain: BotBrain
  private var bus: PlayerBus
  private var player: Player
  /// The matches that are in the list, or have to be in the next one.
  private var current: Set<MatchID> = []
  /// The matches that the player gave up. One whose seat it could leave is not shown to it any more.
  private var givenUp: Set<MatchID> = []
  /// An agent with so many matches takes no further one.
  private static let matchLimit = 8
  /// Invitations that are answered at one look.
  private static let invitationLimit = 10

  init(_ name: PlayerName, seed: UInt64, world: World) throws {
    self.name = name
    self.world = world
    random = SplitMix64(state: seed)
    brain = BotBrain(randomness: .seeded(seed &+ 1))
    bus = try Agent.connect(world)
    player = try Agent.open(memory, bus)
  }

  private static func connect(_ world: World) throws -> PlayerBus {
    let bus: PlayerBus
    var gateway: Int?
    switch world.way {
    case .broker(let url): bus = .live(try BrokerAddress(url: url), clock: .live, log: log)
    case .gateway(let number, let url):
      bus = .http(try GatewayAddress(url: url))
      gateway = number
    }
    return world.log.listening(
      to: world.watch.listening(to: world.queries.listening(to: bus), gateway: gateway))
  }

  private static func open(
    _ memory: ProfileMemory, _ bus: PlayerBus
  ) throws(ClientError) -> Player {
    let player = try Player.open(
      memory.store, bus: bus, clock: .live, randomness: .live, makingKey: true)
    player.patience.reply = .seconds(3)
    player.patience.resend = .seconds(3)
    player.patience.query = .seconds(4)
    player.patience.attempts = 2
    return player
  }

  /// Registers; gives the player's id.
  func register() throws(ClientError) -> PlayerID {
    try player.register(name)
    return player.player
  }

  func close() { bus.close() }

  /// Does everything that is due now.
  func step(others: [PlayerID]) throws {
    // A program that is ended and started again knows only the contents of its folder.
    if random.happens(1) {
      bus.close()
      bus = try Agent.connect(world)
      player = try Agent.open(memory, bus)
    }
    do throws(ClientError) {
      try act(others)
    } catch {
      world.tally.note(error)
    }
  }

  private func act(_ others: [PlayerID]) throws(ClientError) {
    try player.resendPending()
    let home = try player.home()
    let matches = Set(home.matches.map(\.id))
    let ended = current.subtracting(matches)
    current = matches
    for match in ended.subtracting(givenUp) { try end(match) }
    for invitation in home.invitations.prefix(Agent.invitationLimit) {
      if random.happens(85), current.count < Agent.matchLimit {
        current.insert(try player.accept(invitation.id).match)
      } else {
        try player.decline(invitation.id)
      }
    }
    for offer in home.rematchOffers where !offer.isYours {
      if random.happens(80) {
        _ = player.rematch(of: offer.match)
      } else {
        try player.declineRematch(offer.match)
      }
    }
    for match in home.matches where match.yourTurn { try play(match.id) }
    for match in home.matches where match.stage == .waiting && random.happens(4) {
      try player.withdraw(match.id)
    }
    if home.matches.count < 4 { try begin(home, others) }
  }

  /// A match is not in the list any more.
  private func end(_ match: MatchID) throws(ClientError) {
    if try player.match(match).stage != .ended { world.tally.noteHidden() }
    if random.happens(40) { _ = player.rematch(of: match) }
  }

  private func begin(_ home: HomeView, _ others: [PlayerID]) throws(ClientError) {
    // Some deadlines are so near that they pass.
    let limit: Int64 = random.happens(5) ? 10 : 3_600
    switch random.next() % 100 {
    case 0..<55:
      let other = others[Int(random.next() % UInt64(others.count))]
      guard other != player.player else { return }
      note(
        try player.startMatch(
          MatchRequest(opponent: .player(other), turnLimitSeconds: limit)))
    case 55..<85:
      note(try player.startMatch(MatchRequest(opponent: .random, turnLimitSeconds: limit)))
    case 85..<97:
      note(try player.startMatch(MatchRequest(opponent: .nobody, turnLimitSeconds: nil)))
    default:
      guard home.daily.isDealt, home.daily.match == nil else { return }
      _ = try player.startDaily(home.daily.daily)
    }
  }

  private func note(_ start: MatchStart) {
    switch start {
    case .started(let ticket), .joined(let ticket): current.insert(ticket.match)
    }
  }

  private func play(_ match: MatchID) throws(ClientError) {
    let view = try player.match(match)
    guard view.stage != .ended, view.seats[view.seatToPlay].player == player.player else { return }
    if random.happens(2) {
      givenUp.insert(match)
      try player.forfeit(match)
      return
    }
    let moves: [Move]
    do throws(MatchViewFault) {
      moves = brain.turn(in: try view.game(), seatCount: view.seats.count, lexicon: nil)
    } catch {
      throw .unreadable(.malformed(error.description))
    }
    _ = try player.play(moves, in: view)
    world.tally.noteTurn()
  }
}
