import CubeLexicon
import CubeRules
import EventBusLive
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import Testing

/// A player who signs anything and sends it anywhere, as a test wants; nothing is kept, and nothing
/// is sent again by itself.
// SAFETY: the bus is confined to one thread at a time: a test hands a player to one child task,
// and uses it again only after having awaited that.
final class LabPlayer: @unchecked Sendable {
  let name: PlayerName
  let key: PlayerKey
  let service: ServiceID
  private let bus: PlayerBus

  /// An event as it was signed.
  struct Sent {
    var event: Event
    var slot: Slot
    var envelope: [UInt8]
    var key: EventKey { EventKey(player: event.player, event: event.id) }
    /// The match that the event asks for.
    var newMatch: MatchID { MatchID(askedBy: event.player, event: event.id) }
  }

  /// - Parameter url: The broker, unless it is the lab's own.
  init(
    _ name: String, key: PlayerKey = .make(using: .live), in lab: ServiceLab, at url: String? = nil
  ) throws {
    self.name = try #require(PlayerName(name))
    self.key = key
    service = lab.identity.service
    bus = .live(try BrokerAddress(url: url ?? lab.playersURL), clock: .live, log: ServiceLab.log)
  }

  deinit { bus.close() }

  var id: PlayerID { key.player }

  /// Signs an event, made now unless said otherwise. A further device signs events of another id
  /// than its key's own.
  func sign(
    _ action: Event.Action, id: EventID? = nil, service: ServiceID? = nil,
    of player: PlayerID? = nil
  ) throws -> Sent {
    let id = id ?? EventID(at: WallClock.live.now(), random: Randomness.live.next128())
    let event = Event(
      service: service ?? self.service, id: id, player: player ?? self.id, action: action)
    return Sent(
      event: event, slot: try #require(Slot(of: event)),
      envelope: Envelope.encode(try key.signer.sign(event)))
  }

  /// Sends an event and gives the reply's bytes.
  func bytes(
    _ sent: Sent, to slot: Slot? = nil, within limit: Duration = .seconds(120)
  ) throws -> [UInt8] {
    let answer = try bus.request(
      PlayerMessage(destination: .events(slot ?? sent.slot), body: sent.envelope), limit)
    guard case .reply(let bytes) = answer else {
      throw LabFailure("\(name) got no reply to \(sent.event.action.typeName): \(answer)")
    }
    return bytes
  }

  /// Sends an event and gives its reply.
  func send(
    _ sent: Sent, to slot: Slot? = nil, within limit: Duration = .seconds(120)
  ) throws -> ReceivedReply {
    try ReplyCodec.decode(bytes(sent, to: slot, within: limit)).reply
  }

  /// Sends one action and gives its reply.
  func act(_ action: Event.Action) throws -> ReceivedReply { try send(sign(action)) }

  /// Sends an action that must be accepted.
  @discardableResult
  func must(_ action: Event.Action) throws -> Acceptance {
    let reply = try act(action)
    guard case .accepted(let acceptance) = reply else {
      throw LabFailure("\(name)'s \(action.typeName) was refused: \(reply)")
    }
    return acceptance
  }
}

extension ReceivedReply {
  /// The refusal, where it is one.
  var refusal: Refusal? {
    if case .refused(_, _, let refusal) = self { refusal } else { nil }
  }

  /// The ticket to a match, where it is one.
  var ticket: MatchTicket? {
    guard case .accepted(let acceptance) = self else { return nil }
    switch acceptance {
    case .matchStarted(let ticket), .matchJoined(let ticket), .dailyStarted(let ticket),
      .rematchStarted(let ticket):
      return ticket
    default: return nil
    }
  }

  /// The receipt of a turn, where it is one.
  var receipt: TurnReceipt? {
    if case .accepted(.turnAccepted(let receipt)) = self { receipt } else { nil }
  }
}

extension ServiceLab {
  /// A registered player.
  func player(_ name: String) throws -> LabPlayer {
    let player = try LabPlayer(name, in: self)
    try player.must(.playerRegistered(name: player.name, code: nil))
    return player
  }

  /// Ann and Bob.
  func pair() throws -> (LabPlayer, LabPlayer) { (try player("Ann"), try player("Bob")) }

  /// A match by invitation that both have joined: the first player is to play.
  func begin(_ first: LabPlayer, _ second: LabPlayer, limit: Int64 = 3_600) throws -> MatchID {
    let asked = try first.sign(
      .matchRequested(MatchRequest(opponent: .player(second.id), turnLimitSeconds: limit)))
    guard case .accepted(.matchStarted) = try first.send(asked) else {
      throw LabFailure("no match")
    }
    try second.must(.invitationAccepted(asked.newMatch, code: nil))
    return asked.newMatch
  }

  /// A turn that is legal now: removals of the last cubes, or of the first ones.
  func turn(_ match: Match, fromEnd: Bool = true) -> Turn {
    var game = match.game
    var moves: [Move] = []
    for cube in fromEnd ? Cube.all.reversed() : Array(Cube.all) where moves.count < 2 {
      var next = game
      if (try? next.apply(.removal(cube), words: Lexicon.everyWord)) != nil {
        moves.append(.removal(cube))
        game = next
      }
    }
    return Turn(number: match.turnNumber, previous: match.previousTurnHash, moves: moves)
  }

  /// The first turn of a match, with a word in a lab of any letters.
  func firstWord(_ match: Match) -> Turn {
    let word = ["122L", "222L", "222R", "221R"].compactMap { Face(notation: $0) }
    return Turn(number: match.turnNumber, previous: match.previousTurnHash, moves: [.word(word)])
  }

  /// Plays until one cube is left: the first player has all the points and is to play.
  func playToLastCube(_ match: MatchID, _ first: LabPlayer, _ second: LabPlayer) throws {
    let state = try self.match(match)
    let faces = Array(state.game.playable)
    let words = faces.lazy.flatMap { one in
      faces.lazy.flatMap { two in faces.lazy.map { Move.word([one, two, $0]) } }
    }
    let word = try #require(
      words.first { word in
        var game = state.game
        return (try? game.apply(word, words: Lexicon.everyWord)) != nil
      })
    try first.must(
      .turnPlayed(
        match, Turn(number: state.turnNumber, previous: state.previousTurnHash, moves: [word])))
    while true {
      let state = try self.match(match)
      if state.game.inPlay.count == 1 { return }
      try (state.seatToPlay == 0 ? first : second).must(.turnPlayed(match, turn(state)))
    }
  }

  /// Lets a worker find events together, so that they are judged in this order in one transaction.
  /// Send them again to get their replies.
  func inOneBatch(_ sent: [LabPlayer.Sent]) throws {
    try inOneBatch(sent.map { ($0.slot, $0.envelope) })
  }

  func inOneBatch(_ messages: [(slot: Slot, body: [UInt8])]) throws {
    try stopWorkers()
    try publish(messages)
    try startWorker()
  }

  /// Publishes messages to their queues in order, and returns once the broker has them.
  func publish(_ messages: [(slot: Slot, body: [UInt8])]) throws {
    let bus = try SchedulerBus.live(context())
    defer { bus.close() }
    for message in messages { try bus.publish([message]) }
  }

  /// A message as the service itself would send it.
  func serviceEvent(_ action: Event.Action, slot: Slot) -> (slot: Slot, body: [UInt8]) {
    let event = Event(
      service: identity.service,
      id: EventID(at: WallClock.live.now(), random: Randomness.live.next128()),
      player: identity.player, action: action)
    return (slot, Envelope.encode(identity.signer.signed(PayloadCodec.encode(event), as: .service)))
  }
}
