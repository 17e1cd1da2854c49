import MatchCore
import MatchInterfaces
import MatchService
import MatchWire

/// A sender that is connected to the broker and sees others' messages. It sends bytes that are
/// malformed, too large, changed, signed anew or meant for another place, and listens for the
/// answers. ``HostileAccounts`` does the attacks that need a registered player.
final class HostileSender {
  private unowned let world: World
  private let random: SeededRandom
  private let signer: Signer
  let accounts: HostileAccounts
  private var link: SimulatedBroker.Link?
  private var lastNumber = 0
  /// The addresses at which it has listened.
  private(set) var addresses: Set<String> = []
  /// The refusals that each attack may meet.
  private var expected: [String: Set<String>] = [:]

  /// The permitted answers to a message with a wrong signature.
  private static let unsigned: Set = [
    "malformed", "unsupportedVersion", "badSignature", "wrongService", "wrongSlot", "notPermitted",
  ]
  /// The permitted answers to a message that somebody else signed.
  private static let unknown: Set = ["notRegistered", "notPermitted", "wrongSlot"]
  /// The permitted answers to such a query: its age is checked before its key.
  private static let unknownAsker: Set = ["notRegistered", "notPermitted", "expired"]

  init(_ world: World) {
    self.world = world
    random = world.random.fork()
    signer = World.signer(world.options, random)
    accounts = HostileAccounts(world, random: random.fork())
  }

  /// Sees a message. Attacks are made from such messages.
  func watch(_ message: PlayerMessage) {
    listen()
    if world.faults.strikes(.poison) { poison(message) }
    if world.faults.strikes(.oversized) { exceed(message) }
    if world.faults.strikes(.forged) { forge(message) }
    if world.faults.strikes(.staleClient) { repeatOthers() }
    for fault in HostileAccounts.attacks where world.faults.strikes(fault) {
      for attack in accounts.attack(fault) { send(attack) }
    }
  }

  // MARK: Attacks

  private func poison(_ message: PlayerMessage) {
    let body: [UInt8]
    switch random.below(3) {
    case 0: body = random.randomness.bytes(random.below(200))
    case 1: body = Array(message.body.prefix(random.below(message.body.count)))
    default:
      // Nested as deeply as possible.
      let depth = random.below(WireLimits.payloadBytes)
      body = signed(Array(repeating: UInt8(ascii: "["), count: depth), as: .event)
    }
    send(body, to: message.destination, expecting: ["malformed", "unsupportedVersion"])
  }

  /// Exceeds a limit of the service or the broker, if only slightly.
  private func exceed(_ message: PlayerMessage) {
    let excess = random.pick([1, 3, 4_096, SimulatedBroker.messageByteLimit]) ?? 1
    let spaces = Array(repeating: UInt8(ascii: " "), count: WireLimits.turnPayloadBytes + excess)
    let tag: SignatureTag = message.destination == .queries ? .query : .event
    send(
      signed(message.body.dropFirst(Envelope.headerBytes) + spaces, as: tag),
      to: message.destination, expecting: ["malformed"])
  }

  private func forge(_ message: PlayerMessage) {
    var body = message.body
    let payload = Array(body.dropFirst(Envelope.headerBytes))
    let tag: SignatureTag = message.destination == .queries ? .query : .event
    switch random.below(5) {
    case 0:
      body[1 + random.below(body.count - 1)] ^= 1 << random.below(8)
      send(body, to: message.destination, expecting: HostileSender.unsigned)
    case 1:
      // Another's payload under its own key.
      // Strangers may ask some queries.
      let asked = tag == .query ? try? QueryCodec.decode(payload) : nil
      let isForAnyKey = asked.map { type(of: $0.kind.payload).askers != .players } ?? false
      send(
        signed(payload, as: tag), to: message.destination,
        expecting: isForAnyKey
          ? nil : tag == .query ? HostileSender.unknownAsker : HostileSender.unknown)
    case 2:
      // A signature that was made for another purpose.
      send(
        signed(payload, as: tag == .event ? .query : .event), to: message.destination,
        expecting: ["badSignature", "notPermitted"])
    case 3: crossMatch()
    default: impersonate(message)
    }
  }

