import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient

/// Registered players who are hostile. They do anything that a player may do, but too much of it,
/// and write any properties that a publisher can write.
final class HostileAccounts {
  /// A message of theirs.
  struct Attack {
    var body: [UInt8]
    var destination: PlayerMessage.Destination
    var properties = SenderProperties()
    /// The refusals that it may meet. Nil: any answer is theirs to hear.
    var expecting: Set<String>?
  }

  /// Their attacks.
  static let attacks: [Fault] = [
    .forgedProperties, .madeUpAddresses, .invitationFlood, .queryFlood, .oddRequests,
  ]
  private static let accountCount = 3
  /// The highest version that a query can ask for.
  private static let lastVersion: Int64 = (1 << 53) - 1
  /// The permitted answers to a query for others' matches.
  private static let unseen: Set = [
    "unknownMatch", "matchGone", "expired", "notRegistered", "keyRevoked", "rateLimited",
  ]
  /// The permitted answers to meddling with others' matches.
  private static let foreign: Set = ["unknownMatch", "keyRevoked", "rateLimited"]

  private unowned let world: World
  private let random: SeededRandom
  private let signers: [Signer]
  /// The events that they signed with keys of their own.
  let log = SenderLog()
  private var requests: [(signer: Signer, match: MatchID)] = []

  init(_ world: World, random: SeededRandom) {
    self.world = world
    self.random = random
    signers = (0..<HostileAccounts.accountCount).map { _ in
      World.signer(world.options, random)
    }
  }

  /// The messages of an attack. An unregistered account registers first.
  func attack(_ fault: Fault) -> [Attack] {
    let signer = random.pick(signers) ?? signers[0]
    guard world.store.players[PlayerID(firstKey: signer.publicKey)] != nil else {
      return [registration(signer)]
    }
    return switch fault {
    case .forgedProperties: forgedProperties(signer)
    case .madeUpAddresses: madeUpAddresses(signer)
    case .invitationFlood: invitations()
    case .queryFlood: queries()
    default: oddRequests(signer)
    }
  }

  private func registration(_ signer: Signer) -> Attack {
    let number = signers.firstIndex { $0.publicKey == signer.publicKey } ?? 0
    var code: ShareCode?
    if world.store.needsCode, let own = ShareCode("EVIL\(number)") {
      if world.store.registrationCodes[own] == nil {
        world.store.registrationCodes[own] = .some(nil)
      }
      code = own
    }
    // A name that no honest player wants.
    guard let name = PlayerName("Mallory\(number)") else { return harmless(signer) }
    return event(.playerRegistered(name: name, code: code), signer)
  }

  // MARK: Properties

  private func forgedProperties(_ signer: Signer) -> [Attack] {
    var attacks = [harmless(signer), solo(signer)]
    // Nobody has seen a message that the broker never had.
    if let sent = random.pick(world.senders.sent), sent.isConfirmed,
      let slot = Slot(of: sent.event(of: world.identity.service))
    {
      attacks.append(Attack(body: sent.body, destination: .events(slot)))
    }
    return attacks.map { attack in
      var attack = attack
      if random.happens(0.8) { attack.properties.headers = forgedCounts() }
      if random.happens(0.3) {
        attack.properties.expiration = random.pick(["0", "1", "2000", "60000", "soon"])
      }
      if random.happens(0.3) { attack.properties.priority = random.pick([0, 4, 5, 9, 255]) }
      return attack
    }
  }

  private func forgedCounts() -> [SenderProperties.Header] {
    let counts: [Int64] = [.max, .min, -1, 2, 8, 9, 10, 19, 20, 1_000]
    let header = SenderProperties.forgedCount(random.pick(counts) ?? 9)
    switch random.below(4) {
    case 0: return [header, SenderProperties.forgedCount(random.pick(counts) ?? 0)]
    case 1: return [.init(name: SenderProperties.deliveryCount, value: .other), header]
    default: return [header]
    }
  }

  private func madeUpAddresses(_ signer: Signer) -> [Attack] {
    let addresses = [
      "amq.rabbitmq.reply-to.made.up", "amq.rabbitmq.reply-to.", "cubist.push", "cubist.events.00",
      "",
    ]
    return (0..<random.number(in: 3...10)).map { _ in
      var attack = random.happens(0.5) ? solo(signer) : query(.matches, signer)
      attack.properties.replyTo = random.pick(addresses)
      return attack
    }
  }

  // MARK: Matches

