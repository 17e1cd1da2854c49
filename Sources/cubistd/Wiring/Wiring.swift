import EventBusLive
import LibPQ
import Logging
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire

/// The live world that the roles of one process share, and how each role is put together from it.
///
/// Every role connects anew whenever it is made, on its own thread, the store first: each time a
/// bus is opened, all that it had prefetched counts as delivered once more.
struct Wiring: Sendable {
  /// The version of this build, as players are told it.
  static let version = ProgramVersion.current.description

  var database: PostgreSQLSettings
  var bus: BusContext
  var layout: QueueLayout
  var identity: ServiceIdentity
  var pushSender: PushSender
  var lexicons = Lexicons.standard
  var verifier = SignatureVerifier.live
  var workerSettings = TurnWorkerSettings()

  /// A worker; the id has to be the same each time it is made anew, so that it does not compete
  /// with itself for queues.
  func worker(_ id: WorkerID) throws(Interruption) -> TurnWorker {
    let connection = try connect("worker")
    let context = bus
    let bus = try interruptingBus { () throws(BusError) in
      try WorkerBus.live(context, layout: layout)
    }
    return TurnWorker(
      id: id, identity: identity, layout: layout, lexicons: lexicons,
      store: .live(connection), bus: bus, clock: clock, verifier: verifier,
      settings: workerSettings, log: log)
  }

  func scheduler() throws(Interruption) -> Scheduler {
    let store = SchedulerStore.live(try connect("scheduler"))
    return Scheduler(
      identity: identity, layout: layout, lexicons: lexicons, store: store,
      bus: try interruptingBus { () throws(BusError) in try SchedulerBus.live(bus) }, clock: clock,
      randomness: bus.randomness, log: log)
  }

  func relay() throws(Interruption) -> OutboxRelay {
    let store = RelayStore.live(try connect("relay"))
    return OutboxRelay(
      store: store, bus: try interruptingBus { () throws(BusError) in try RelayBus.live(bus) },
      clock: clock, log: log)
  }

  func reader() throws(Interruption) -> Reader {
    let store = ReaderStore.live(try connect("reader"))
    var settings = ReaderSettings()
    settings.limits = workerSettings.limits
    return Reader(
      identity: identity, layout: layout, version: Wiring.version, store: store,
      bus: try interruptingBus { () throws(BusError) in try ReaderBus.live(bus) }, clock: clock,
      verifier: verifier, settings: settings, log: log)
  }

  func pushWorker() throws(Interruption) -> PushWorker {
    let store = PushStore.live(try connect("push"))
    return PushWorker(
      store: store, bus: try interruptingBus { () throws(BusError) in try PushBus.live(bus) },
      sender: pushSender, clock: clock, log: log)
  }

  func rater() throws(Interruption) -> Rater {
    Rater(store: .live(try connect("rater")), clock: clock, log: log)
  }

  /// What is wrong with the number of queues, as the database says it; nil where nothing is, or where
  /// nobody can say: then each role asks again.
  func layoutProblem() -> String? {
    guard let connection = try? Wiring.connect(database, as: "cubistd run") else { return nil }
    defer { connection.close() }
    guard let stored = try? Layouts.stored(connection) else { return nil }
    return stored.problem(with: layout)
  }

  private var clock: WallClock { bus.clock }
  private var log: Logger { bus.log }

  /// A connection to a database that has the schema.
  private func connect(_ role: String) throws(Interruption) -> Connection {
    try interruptingStore { () throws(StoreError) in
      let connection = try Wiring.connect(database, as: "cubistd \(role)")
      try Schema.check(connection)
      try Layouts.check(layout, connection)
      return connection
    }
  }

  /// A connection that stores can be made of, under the name that the server's activity shows.
  static func connect(
    _ settings: PostgreSQLSettings, as name: String
  ) throws(StoreError) -> Connection {
    var settings = settings.forMatchStore()
    settings.applicationName = name
    do throws(PostgreSQLError) { return try Connection(settings) } catch {
      throw .unavailable("\(settings): \(error)")
    }
  }
}

/// Calls the store; its error interrupts a role.
private func interruptingStore<Result>(
  _ body: () throws(StoreError) -> Result
) throws(Interruption) -> Result {
  do throws(StoreError) { return try body() } catch { throw .store(error) }
}

/// Calls the bus; its error interrupts a role.
private func interruptingBus<Result>(
  _ body: () throws(BusError) -> Result
) throws(Interruption) -> Result {
  do throws(BusError) { return try body() } catch { throw .bus(error) }
}