  /// Somebody's turn, put into another match.
  private func crossMatch() {
    guard let sent = random.pick(world.senders.sent), let other = random.pick(world.senders.sent),
      case .turnPlayed(let turn) = sent.action, case .turnPlayed(let elsewhere) = other.action,
      let signed = try? Envelope.decode(sent.body)
    else { return }
    let event = Event(
      service: world.identity.service, id: sent.key.event, player: sent.key.player,
      action: .turnPlayed(elsewhere.match, turn.turn))
    guard sent.action != event.action else { return }
    let payload = PayloadCodec.encode(event)
    let forged = SignedPayload(key: signed.key, signature: signed.signature, payload: payload)
    send(
      Envelope.encode(forged), to: .events(Slot(of: elsewhere.match)), expecting: ["badSignature"])
  }

  /// Messages that only the service may send: ticks and passed deadlines.
  private func impersonate(_ message: PlayerMessage) {
    guard case .events(let slot) = message.destination else { return }
    let later = world.clock.now.adding(seconds: 86_400)
    var action = Event.Action.ticked(queue: world.layout.queue(of: slot), time: later)
    if random.happens(0.5), let match = random.pick(world.store.matches.keys.sorted()) {
      action =
        random.happens(0.5)
        ? .deadlinePassed(match, turn: 1, deadline: world.clock.now)
        : .ruled(match, Ruling(.annulled, for: .fault))
    }
    let event = Event(
      service: world.identity.service,
      id: EventID(at: world.clock.now, random: random.randomness.next128()),
      player: world.identity.player, action: action)
    send(
      signed(PayloadCodec.encode(event), as: .service), to: .events(Slot(of: event) ?? slot),
      expecting: ["badSignature"])
  }

  /// A former message, byte for byte. It must only bring the same answer.
  private func repeatOthers() {
    // Nobody has seen a message that the broker never had.
    guard let sent = random.pick(world.senders.sent), sent.isConfirmed,
      let slot = Slot(of: sent.event(of: world.identity.service))
    else { return }
    // Anyone with the signed bytes may hear the answer.
    send(sent.body, to: .events(slot), expecting: nil)
  }

  private func signed(_ payload: some Sequence<UInt8>, as tag: SignatureTag) -> [UInt8] {
    Envelope.encode(signer.signed(Array(payload), as: tag))
  }

  /// Sends an account's attack.
  private func send(_ attack: HostileAccounts.Attack) {
    if link.map({ !$0.isOpen }) ?? true { link = world.broker.openLink() }
    guard let link else { return }
    var properties = attack.properties
    properties.replyTo = properties.replyTo ?? link.replyTo
    if let address = properties.replyTo { addresses.insert(address) }
    lastNumber += 1
    properties.correlationID = "\(lastNumber)"
    expected["\(lastNumber)"] = attack.expecting
    _ = try? world.broker.publish(
      PlayerMessage(destination: attack.destination, body: attack.body), with: properties,
      over: link)
  }

  private func send(
    _ body: [UInt8], to destination: PlayerMessage.Destination, expecting names: Set<String>?
  ) {
    if link.map({ !$0.isOpen }) ?? true { link = world.broker.openLink() }
    guard let link else { return }
    addresses.insert(link.replyTo)
    lastNumber += 1
    let id = "\(lastNumber)"
    expected[id] = names
    _ = try? world.broker.publish(
      PlayerMessage(destination: destination, body: body), correlationID: id,
      timeout: .seconds(10), over: link)
  }

  // MARK: Answers

  /// Reads the answers: each must have a permitted name and never be an acceptance.
  func listen() {
    guard let link else { return }
    for reply in world.broker.collect(link).replies {
      guard let names = expected[reply.correlationID] else { continue }
      let name = HostileSender.refusal(in: reply.body)
      // A message that cannot be judged now is answered with `unavailable`.
      if name == "unavailable" || name.map(names.contains) ?? false { continue }
      let text = String(decoding: reply.body.prefix(200), as: UTF8.self)
      world.violations.append("an attack was answered with \(text)")
    }
  }

  private static func refusal(in body: [UInt8]) -> String? {
    if case .refused(let name, _, _) = (try? ReplyCodec.decode(body))?.reply { return name }
    return nil
  }
}
