import MatchCore
import MatchInterfaces
import MatchService
import MatchWire

/// Somebody with a connection to the broker who sees what others send: sends bytes that are nothing,
/// too large, changed, signed anew or not meant for here, and listens for what is said to that. What
/// a hostile player can do who has registered, its ``HostileAccounts`` do.
final class HostileSender {
  private unowned let world: World
  private let random: SeededRandom
  private let signer: Signer
  let accounts: HostileAccounts
  private var link: SimulatedBroker.Link?
  private var lastNumber = 0
  /// Where it has listened.
  private(set) var addresses: Set<String> = []
  /// The refusals that each attack may meet.
  private var expected: [String: Set<String>] = [:]

  /// What may be said to something whose signature is not its own.
  private static let unsigned: Set = [
    "malformed", "unsupportedVersion", "badSignature", "wrongService", "wrongSlot", "notPermitted",
  ]
  /// What may be said to something that is signed by somebody else.
  private static let unknown: Set = ["notRegistered", "notPermitted", "wrongSlot"]
  /// What may be said to a query like that: before its key, its age is looked at.
  private static let unknownAsker: Set = ["notRegistered", "notPermitted", "expired"]

  init(_ world: World) {
    self.world = world
    random = world.random.fork()
    signer = World.signer(world.options, random)
    accounts = HostileAccounts(world, random: random.fork())
  }

  /// Somebody sends something, which is what attacks are made of.
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
      // Nested as deep as it fits.
      let depth = random.below(WireLimits.payloadBytes)
      body = signed(Array(repeating: UInt8(ascii: "["), count: depth), as: .event)
    }
    send(body, to: message.destination, expecting: ["malformed", "unsupportedVersion"])
  }

  /// More than may travel, by however little, of the service's limits or the broker's.
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
      // The payload of another under one's own key.
      // What the service is anybody may ask.
      let asked = tag == .query ? try? QueryCodec.decode(payload) : nil
      let isPublic = asked.map { type(of: $0.kind.payload).askers == .anybody } ?? false
      send(
        signed(payload, as: tag), to: message.destination,
        expecting: isPublic
          ? nil : tag == .query ? HostileSender.unknownAsker : HostileSender.unknown)
    case 2:
      // A signature that was made for something else.
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

  /// What only the service may say: that time has passed, or that a deadline has.
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

  /// Something that was sent before, byte for byte: nothing comes of it but the same answer.
  private func repeatOthers() {
    // What the broker never had nobody has seen.
    guard let sent = random.pick(world.senders.sent), sent.isConfirmed,
      let slot = Slot(of: sent.event(of: world.identity.service))
    else { return }
    // The answer is whoever has the signed bytes' to hear.
    send(sent.body, to: .events(slot), expecting: nil)
  }

  private func signed(_ payload: some Sequence<UInt8>, as tag: SignatureTag) -> [UInt8] {
    Envelope.encode(signer.signed(Array(payload), as: tag))
  }

  /// Sends what an account wants sent.
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

  // MARK: What is said to that

  /// Reads what was answered: by its name, and never a yes.
  func listen() {
    guard let link else { return }
    for reply in world.broker.collect(link).replies {
      guard let names = expected[reply.correlationID] else { continue }
      let name = HostileSender.refusal(in: reply.body)
      // Who cannot be heard at all is told to ask again.
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