  private func invitations() -> [Attack] {
    guard let victim = random.pick(world.players)?.id else { return [] }
    return (0..<random.number(in: 4...12)).map { _ in
      // Other terms each time: a pair has one invitation on the same terms.
      let limit = Int64(random.number(in: 10...86_400))
      return request(
        MatchRequest(opponent: .player(victim), turnLimitSeconds: limit),
        random.pick(signers) ?? signers[0])
    }
  }

  private func oddRequests(_ signer: Signer) -> [Attack] {
    let limits = MatchRequest.turnLimits
    var attacks = (0..<random.number(in: 1...3)).map { _ in
      let choices: [Int64] = [limits.lowerBound, 60, 86_400, limits.upperBound]
      let limit = random.pick(choices) ?? 60
      return request(
        MatchRequest(
          opponent: random.happens(0.6) ? .random : .open, turnLimitSeconds: limit,
          isCasual: random.happens(0.5)), signer)
    }
    if let mine = random.pick(requests) {
      let action: Event.Action =
        random.happens(0.5) ? .requestWithdrawn(mine.match) : .matchForfeited(mine.match)
      attacks.append(event(action, mine.signer))
    }
    if let other = othersMatch(signer) {
      let actions: [Event.Action] = [
        .matchForfeited(other), .requestWithdrawn(other), .rematchRequested(other),
        .gameShared(other), .invitationDeclined(other),
      ]
      attacks.append(
        event(random.pick(actions) ?? actions[0], signer, expecting: HostileAccounts.foreign))
    }
    return attacks
  }

  private func request(_ request: MatchRequest, _ signer: Signer) -> Attack {
    let attack = event(.matchRequested(request), signer)
    if let sent = log.sent.last {
      requests.append(
        (signer, MatchID(askedBy: sent.key.player, event: sent.key.event)))
    }
    return attack
  }

  /// A match in which an account neither sits nor is invited.
  private func othersMatch(_ signer: Signer) -> MatchID? {
    let id = PlayerID(firstKey: signer.publicKey)
    let others = world.store.matches.values.filter {
      !$0.concerns(id) && !$0.seats.contains { $0.player == nil }
    }
    return random.pick(others.map(\.id).sorted())
  }

  // MARK: Queries

  private func queries() -> [Attack] {
    (0..<random.number(in: 4...12)).map { number in
      let signer = random.pick(signers) ?? signers[0]
      switch random.below(5) {
      case 0: return query(.matches, signer)
      case 1: return query(.review, signer)
      case 2: return query(.serviceInfo, World.signer(world.options, random))
      case 3:
        let mine = random.pick(requests)
        return query(
          .match(
            .init(
              mine?.match ?? MatchID(rawValue: random.randomness.next128()), atLeast: nil,
              newerThan: HostileAccounts.lastVersion)), mine?.signer ?? signer)
      default:
        guard let other = othersMatch(signer) else { return query(.inbox, signer) }
        let version: Int64? = random.pick([0, 1, 1_000, HostileAccounts.lastVersion])
        let isWatch = random.happens(0.5)
        return query(
          .match(
            .init(other, atLeast: isWatch ? nil : version, newerThan: isWatch ? version : nil)),
          signer, expecting: HostileAccounts.unseen)
      }
    }
  }

  private func query(
    _ kind: Query.Kind, _ signer: Signer, expecting: Set<String>? = nil
  ) -> Attack {
    let asked = Query(
      service: world.identity.service, id: id(), player: PlayerID(firstKey: signer.publicKey),
      kind: kind)
    var attack = Attack(
      body: Envelope.encode(signer.sign(asked)), destination: .queries, expecting: expecting)
    attack.properties.expiration = "10000"
    return attack
  }

  // MARK: Events

  private func id() -> EventID {
    EventID(at: world.clock.now, random: random.randomness.next128())
  }

  private func harmless(_ signer: Signer) -> Attack {
    event(.settingsChanged(SettingsChange(reminders: random.happens(0.5))), signer)
  }

  private func solo(_ signer: Signer) -> Attack {
    event(.matchRequested(MatchRequest(opponent: .nobody, turnLimitSeconds: nil)), signer)
  }

  private func event(
    _ action: Event.Action, _ signer: Signer, expecting: Set<String>? = nil
  ) -> Attack {
    let event = Event(
      service: world.identity.service, id: id(), player: PlayerID(firstKey: signer.publicKey),
      action: action)
    let body = Envelope.encode(signer.signed(PayloadCodec.encode(event), as: .event))
    if let pending = PendingEvent(event: event, envelope: body) {
      log.add(pending, wish: nil, at: world.clock.now)
    }
    return Attack(
      body: body, destination: .events(Slot(of: event) ?? Slot(of: event.player)),
      expecting: expecting)
  }
}
