import MatchCore
import MatchInterfaces

/// One process from its start to its end: its connections, and the points between two calls where
/// it can be struck.
///
/// Killed, it is not heard of again: every call fails at once and does nothing, as far as anybody
/// else can see.
final class Life {
  let name: String
  let session: SimulatedStore.Session
  let connection: SimulatedBroker.Connection
  private(set) var isDead = false
  private unowned let world: World

  init(name: String, world: World) {
    self.name = name
    self.world = world
    session = world.store.connect()
    connection = world.broker.connect()
  }

  /// Ends the process, whether it was killed or left: what it held is free.
  func end() {
    isDead = true
    world.broker.drop(connection)
    world.store.drop(session)
  }

  private func kill() {
    world.trace.note(name, "is killed")
    end()
  }

  /// Whatever may happen to a process between two calls.
  private func meetFate() {
    if world.faults.strikes(.workerCrash) {
      kill()
    } else if world.faults.strikes(.workerPause) {
      world.pause(self)
    } else if world.faults.strikes(.storeRestart) {
      world.trace.note("store", "restarts")
      world.store.restart()
    }
  }

  /// Makes a call to the store.
  func onStore<Result>(
    _ what: StaticString, _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    guard !isDead else { throw .unavailable("killed") }
    meetFate()
    guard !isDead else { throw .unavailable("killed") }
    let result = try body()
    world.trace.note(name, what)
    if world.faults.strikes(.workerCrash) {
      kill()
      throw .unavailable("killed")
    }
    return result
  }

  /// Makes a call to the broker.
  func onBus<Result>(
    _ what: StaticString, _ body: () throws(BusError) -> Result
  ) throws(BusError) -> Result {
    guard !isDead else { throw .disconnected("killed") }
    meetFate()
    guard !isDead else { throw .disconnected("killed") }
    if world.faults.strikes(.lostConnection) {
      world.trace.note(name, "loses its connection")
      world.broker.drop(connection)
    }
    let result = try body()
    world.trace.note(name, what)
    if world.faults.strikes(.workerCrash) {
      kill()
      throw .disconnected("killed")
    }
    return result
  }

  /// Commits, and may not be told.
  func commit(
    _ write: BatchWrite, _ body: (BatchWrite) throws(StoreError) -> Void
  ) throws(StoreError) {
    try onStore("commits") { () throws(StoreError) in
      if world.faults.strikes(.serializationFailure) {
        world.store.rollBack(session)
        throw .conflict("could not serialize access")
      }
      try body(write)
      if world.faults.strikes(.commitUnknown) {
        world.trace.note(name, "is not told of its commit")
        world.store.drop(session)
        throw .unavailable("the connection broke while committing")
      }
    }
  }
}
