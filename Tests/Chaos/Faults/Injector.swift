import CubistBasics
import Foundation
import LibPQ
import RealServers
import Synchronization

/// A lever that is pulled on a thread of its own.
private final class RunningLever: Sendable {
  private let outcome = Mutex<Result<Void, any Error>?>(nil)

  init(_ body: @escaping @Sendable () throws -> Void) {
    Thread.detachNewThread { [self] in
      let result = Result { try body() }
      outcome.withLock { $0 = result }
    }
  }

  var isRunning: Bool { outcome.withLock { $0 == nil } }

  func wait() throws {
    while isRunning { pauseThread(0.005) }
    try outcome.withLock { $0 }?.get()
  }
}

/// Makes faults happen to a service, and takes them back.
final class Injector: Sendable {
  private let servers: RunServers
  let service: ServiceUnderTest
  private let stop: @Sendable () -> Bool
  /// Faults last shorter in a short run.
  private let isShort: Bool
  /// Faults that last for minutes the next time.
  private let long: Mutex<Set<FaultKind>>

  init(
    _ service: ServiceUnderTest, servers: RunServers, isShort: Bool, isLong: Bool,
    stop: @escaping @Sendable () -> Bool
  ) {
    self.service = service
    self.servers = servers
    self.isShort = isShort
    self.stop = stop
    long = Mutex(isLong ? Set(FaultKind.allCases.filter(\.isLong)) : [])
  }

  /// Makes a fault happen and takes it back.
  ///
  /// - Parameters:
  ///   - status: Is told whether `cubistd status` named the fault while it was held, and the
  ///     findings; nil where other faults come with it, which may hide it.
  ///   - strike: Is told each victim of the fault that was seen.
  ///   - begin: Called at the moment from which players wait for the service to answer again. For a
  ///     fault that is held, that is when it is taken back. For one that the service recovers from
  ///     by itself, it is when it happens.
  func inject(
    _ kind: FaultKind, seed: UInt64, status: StatusListener?, strike: (String) -> Void,
    begin: () -> Void
  ) throws {
    var random = SplitMix64(state: seed)
    switch kind {
    case .workerKill, .relayKill, .schedulerKill, .readerKill, .pushKill, .raterKill,
      .gatewayKill:
      let role = kind.rawValue.prefix { $0 != "-" }
      begin()
      if let struck = try service.replace(String(role), random.next()) { strike(struck) }
    case .workerPause: try pause(&random, strike, begin)
    case .backendsTerminated:
      try terminateBackends(&random, begin)
      strike("sessions")
    case .postgresRestart: try stopPostgres(strike, begin) { try $0.restartPostgres() }
    case .postgresFailover: try stopPostgres(strike, begin) { try $0.failOver() }
    case .brokerRestart:
      try servers.killBroker()
      if !service.brokerListens { strike("rabbitmq") }
      begin()
      wait(random.number(0...2))
      try servers.startBroker()
    case .brokerAlarm:
      // It waits until the alarm is on.
      try servers.setAlarm(true)
      strike("rabbitmq")
      hold(kind, for: random.number(isShort ? 2...4 : 3...15), status)
      try servers.setAlarm(false)
      begin()
    case .queueFull: try fillQueues(&random, strike, begin)
    case .connectionsCut, .connectionsStalled, .answersLost:
      try disturbConnections(kind, &random, begin)
      strike("connections")
    case .gatewayCut: try cutGateway(&random, status, strike, begin)
    case .requestsDoubled: doubleRequests(&random, status, strike, begin)
    case .diskFull:
      try servers.setDisk(full: true)
      if try service.diskIsFull { strike("disk") }
      hold(kind, &random, status)
      try servers.setDisk(full: false)
      begin()
    case .tableLocked: try lockTable(&random, status, strike, begin)
    case .readersDead:
      try service.withoutProcesses("reader", strike) { hold(kind, &random, status) }
      begin()
    case .workerCrashLoop: try crashAgainAndAgain(&random, status, strike, begin)
    case .layoutChanged:
      if try service.changeQueues() { strike("layout") }
      begin()
    case .certificateEnds: try endCertificate(&random, status, strike, begin)
    }
  }

  // MARK: Holding

