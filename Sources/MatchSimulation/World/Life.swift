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

  /// Begins a process: it connects to the store first, then to the broker. Nil if either is not to
  /// be reached.
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

  /// Where nobody listens who has signed anything.
  var strangers: Set<String> { world.hostile.addresses }

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

  /// Whatever may happen between two calls, to a process or to what it uses.
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

  /// Makes a call to the store. What is idle is asked all the time and tells nothing.
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

  /// Makes a call to the broker. What is idle is asked all the time and tells nothing.
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

  /// Makes a call to the store that writes, and may not be told what became of it.
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
