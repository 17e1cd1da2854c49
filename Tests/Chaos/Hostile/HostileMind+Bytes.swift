import CubistBasics
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient

/// Attacks by the bytes of a message and the time of its signature.
extension HostileMind {
  /// The messages of an attack; nil where it is not one of these.
  mutating func bytes(_ kind: AttackKind) -> [HostileMessage]? {
    switch kind {
    case .garbage: garbage()
    case .oversized: [HostileMessage(noise(200_000), to: anySlot())]
    case .largest: largest()
    case .badSignature: badSignatures()
    case .foreignPlayer: (0..<6).map { _ in foreignPlayer() }
    case .foreignService: (0..<6).map { _ in foreignService() }
    case .strangers: strangers()
    case .datedAhead: (0..<6).map { _ in solo(ahead: 3_600) }
    case .datedBehind: (0..<6).map { _ in solo(ahead: -8 * 86_400) }
    case .replay: replays(20)
    case .serviceWord: (0..<8).map { _ in serviceWord() }
    default: nil
    }
  }

  private mutating func noise(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
  }

  /// An event or a query with a correct signature.
  private mutating func signed(_ payload: [UInt8], as tag: SignatureTag = .event) -> [UInt8] {
    Envelope.encode(account().signer.signed(payload, as: tag))
  }

  private mutating func garbage() -> [HostileMessage] {
    let honest = solo(account()).body
    let bodies: [[UInt8]] = [
      [], [1], noise(50), noise(500), Array(honest.prefix(120)), [2] + honest.dropFirst(),
      signed(Array(repeating: UInt8(ascii: "["), count: 1_000)),
      signed(Array("{\"v\":1,\"v\":1}".utf8)),
      signed(Array("{\"v\":99999999999999999999999}".utf8)),
    ]
    return bodies.flatMap { [HostileMessage($0, to: anySlot()), HostileMessage(query: $0)] }
  }

  /// The largest message that the broker takes, and the largest that the service reads.
  private mutating func largest() -> [HostileMessage] {
    let spaces = { (count: Int) in Array(repeating: UInt8(ascii: " "), count: count) }
    return [
      HostileMessage(signed(spaces(131_072 - Envelope.headerBytes)), to: anySlot()),
      HostileMessage(signed(spaces(WireLimits.turnPayloadBytes)), to: anySlot()),
      HostileMessage(query: signed(spaces(WireLimits.turnPayloadBytes + 1), as: .query)),
    ]
  }

  private mutating func badSignatures() -> [HostileMessage] {
    (0..<8).map { number in
      let message = number % 2 == 0 ? solo(account()) : query(.whoAmI, of: account())
      let place = 1 + Int(random.next() % UInt64(message.body.count - 1))
      let bit = UInt8(1) << (random.next() % 8)
      return message.with { $0.body[place] ^= bit }
    }
  }

  private mutating func foreignPlayer() -> HostileMessage {
    let (key, victim) = (account(), victim())
    guard random.happens(50) else {
      let query = Query(service: world.service, id: id(), player: victim, kind: .matches)
      return HostileMessage(query: Envelope.encode(key.signer.sign(query)))
    }
    let event = Event(
      service: world.service, id: id(), player: victim,
      action: .matchRequested(MatchRequest(opponent: .nobody, turnLimitSeconds: nil)))
    return message(event, by: key)
  }

  private mutating func foreignService() -> HostileMessage {
    let key = account()
    let event = Event(
      service: ServiceID(rawValue: randomID()), id: id(), player: key.player,
      action: .matchRequested(MatchRequest(opponent: .nobody, turnLimitSeconds: nil)))
    return message(event, by: key)
  }

  private mutating func strangers() -> [HostileMessage] {
    let key = stranger()
    let other = MatchRequest(opponent: .player(victim()), turnLimitSeconds: 10)
    let match = othersMatch()
    return [
      event(.matchRequested(other), of: key), solo(key), event(.matchForfeited(match), of: key),
      event(.gameShared(match), of: key), query(.whoAmI, of: key), query(.matches, of: key),
      query(.match(.init(match)), of: key),
    ]
  }

  private mutating func solo(ahead: Int64) -> HostileMessage {
    event(
      .matchRequested(MatchRequest(opponent: .nobody, turnLimitSeconds: nil)), of: account(),
      ahead: ahead)
  }

  private mutating func serviceWord() -> HostileMessage {
    let key = account()
    let (match, later) = (othersMatch(), WallClock.live.now().adding(seconds: 86_400))
    let reason = MeetingReason(ratingDistance: 0, window: nil, waitedSeconds: 1)
    let actions: [Event.Action] = [
      .ticked(queue: Int(random.next() % UInt64(world.layout.queueCount)), time: later),
      .deadlinePassed(match, turn: 1, deadline: WallClock.live.now()),
      .ruled(match, Ruling(.annulled, for: .fault)),
      .mergeProposed(Merger(kept: match, merged: othersMatch(), reason: reason)),
    ]
    let action = pick(actions) ?? actions[0]
    // Under its own id, or that of the service.
    let player = random.happens(50) ? key.player : PlayerID(rawValue: world.service.rawValue)
    let event = Event(service: world.service, id: id(), player: player, action: action)
    return message(event, by: key, as: random.happens(50) ? .event : .service)
  }
}
