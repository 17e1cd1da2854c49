import MatchCore
import MatchInterfaces
import MatchService
import MatchWire

/// Ends or annuls a match now and then, as an operator's command does: by an event that the service
/// signs, through the queue of the match. It also revokes one player's key, or nobody's.
final class SimulatedOperator: Role {
  private unowned let world: World
  private let bus: SchedulerBus
  private let revoke: (PublicKey) throws(StoreError) -> Bool
  private let random: SeededRandom

  init(
    world: World, bus: SchedulerBus, revoke: @escaping (PublicKey) throws(StoreError) -> Bool,
    random: SeededRandom
  ) {
    self.world = world
    self.bus = bus
    self.revoke = revoke
    self.random = random
  }

  @discardableResult
  func step() throws(Interruption) -> Int {
    guard world.eventsLeft > 0 else { return 0 }
    if random.happens(0.005) { return try revokeKey() }
    guard random.happens(0.02),
      let match = random.pick(world.store.matches.keys.sorted()),
      let reason = random.pick(Ruling.Reason.allCases),
      let speaker = try? world.identity.speaker(at: world.store.now)
    else { return 0 }
    let ruling = Ruling(random.happens(0.5) ? .annulled : .ended, for: reason)
    let id = EventID(at: world.clock.now, random: random.randomness.next128())
    let message = speaker.message(.ruled(match, ruling), id: id)
    switch ruling.verdict {
    case .ended: world.trace.note("operator", "ends a match", match.rawValue)
    case .annulled: world.trace.note("operator", "annuls a match", match.rawValue)
    }
    do throws(BusError) {
      try bus.publish([(Slot(of: match), message)])
      // Sent twice, it counts once.
      if random.happens(0.2) { try bus.publish([(Slot(of: match), message)]) }
    } catch {
      guard case .refused = error else { throw .bus(error) }
    }
    return 1
  }

  func leave() { bus.close() }

  private func revokeKey() throws(Interruption) -> Int {
    let owners = Set(world.owners.map(\.id))
    let keys = world.store.keys.filter { !owners.contains($0.value.player) }
    // The remaining players go on.
    guard keys.count > 1, keys.values.allSatisfy({ !$0.isRevoked }),
      let key = random.pick(keys.keys.sorted { $0.description < $1.description })
    else { return 0 }
    do throws(StoreError) {
      return try revoke(key) ? 1 : 0
    } catch {
      guard error.isConflict else { throw .store(error) }
      return 0
    }
  }
}
