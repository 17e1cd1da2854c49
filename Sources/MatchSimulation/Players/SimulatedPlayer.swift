import MatchCore
import MatchInterfaces
import MatchService
import MatchWire

/// A player's program: it signs and publishes through the same wire code as the real one, waits for
/// its answers, and sends again, byte for byte, what was not answered in time.
final class SimulatedPlayer {
  let id: PlayerID
  let name: String
  let signer: Signer
  let random: SeededRandom
  unowned let world: World
  /// Whether the service has said that the player exists.
  private(set) var isRegistered = false
  /// Matches as they were when the player last looked.
  var seen: [Match] = []
  private var link: SimulatedBroker.Link?
  private var waiting: [Int] = []
  /// Everything sent so far, by place in the log.
  private(set) var history: [Int] = []

  init(number: Int, signer: Signer, world: World) {
    id = PlayerID(firstKey: signer.publicKey)
    name = "player \(number)"
    self.signer = signer
    self.world = world
    random = world.random.fork()
  }

  /// Whether every event is answered or given up.
  var isSettled: Bool { waiting.isEmpty }

  /// Reads what has arrived, sends again what is overdue, and does something new while there is
  /// time.
  func turn() {
    collect()
    if world.faults.strikes(.clientKill) { die() }
    for index in waiting { sendAgain(index) }
    if world.eventsLeft > 0, waiting.count < 2, random.happens(0.4) { act() }
  }

  private func die() {
    world.trace.note(name, "is killed")
    if let link { world.broker.drop(link) }
    link = nil
    for index in waiting { world.senders.update(index) { $0.stage = .abandoned } }
    waiting = []
  }

  // MARK: Sending

  /// Signs and sends an event.
  func send(_ action: Event.Action) {
    let event = Event(
      service: world.identity.service,
      id: EventID(at: world.clock.now, random: random.randomness.next128()), player: id,
      action: action)
    send(event)
  }

  /// Signs and sends an event of a given id.
  func send(_ event: Event) {
    guard let signed = try? signer.sign(event), let slot = Slot(of: event) else { return }
    world.eventsLeft -= 1
    let index = world.senders.add(event, signed, slot: slot, until: patience)
    history.append(index)
    waiting.append(index)
    world.trace.note(name, "sends", event.id.rawValue)
    publish(index)
  }

  /// Sends an event again that may have been answered long ago.
  func resend(_ index: Int) {
    world.senders.update(index) { $0.stage = .waiting(until: patience) }
    if !waiting.contains(index) { waiting.append(index) }
    publish(index)
  }

  private func sendAgain(_ index: Int) {
    guard case .waiting(let time) = world.senders.sent[index].stage, world.clock.now >= time else {
      return
    }
    world.trace.note(name, "sends again", world.senders.sent[index].key.event.rawValue)
    resend(index)
  }

  private var patience: Instant {
    world.clock.now.adding(microseconds: Int64(random.number(in: 2_000_000...8_000_000)))
  }

  private func publish(_ index: Int) {
    guard let link = openLink() else { return }
    let sent = world.senders.sent[index]
    var body = sent.body
    if world.faults.strikes(.forged) {
      // Somebody on the way changes a byte; the event itself follows.
      body[body.count - 2 - random.below(40)] ^= 1
      _ = world.broker.publish(sent.slot, body, correlationID: "", over: link)
    }
    if world.faults.strikes(.poison) {
      let noise = random.randomness.bytes(random.below(200))
      _ = world.broker.publish(sent.slot, noise, correlationID: "", over: link)
    }
    if world.faults.strikes(.oversized) {
      let size = random.pick([2_000, 9_000, SimulatedBroker.messageByteLimit + 1]) ?? 2_000
      let bytes = sent.body + Array(repeating: UInt8(ascii: " "), count: size)
      _ = world.broker.publish(sent.slot, bytes, correlationID: "", over: link)
    }
    _ = world.broker.publish(sent.slot, sent.body, correlationID: String(index), over: link)
  }

  private func openLink() -> SimulatedBroker.Link? {
    if let link, link.isOpen { return link }
    link = world.broker.openLink()
    return link
  }

  // MARK: Answers

  private func collect() {
    guard let link else { return }
    let arrived = world.broker.collect(link)
    for correlationID in arrived.confirms {
      guard let index = Int(correlationID) else { continue }
      world.senders.update(index) { $0.isConfirmed = true }
    }
    for reply in arrived.replies {
      guard let index = Int(reply.correlationID) else { continue }
      take(reply.body, of: index)
    }
  }

  private func take(_ body: [UInt8], of index: Int) {
    let sent = world.senders.sent[index]
    guard let decoded = try? ReplyCodec.decode(body), decoded.event == sent.key.event else {
      world.violations.append("event \(sent.key.event) got a reply that cannot be read")
      return
    }
    switch decoded.reply {
    case .accepted(let acceptance): learn(acceptance)
    case .refused(_, _, .alreadyRegistered?): isRegistered = true
    case .refused(_, _, .some(let refusal)) where !refusal.isStored:
      world.senders.update(index) { $0.wasRefusedForNow = true }
      // What cannot be said now is asked again; whatever else is never stored stays refused.
      if refusal != .unavailable { finish(index) }
      return
    case .refused: break
    }
    world.trace.note(name, "is answered", sent.key.event.rawValue)
    world.senders.update(index) { sent in
      if !sent.replies.contains(body) { sent.replies.append(body) }
      sent.answeredAt = sent.answeredAt ?? world.clock.now
    }
    finish(index)
  }

  private func finish(_ index: Int) {
    world.senders.update(index) { $0.stage = .answered }
    waiting.removeAll { $0 == index }
  }

  private func learn(_ acceptance: Acceptance) {
    switch acceptance {
    case .registered: isRegistered = true
    case .matchStarted(let ticket):
      if let code = ticket.code, !world.codes.contains(where: { $0.code == code }) {
        world.codes.append((code, ticket.match))
      }
    default: break
    }
  }
}
