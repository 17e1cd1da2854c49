import Foundation
import MatchCore
import MatchInterfaces
import PrivateServers
import Synchronization

/// Puts a whole service under load, makes everything fail, and checks whether anything was lost or
/// done twice.
package final class ChaosRun: Sendable {
  /// How long a fault may be felt.
  static let recoveryLimit: Duration = .seconds(120)

  private let options: ChaosOptions
  private let isStopped: @Sendable () -> Bool
  private let progress: @Sendable (String) -> Void

  /// Prepares a run.
  ///
  /// - Parameters:
  ///   - isStopped: Whether somebody wants it to end early.
  ///   - progress: Called with a line about the current step, about once a second.
  package init(
    _ options: ChaosOptions, isStopped: @escaping @Sendable () -> Bool = { false },
    progress: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.options = options
    self.isStopped = isStopped
    self.progress = progress
  }

  /// Runs, and leaves nothing running.
  ///
  /// - Throws: ``ChaosFailure`` where servers or processes cannot be had or faults cannot be made
  ///   to happen, ``ChaosInterruption`` where somebody wanted it to end.
  package func run() throws -> ChaosReport {
    let run = "\(options.folder)/run"
    try? FileManager.default.removeItem(atPath: run)
    try FileManager.default.createDirectory(atPath: run, withIntermediateDirectories: true)
    let servers = RunServers(
      folder: "\(options.folder)/servers",
      fullDiskLibrary: options.needs(.diskFull) ? options.fullDiskLibrary : nil)
    // Should this process die from now on, nothing it starts stays.
    let group = try ProcessGroup()
    progress("starting servers")
    let addresses = try servers.start(
      ServerOptions(tls: true, standby: options.needs(.postgresFailover)), keptBy: options.binary)
    defer {
      group.end()
      try? servers.stop()
    }
    try checkpoint()
    let service = try ServiceUnderTest(
      addresses, layout: options.queues, folder: run, binary: options.binary, group: group,
      limits: options.isAttacked ? .attacked : .none, former: options.former)
    defer { service.close() }
    progress("setting up")
    try service.start()
    let crowd = Crowd(
      count: options.players, watch: AnswerWatch(options.watched, gateways: service.proxies.count))
    crowd.start(seed: options.seed, pause: options.pause, ways: service.ways)
    progress("registering players")
    try crowd.waitUntilRegistered(atMost: .seconds(120))
    let hostile = options.isAttacked ? HostileCrowd() : nil
    hostile?.start(
      seed: options.seed, url: service.playerURL, against: crowd, layout: options.queues)
    let book = FaultLog()
    var report =
      options.former == nil
      ? try disturb(service, servers, crowd, hostile, book)
      : try upgrade(service, crowd)
    try hostile?.leave(atMost: .seconds(60))
    progress("letting everything settle")
    try settle(service, crowd, &report)
    progress("checking")
    try Verification(service, crowd, hostile, faults: book.disturbances).complete(&report)
    return report
  }

  private func checkpoint() throws {
    if isStopped() { throw ChaosInterruption() }
  }

  // MARK: Faults

  /// Lets faults happen for as long as was asked.
  private func disturb(
    _ service: ServiceUnderTest, _ servers: RunServers, _ crowd: Crowd,
    _ hostile: HostileCrowd?, _ book: FaultLog
  ) throws -> ChaosReport {
    let injector = Injector(
      service, servers: servers, isShort: options.isShort, isLong: options.isLong, stop: isStopped)
    var plan = FaultPlan(options.faults, seed: options.seed, pauses: options.quiet)
    let began = uptime()
    var report = ChaosReport(seed: options.seed)
    // A second without faults: every queue has something to do.
    pauseThread(1)
    var roundCount = 0
    while seconds(from: began, to: uptime()) < options.seconds
      || book.records.count < options.leastFaults
    {
      let round = plan.next()
      pauseThread(round.pause)
      roundCount += 1
      for fault in round.faults {
        start(fault, in: roundCount, isAlone: round.faults.count == 1, injector, book)
      }
      let isWell = try awaitRecovery(book, service, crowd, hostile, began)
      let dead = service.deadProcesses()
      report.findings += dead.map { Finding(.wrong, "\($0) ended by itself") }
      guard dead.isEmpty else { break }
      guard isWell else {
        let kinds = round.faults.map(\.kind.rawValue).joined(separator: ", ")
        report.findings.append(
          Finding(
            .wrong, "\(ChaosRun.recoveryLimit) after \(kinds) not every queue answers"))
        break
      }
    }
    report.seconds = seconds(from: began, to: uptime())
    report.faults = book.rows
    report.strikes = book.strikes
    report.findings += book.misses + book.unnamed
    return report
  }

  private func start(
    _ fault: (kind: FaultKind, seed: UInt64), in round: Int, isAlone: Bool,
    _ injector: Injector, _ book: FaultLog
  ) {
    let index = book.open(fault.kind, round: round)
    let thread = Thread {
      do {
        try injector.inject(
          fault.kind, seed: fault.seed,
          status: isAlone ? { book.note(index, isNamed: $0, found: $1) } : nil,
          strike: { book.strike(index, $0) },
          begin: { book.begin(index) })
        book.close(index)
      } catch {
        let isAboutServers = (error as? ChaosFailure)?.isAboutServers ?? false
        book.close(
          index,
          failure: ChaosFailure(
            "\(fault.kind.rawValue): \(error)", isAboutServers: isAboutServers))
      }
    }
    thread.start()
  }

  /// Waits until a round of faults is over and not felt any more.
  ///
  /// - Returns: Whether that came to be in time.
  private func awaitRecovery(
    _ book: FaultLog, _ service: ServiceUnderTest, _ crowd: Crowd, _ hostile: HostileCrowd?,
    _ began: UInt64
  ) throws -> Bool {
    var deadline = ContinuousClock.now + ChaosRun.recoveryLimit
    var told: UInt64 = 0
    while !book.settle(crowd.watch) {
      try checkpoint()
      if let failure = book.failure { throw failure }
      if let failure = crowd.failureText ?? hostile?.failureText { throw ChaosFailure(failure) }
      if uptime() - told > 1_000_000_000 {
        told = uptime()
        tell(book, crowd, began)
        // A process that ended by itself does not come back.
        guard service.deadProcesses().isEmpty else { return false }
      }
      // How long a fault is held is not the service's affair.
      if book.isHeld { deadline = ContinuousClock.now + ChaosRun.recoveryLimit }
      guard ContinuousClock.now < deadline else { return false }
      pauseThread(0.02)
    }
    return true
  }

  private func tell(_ book: FaultLog, _ crowd: Crowd, _ began: UInt64) {
    let records = book.records
    let current = records.filter { !$0.isOver || $0.recovery == nil }.map(\.kind.rawValue)
    let elapsed = Int(seconds(from: began, to: uptime()))
    progress(
      "\(elapsed) of \(Int(options.seconds)) s, \(crowd.tally.turnCount) turns, "
        + "\(records.count) faults: \(current.joined(separator: ", "))")
  }

  /// Replaces every role by those of the other build and back, for as long as was asked.
  private func upgrade(_ service: ServiceUnderTest, _ crowd: Crowd) throws -> ChaosReport {
    var report = ChaosReport(seed: options.seed)
    let began = uptime()
    pauseThread(1)
    let upgrade = Upgrade(service, crowd, isStopped: isStopped) { [progress] step in
      let elapsed = Int(seconds(from: began, to: uptime()))
      progress("\(elapsed) s, \(crowd.tally.turnCount) turns: \(step)")
    }
    var done = ChaosReport.Upgrades()
    repeat {
      report.findings += try upgrade.run(&done)
    } while report.findings.isEmpty && seconds(from: began, to: uptime()) < options.seconds
    report.seconds = seconds(from: began, to: uptime())
    report.upgrades = done
    return report
  }

  // MARK: The end

  /// Waits until everything is answered and handed over.
  private func settle(
    _ service: ServiceUnderTest, _ crowd: Crowd, _ report: inout ChaosReport
  ) throws {
    report.load.turnsPerSecond = Double(crowd.tally.turnCount) / max(1, report.seconds)
    try crowd.leave(atMost: .seconds(120))
    if let failure = crowd.failureText { throw ChaosFailure(failure) }
    let bus = try service.directPlayerBus()
    defer { bus.close() }
    do {
      let limit = ContinuousClock.now + .seconds(120)
      try waitUntil("every event is answered", atMost: .seconds(120)) {
        try checkpoint()
        // The next request replaces a broken connection.
        return (try? crowd.log.settle(over: bus, until: limit)) ?? false
      }
      try service.waitUntilPushed(atMost: .seconds(120), checkpoint)
    } catch let failure as ChaosFailure {
      // Missing answers are found one by one later, and named.
      report.findings.append(Finding(.wrong, failure.description))
    }
    try checkpoint()
  }
}

/// Somebody wanted a run to end before its time.
package struct ChaosInterruption: Error {}
