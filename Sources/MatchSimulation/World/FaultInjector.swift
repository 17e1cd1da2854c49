import MatchCore
import MatchInterfaces

/// One process from its start to its end: its connections, and the points between two calls at
/// which a fault can strike it.
///
/// Once killed, it is not heard of again. Every call fails at once and has no visible effect.
final class FaultInjector {
  let name: String
  let session: SimulatedStore.Session
  let connection: SimulatedBroker.Connection
  private(set) var isDead = false
  private unowned let world: World

  /// Begins a process. It connects to the store first, then to the broker. Nil if it cannot reach
  /// either.
  init?(name: String, world: World) {
    guard let session = world.store.connect() else { return nil }
    guard let connection = world.broker.connect() else {
      world.store.drop(session)
      return nil
    }
    self.name = name
    self.world = world
    self.session = session
    self.connection = connection
  }

  var senders: SenderLog { world.senders }

  /// Addresses at which no signer of an event listens.
  var strangers: Set<String> { world.hostile.addresses }

  /// Ends the process, killed or not. Everything that it held is free.
  func end() {
    isDead = true
    world.broker.drop(connection)
    world.store.drop(session)
  }

  private func kill() {
    world.trace.note(name, "is killed")
    end()
  }

  /// The faults that may strike between two calls, at a process or at its servers.
  private func meetFate() {
    world.strikeServers()
    if world.faults.strikes(.workerCrash) {
      kill()
    } else if world.faults.strikes(.workerPause) {
      world.pause(self)
    } else if !connection.unacknowledged.isEmpty, world.faults.strikes(.consumerOverlap) {
      world.trace.note(name, "is cut off and does not know")
      world.broker.cut(connection)
      world.wait(until: world.clock.now.adding(microseconds: world.shortWhile)) { false }
    }
  }

  /// Makes a call to the store. Idle calls happen all the time and say nothing.
  func onStore<Result>(
    _ what: StaticString, isIdle: Bool = false, _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    guard !isDead else { throw .unavailable("killed") }
    meetFate()
    guard !isDead else { throw .unavailable("killed") }
    let result = try body()
    world.trace.note(name, what, isIdle: isIdle)
    if world.faults.strikes(.workerCrash) {
      kill()
      throw .unavailable("killed")
    }
    return result
  }

  /// Makes a call to the broker. Idle calls happen all the time and say nothing.
  func onBus<Result>(
    _ what: StaticString, isIdle: Bool = false, _ body: () throws(BusError) -> Result
  ) throws(BusError) -> Result {
    guard !isDead else { throw .disconnected("killed") }
    meetFate()
    guard !isDead else { throw .disconnected("killed") }
    if world.faults.strikes(.lostConnection) {
      world.trace.note(name, "loses its connection")
      if world.random.happens(0.7) {
        world.broker.cut(connection)
      } else {
        world.broker.breakOutlet(of: connection)
      }
    }
    let result = try body()
    world.trace.note(name, what, isIdle: isIdle)
    if world.faults.strikes(.workerCrash) {
      kill()
      throw .disconnected("killed")
    }
    return result
  }

  /// Makes a writing call to the store. It may not be told the outcome.
  func onWrite<Result>(
    _ what: StaticString, isIdle: Bool = false, _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try onStore(what, isIdle: isIdle) { () throws(StoreError) in
      let faults = world.faults
      if faults.strikes(.serializationFailure) {
        world.store.rollBack(session)
        throw .conflict("could not serialize access")
      }
      let isUnknown = faults.strikes(.commitUnknown)
      if !isUnknown || world.random.happens(0.7) {
        let result = try body()
        guard isUnknown else { return result }
      }
      world.trace.note(name, "is not told of its commit")
      world.store.drop(session)
      throw .unavailable("the connection broke while committing")
    }
  }
}
