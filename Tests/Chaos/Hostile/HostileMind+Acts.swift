import CubistBasics
import EventExamples
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient

/// Attacks by acts that are allowed to registered players, in excess.
extension HostileMind {
  /// The messages of an attack; nil where it is not one of these.
  mutating func acts(_ kind: AttackKind) -> [HostileMessage]? {
    switch kind {
    case .invitationFlood: invitations()
    case .openRequests: openRequests()
    case .quickTurns:
      (0..<6).map { _ in
        event(.matchRequested(MatchRequest(opponent: .random, turnLimitSeconds: 10)), of: account())
      }
    case .othersMatches: othersMatches()
    case .othersTurns: (0..<8).map { _ in othersTurn() }
    case .registrations: registrations()
    case .settings: (0..<24).map { settings($0) }
    case .blocks: blocks()
    case .soloFlood: solos()
    default: nil
    }
  }

  private mutating func request(_ request: MatchRequest, of key: PlayerKey) -> HostileMessage {
    let event = Event(
      service: world.service, id: id(), player: key.player, action: .matchRequested(request))
    world.log.signed(EventKey(player: event.player, event: event.id))
    open.append((key, MatchID(askedBy: event.player, event: event.id)))
    return message(event, by: key)
  }

  /// Everybody invites the same player, as often as they may.
  private mutating func invitations() -> [HostileMessage] {
    let victim = victim()
    return (0..<100).map { number in
      request(
        MatchRequest(
          opponent: .player(victim), turnLimitSeconds: 10 + Int64(number),
          isCasual: random.happens(50)), of: account())
    }
  }

  /// Asks with terms that hardly anybody chooses, and withdraws the earlier requests.
  private mutating func openRequests() -> [HostileMessage] {
    let withdrawn = open.prefix(40).map { event(.requestWithdrawn($0.match), of: $0.key) }
    open.removeFirst(min(40, open.count))
    let limits = MatchRequest.turnLimits
    return withdrawn
      + (0..<20).map { number in
        let choices: [Int64] = [limits.lowerBound, limits.upperBound, 12_345, 60 + Int64(number)]
        let limit = pick(choices) ?? 60
        return request(
          MatchRequest(
            opponent: random.happens(50) ? .open : .random, turnLimitSeconds: limit,
            isCasual: random.happens(50)), of: account())
      }
  }

  private mutating func othersMatches() -> [HostileMessage] {
    (0..<3).flatMap { _ in
      let (key, match) = (bystander(), othersMatch())
      let withCode = Event.Action.invitationAccepted(match, code: ShareCode("AAAAAAAA"))
      return (Event.Action.ofPlayers(about: match) + [withCode]).map { event($0, of: key) }
    }
  }

  private mutating func othersTurn() -> HostileMessage {
    guard let line = world.honest.confirmed(random.next()),
      case .turnPlayed(var played) = line.event.action
    else {
      let turn = Turn(number: 1, previous: Hash(sha256Of: [1]), moves: [])
      return event(.turnPlayed(othersMatch(), turn), of: bystander())
    }
    played.turn.number += Int(random.next() % 2)
    return event(.turnPlayed(played), of: bystander())
  }

  private mutating func registrations() -> [HostileMessage] {
    (0..<8).compactMap { number in
      guard let name = PlayerName("player-\(number)") else { return nil }
      let key = number % 2 == 0 ? account() : stranger()
      return event(.playerRegistered(name: name, code: ShareCode("AAAA")), of: key)
    }
  }

  private mutating func settings(_ number: Int) -> HostileMessage {
    let key = account()
    let kinds = Dictionary(
      uniqueKeysWithValues: PushJob.Kind.optional.map { ($0, number % 2 == 0) })
    let text = String(repeating: "\u{1F469}", count: 32)
    if number % 3 == 0, let name = DisplayName(text) ?? DisplayName("x") {
      return event(.settingsChanged(SettingsChange(displayName: .set(name), kinds: kinds)), of: key)
    }
    guard let name = DeviceName("device-\(random.next() % 100)") else { return harmless(key) }
    let token = String(repeating: "~", count: 512)
    return event(
      random.happens(80)
        ? .deviceRegistered(Device(name: name, token: token, permission: .authorized))
        : .deviceRemoved(name), of: key)
  }

  private mutating func blocks() -> [HostileMessage] {
    (0..<12).map { number in
      let (key, victim) = (bystander(), victim())
      return event(number % 2 == 0 ? .playerBlocked(victim) : .playerUnblocked(victim), of: key)
    }
  }

  private mutating func solos() -> [HostileMessage] {
    let today = Day(containing: WallClock.live.now())
    return (0..<8).flatMap { number in
      let key = account()
      let mode: SoloMode = number % 2 == 0 ? .timed : .unlimited
      let asked = Event(
        service: world.service, id: id(), player: key.player,
        action: .matchRequested(MatchRequest(alone: mode)))
      world.log.signed(EventKey(player: asked.player, event: asked.id))
      let match = MatchID(askedBy: asked.player, event: asked.id)
      return [
        message(asked, by: key), event(.matchForfeited(match), of: key),
        event(.dailyStarted(DailyKey(day: today, mode: mode, language: .english)), of: key),
      ]
    }
  }
}