  /// Is told whether `cubistd status` named a fault, and the names of its findings.
  typealias StatusListener = (_ isNamed: Bool, _ found: [String]) -> Void
  /// How long `cubistd status` is asked at most, in seconds.
  private static let asking: Double = 6

  /// Waits for as long as a fault lasts that is held and taken back.
  func hold(_ kind: FaultKind, _ random: inout SplitMix64, _ status: StatusListener?) {
    let isLong = long.withLock { $0.remove(kind) } != nil
    hold(kind, for: isLong ? 300 : random.number(isShort ? 3...6 : 5...40), status)
  }

  /// Holds a fault for so many seconds. If `cubistd status` can know by then, it is asked.
  private func hold(_ kind: FaultKind, for seconds: Double, _ status: StatusListener?) {
    let end = uptime() + UInt64(seconds * 1_000_000_000)
    if let sign = kind.sign, seconds >= sign.afterSeconds + Injector.asking {
      wait(sign.afterSeconds)
      ask(sign.name, until: end, status)
    }
    while uptime() < end, !stop() { pauseThread(0.02) }
  }

  /// Asks `cubistd status` again and again until it finds something by a name.
  private func ask(_ name: String, until end: UInt64, _ status: StatusListener?) {
    guard let status else { return }
    var found: [String] = []
    repeat {
      found = service.statusFindings()
      if found.contains(name) { return status(true, found) }
      wait(0.5)
    } while uptime() < end && !stop()
    if !stop() { status(false, found) }
  }

  private func wait(_ seconds: Double) {
    let end = uptime() + UInt64(seconds * 1_000_000_000)
    while uptime() < end, !stop() { pauseThread(0.02) }
  }

  // MARK: Processes

  private func pause(
    _ random: inout SplitMix64, _ strike: (String) -> Void, _ begin: () -> Void
  ) throws {
    let worker = service.process("worker", random.next())
    begin()
    if worker.stop() { strike("worker") }
    defer { worker.resume() }
    // A heartbeat in the database counts for ten seconds, one of the broker for up to thirty.
    wait(random.number(isShort ? 11...13 : 11...45))
  }

  private func crashAgainAndAgain(
    _ random: inout SplitMix64, _ status: StatusListener?, _ strike: (String) -> Void,
    _ begin: () -> Void
  ) throws {
    let end = uptime() + UInt64(random.number(isShort ? 8...12 : 20...60) * 1_000_000_000)
    // The times of death of the processes that had lived long enough to give a sign of life. The
    // service cannot know of the others.
    var deaths: [UInt64] = []
    var count = 0
    while uptime() < end, !stop() {
      count += 1
      let worker = try service.startGuest("worker", number: count)
      // Sometimes it dies before its start is noticed, sometimes it has begun to work.
      let life = random.number(0.2...4)
      wait(life)
      if worker.kill() { strike("worker-guest") }
      if life > 2.5 { deaths.append(uptime()) }
    }
    if let sign = FaultKind.workerCrashLoop.sign {
      let silent = deaths.filter { seconds(from: $0, to: uptime()) > sign.afterSeconds }
      // A slow one may have died before its first sign of life.
      if silent.count > 4 {
        ask(sign.name, until: uptime() + UInt64(Injector.asking * 1_000_000_000), status)
      }
    }
    begin()
  }

  // MARK: The working key

  /// Gives the service a working key whose certificate ends soon, and renews the key as an operator
  /// would.
  private func endCertificate(
    _ random: inout SplitMix64, _ status: StatusListener?, _ strike: (String) -> Void,
    _ begin: () -> Void
  ) throws {
    let signers = service.processes("worker") + service.processes("scheduler")
    let before = signers.map { $0.complaints(of: Injector.noCertificate) }
    // Roles look at the key file every five seconds.
    try Injector.untilAnswered { try service.certifyWorkingKey(forSeconds: 8) }
    for _ in 0..<300 where !stop() {
      pauseThread(0.2)
      let after = signers.map { $0.complaints(of: Injector.noCertificate) }
      if zip(before, after).allSatisfy({ $0 < $1 }) { break }
    }
    for (signer, count) in zip(signers, before)
    where signer.complaints(of: Injector.noCertificate) > count {
      strike(signer.role)
    }
    hold(.certificateEnds, &random, status)
    try Injector.untilAnswered { try service.renewWorkingKey() }
    begin()
  }

  /// A role that may not sign logs this.
  private static let noCertificate = "No certificate covers the working key"

