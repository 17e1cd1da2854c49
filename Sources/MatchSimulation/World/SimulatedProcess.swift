import MatchCore
import MatchInterfaces
import MatchService

/// A role that is started, does step after step, and is started anew after it was killed or
/// interrupted.
final class SimulatedProcess {
  let name: String
  private unowned let world: World
  private let make: (FaultInjector) -> any Role
  private var current: (life: FaultInjector, role: any Role)?
  private var startsAt: Instant
  private var isBusy = false
  /// The number of the service's keys when it was made.
  private var keyCount = 0

  init(name: String, world: World, make: @escaping (FaultInjector) -> any Role) {
    self.name = name
    self.world = world
    self.make = make
    startsAt = world.clock.now
  }

  /// One step, unless the process stands still in the middle of one.
  func turn() {
    guard !isBusy else { return }
    takeUpKeys()
    if current == nil {
      guard world.clock.now >= startsAt else { return }
      guard let life = FaultInjector(name: name, world: world) else {
        world.trace.note(name, "cannot connect")
        return startLater()
      }
      keyCount = world.identity.certificates.count
      current = (life, make(life))
      world.trace.note(name, "starts")
    }
    guard let (life, role) = current else { return }
    isBusy = true
    do throws(Interruption) {
      try role.step()
    } catch {
      world.trace.note(name, "is interrupted")
      role.leave()
      life.end()
    }
    isBusy = false
    if life.isDead { current = nil }
    if current == nil {
      world.checkConfirmed()
      startLater()
    }
  }

  /// Starts anew with the present keys, soon after they have changed.
  private func takeUpKeys() {
    guard let (life, role) = current, keyCount != world.identity.certificates.count,
      world.random.happens(0.05)
    else { return }
    isBusy = true
    role.leave()
    life.end()
    isBusy = false
    current = nil
    world.trace.note(name, "takes other keys up")
  }

  private func startLater() {
    startsAt = world.clock.now.adding(
      microseconds: Int64(world.random.number(in: 50_000...2_000_000)))
  }
}
