import CubistBasics
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient

/// The knowledge of hostile players, from which they make their attacks.
struct HostileMind {
  /// The part that many of them share.
  struct World: Sendable {
    var service: ServiceID
    /// Registered accounts, which play and ask.
    var accounts: [PlayerKey]
    /// Registered accounts that never begin a match and are never invited.
    var bystanders: [PlayerKey]
    /// The honest players, and the messages they have sent.
    var victims: [PlayerID]
    var honest: SenderLog
    var layout: QueueLayout
    /// The events that were signed by keys of hostile players.
    var log: HostileLog
  }

  let world: World
  var random: SplitMix64
  /// Requests that may wait still.
  var open: [(key: PlayerKey, match: MatchID)] = []

  init(_ world: World, seed: UInt64) {
    self.world = world
    random = SplitMix64(state: seed)
  }

  // MARK: Chance

  mutating func pick<Element>(_ elements: [Element]) -> Element? {
    elements.isEmpty ? nil : elements[Int(random.next() % UInt64(elements.count))]
  }

  mutating func account() -> PlayerKey { pick(world.accounts) ?? stranger() }

  mutating func bystander() -> PlayerKey { pick(world.bystanders) ?? stranger() }

  mutating func stranger() -> PlayerKey {
    // Every 32 bytes are a key.
    let seed = Signer.seed(using: &random)
    return PlayerKey(seed: seed) ?? .make(using: .live)
  }

  mutating func victim() -> PlayerID { pick(world.victims) ?? PlayerID(rawValue: 1) }

  /// A match that an honest player has sent an event of.
  mutating func othersMatch() -> MatchID {
    for _ in 0..<20 {
      if let event = world.honest.confirmed(random.next())?.event, let match = event.match {
        return match
      }
    }
    return MatchID(rawValue: randomID())
  }

  mutating func randomID() -> UInt128 {
    UInt128(random.next()) << 64 | UInt128(random.next())
  }

  // MARK: Events and queries

  /// An id made now, or so many seconds later.
  mutating func id(_ ahead: Int64 = 0) -> EventID {
    EventID(at: WallClock.live.now().adding(seconds: ahead), random: randomID())
  }

  /// An event that is signed as it has to be.
  mutating func event(
    _ action: Event.Action, of key: PlayerKey, ahead: Int64 = 0
  ) -> HostileMessage {
    let event = Event(
      service: world.service, id: id(ahead), player: key.player, action: action)
    world.log.signed(EventKey(player: event.player, event: event.id))
    return message(event, by: key)
  }

  /// An event under any key's signature.
  mutating func message(
    _ event: Event, by key: PlayerKey, as tag: SignatureTag = .event
  ) -> HostileMessage {
    HostileMessage(
      Envelope.encode(key.signer.signed(PayloadCodec.encode(event), as: tag)),
      to: Slot(of: event) ?? anySlot())
  }

  mutating func anySlot() -> Slot {
    Slot(number: Int(random.next() % UInt64(Slot.count))) ?? Slot(of: world.service)
  }

  /// A game of one player, which anybody may begin.
  mutating func solo(_ key: PlayerKey) -> HostileMessage {
    event(.matchRequested(MatchRequest(opponent: .nobody, turnLimitSeconds: nil)), of: key)
  }

  /// Something that is granted and leaves little.
  mutating func harmless(_ key: PlayerKey) -> HostileMessage {
    event(.settingsChanged(SettingsChange(reminders: random.happens(50))), of: key)
  }

  mutating func query(
    _ kind: Query.Kind, of key: PlayerKey, ahead: Int64 = 0
  ) -> HostileMessage {
    let query = Query(service: world.service, id: id(ahead), player: key.player, kind: kind)
    return HostileMessage(query: Envelope.encode(key.signer.sign(query)))
  }
}
