import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient

/// Sends the events of one person who has several keys. It sends an event again until it is
/// answered, or gives it up.
final class DeviceSender {
  /// An event on its way.
  private struct Pending {
    var event: Event
    var signer: Signer
    var body: [UInt8]
    var slot: Slot
    var correlationID: String
    var since: Instant
    var sentAt: Instant
  }

  let name: String
  /// The player whom the events are about.
  let player: PlayerID
  let random: SeededRandom
  private unowned let world: World
  private var pending: [Pending] = []
  private var link: SimulatedBroker.Link?
  private var lastNumber = 0
  /// Hears of each answer, with the key that signed the event. Nil: it was accepted.
  var onAnswer: (Event, Signer, Refusal?) -> Void = { _, _, _ in }

  private static let patienceSeconds: Int64 = 6
  private static let giveUpSeconds: Int64 = 100

  init(name: String, player: PlayerID, world: World, random: SeededRandom) {
    self.name = name
    self.player = player
    self.world = world
    self.random = random
  }

  var isWaiting: Bool { !pending.isEmpty }

  /// Reads the answers that have arrived, and sends again an event that has waited too long.
  func turn() {
    listen()
    let now = world.clock.now
    pending.removeAll { now > $0.since.adding(seconds: DeviceSender.giveUpSeconds) }
    let late = pending.firstIndex {
      now > $0.sentAt.adding(seconds: DeviceSender.patienceSeconds)
    }
    if let late { publish(late) }
  }

  func send(_ action: Event.Action, by signer: Signer) {
    let now = world.clock.now
    let event = Event(
      service: world.identity.service,
      id: EventID(at: now, random: random.randomness.next128()), player: player, action: action)
    guard let signed = try? signer.sign(event),
      let sent = PendingEvent(event: event, envelope: Envelope.encode(signed))
    else { return }
    world.deviceEvents.add(sent, wish: nil, at: now)
    world.trace.note(name, "signs", event.id.rawValue)
    lastNumber += 1
    pending.append(
      Pending(
        event: event, signer: signer, body: sent.envelope, slot: sent.slot,
        correlationID: "\(lastNumber)", since: now, sentAt: now))
    publish(pending.count - 1)
  }

  private func publish(_ index: Int) {
    pending[index].sentAt = world.clock.now
    if link.map({ !$0.isOpen }) ?? true { link = world.broker.openLink() }
    guard let link else { return }
    let next = pending[index]
    _ = try? world.broker.publish(
      PlayerMessage(destination: .events(next.slot), body: next.body),
      correlationID: next.correlationID, timeout: .seconds(10), over: link)
  }

  private func listen() {
    guard let link else { return }
    for reply in world.broker.collect(link).replies {
      guard let index = pending.firstIndex(where: { $0.correlationID == reply.correlationID }),
        let said = (try? ReplyCodec.decode(reply.body))?.reply
      else { continue }
      let answered = pending.remove(at: index)
      switch said {
      case .accepted: onAnswer(answered.event, answered.signer, nil)
      case .refused(_, _, let refusal):
        onAnswer(answered.event, answered.signer, refusal ?? .unavailable)
      }
    }
  }

  // MARK: Matches

  /// Plays a turn that is due, or asks for another match.
  func play(by signer: Signer) {
    let running = world.store.matches.values.filter {
      $0.outcome == nil && $0.seat(of: player) != nil
    }.sorted { $0.id < $1.id }
    let due = running.filter { $0.seats[$0.seatToPlay].player == player }
    guard let match = random.pick(due) else {
      if running.count < world.matchLimit { askForMatch(by: signer) }
      return
    }
    let moves = TurnChoice.moves(match.game, seatCount: match.seats.count, random)
    let turn = Turn(number: match.turnNumber, previous: match.previousTurnHash, moves: moves)
    send(.turnPlayed(match.id, turn), by: signer)
  }

  private func askForMatch(by signer: Signer) {
    let request =
      random.happens(0.5)
      ? MatchRequest(alone: .unlimited)
      : MatchRequest(opponent: .random, turnLimitSeconds: random.pick([3_600, 86_400]))
    send(.matchRequested(request), by: signer)
  }
}