  // MARK: PostgreSQL

  private func lockTable(
    _ random: inout SplitMix64, _ status: StatusListener?, _ strike: (String) -> Void,
    _ begin: () -> Void
  ) throws {
    try Injector.untilAnswered {
      let connection = try service.connectDirectly()
      defer { connection.close() }
      _ = try connection.query("BEGIN")
      // Otherwise the server ends the session after ten seconds, and the lock with it.
      _ = try connection.query("SET LOCAL idle_in_transaction_session_timeout = 0")
      _ = try connection.query("LOCK TABLE matches IN ACCESS EXCLUSIVE MODE")
      strike("table")
      hold(.tableLocked, &random, status)
      // A server that was restarted meanwhile has forgotten it.
      do { _ = try connection.query("ROLLBACK") } catch {}
    }
    begin()
  }

  /// Pulls a lever that stops the server sooner or later, and watches for the moment.
  private func stopPostgres(
    _ strike: (String) -> Void, _ begin: () -> Void,
    _ lever: @escaping @Sendable (RunServers) throws -> Void
  ) throws {
    let connection = try service.connectDirectly()
    defer { connection.close() }
    let running = RunningLever { [servers] in try lever(servers) }
    do throws(PostgreSQLError) {
      while running.isRunning {
        _ = try connection.query("SELECT 1")
        pauseThread(0.005)
      }
    } catch {
      begin()
      strike("postgresql")
    }
    try running.wait()
  }

  private func terminateBackends(_ random: inout SplitMix64, _ begin: () -> Void) throws {
    let percent = 20 + Int64(random.next() % 81)
    // The server may be restarted at the same moment.
    try Injector.untilAnswered {
      let connection = try service.connectDirectly()
      defer { connection.close() }
      begin()
      let ended = try connection.query(
        """
        SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name LIKE 'cubistd %'
          AND random() * 100 < $1::int8
        """, [.int64(percent)])
      // Another fault may have ended all of them just before.
      guard try ended.only[0].int64 > 0 else { throw ChaosFailure("the service has no session") }
    }
  }

  // MARK: RabbitMQ

  private func fillQueues(
    _ random: inout SplitMix64, _ strike: (String) -> Void, _ begin: () -> Void
  ) throws {
    let workers = service.processes("worker")
    defer { for worker in workers { worker.resume() } }
    let length = 1 + Int(random.next() % 8)
    try Injector.untilAnswered {
      try service.host.setPolicy(
        "chaos", pattern: "^cubist[.](slots[.].*|jobs)$",
        definition: ["max-length": .number(length)])
    }
    for worker in workers where worker.stop() { strike("worker") }
    wait(random.number(isShort ? 2...4 : 3...8))
    for worker in workers { worker.resume() }
    // Workers take from it again, but it stays full for a while.
    wait(random.number(0...2))
    try Injector.untilAnswered { try service.host.removePolicy("chaos") }
    begin()
  }

  /// Asks a server until it answers: another fault may have it down.
  static func untilAnswered(
    pause: () -> Void = { pauseThread(0.25) }, _ request: () throws -> Void
  ) throws {
    for _ in 0..<240 {
      do { return try request() } catch { pause() }
    }
    try request()
  }

  // MARK: Connections

  private func disturbConnections(
    _ kind: FaultKind, _ random: inout SplitMix64, _ begin: () -> Void
  ) throws {
    let doors = service.doors[Int(random.next() % UInt64(service.doors.count))]
    // Players and gateways never speak with the database.
    let server: Doors.Server = doors.users != .roles || random.happens(50) ? .broker : .database
    // Another fault may have ended them just before.
    try Injector.untilAnswered {
      guard doors.connectionCount(server) > 0 else { throw ChaosFailure("nobody is connected") }
    }
    switch kind {
    case .connectionsStalled:
      let ways: [TCPProxy.Directions] = [.toServer, .toClient, .both]
      doors.stall(server, ways[Int(random.next() % 3)])
      wait(random.number(0.2...(isShort ? 4 : 12)))
      try doors.resume(server)
    case .answersLost:
      doors.stall(server, .toClient)
      wait(random.number(0.02...0.6))
      doors.cut(server)
      try doors.resume(server)
    default: doors.cut(server)
    }
    begin()
  }
}
