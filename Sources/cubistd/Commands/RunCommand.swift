import ArgumentParser
import Foundation
import Logging
import MatchGateway
import MatchInterfaces
import MatchService
import Metrics
import ServiceMetrics

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run roles of the service in this process until SIGTERM.",
    discussion: """
      Examples:
        cubistd run                        every role
        cubistd run worker --workers 2     two turn workers
        cubistd run scheduler relay reader push rater
        cubistd run gateway                players by HTTP; needs no database

      Logs are JSON lines on standard error. After SIGTERM every role finishes its work, \
      within 20 s; a second one ends the process at once. Under systemd it says when every role \
      works, and the watchdog hears of it as long as none hangs.
      """)

  @Argument(
    help: """
      worker, scheduler, relay, reader, push, rater, gateway; default: those of CUBIST_ROLES, or \
      all, the gateway only where CUBIST_GATEWAY_LISTEN is set.
      """,
    transform: RunCommand.role)
  var roles: [RoleName] = []
  @Option(help: "How many turn workers run; overrides CUBIST_WORKERS.")
  var workers: Int?

  private static func role(_ text: String) throws -> RoleName {
    if let role = RoleName(named: text) { return role }
    let known = RoleName.named.map(\.rawValue).joined(separator: ", ")
    throw ValidationError("\"\(text)\" is no role; there are \(known).")
  }

  func validate() throws {
    if let workers, !(1...64 ~= workers) {
      throw ValidationError("--workers is \(workers), not 1 to 64.")
    }
    guard Set(roles).count == roles.count else {
      throw ValidationError("A role is named twice; --workers runs several workers.")
    }
  }

  func run() throws {
    RunCommand.boundNameLookups()
    Signals.listen(leavingAtOnceAfter: 2)
    try Output.reporting { () throws(OperatorFailure) in
      let settings = try RunCommand.settings(roles)
      let log = Logger.make(
        level: settings.logLevel, clock: .live, sink: .standardError)
      log.begin(settings)
      // Before anything makes a meter.
      let registry = MetricsRegistry()
      MetricsSystem.bootstrap(registry)
      RunCommand.warn(of: ProcessInfo.processInfo.environment, log)
      let runners = try runners(settings, log)
      let process = ServiceProcess(
        runners: runners, stop: Signals.stop, clock: .live, log: log)
      try run(process, settings.healthListen, registry, log)
    }
  }

  /// Bounds how long a look-up of a name may take, unless the environment does. A push worker gives
  /// up a request whose name is not found in time, and the thread that looks goes on until then.
  ///
  /// Before the process has other threads: they read the environment.
  private static func boundNameLookups() { setenv("RES_OPTIONS", "timeout:2 attempts:2", 0) }

  /// Names variables that look like settings and are none, such as one with a typing mistake.
  static func warn(of environment: [String: String], _ log: Logger) {
    for unknown in UnknownSetting.all(in: environment) {
      log.warning("unknown setting", metadata: ["help": "\(unknown)"])
    }
  }

  /// The settings, with those that the roles need; without roles those of the settings run.
  static func settings(_ roles: [RoleName]) throws(OperatorFailure) -> ServiceSettings {
    // Settings that cannot be read are reported with those that are missing.
    let read = try? ServiceSettings.load(needing: [])
    let roles = roles.isEmpty ? read?.roles ?? RoleName.standard : roles
    var settings = try ServiceSettings.load(needing: needed(by: roles, read))
    settings.roles = roles
    return settings
  }

  /// The settings that roles need; `read` are those that there are, nil where they cannot be read.
  static func needed(by roles: [RoleName], _ read: ServiceSettings?) -> Set<SettingName> {
    var needed: Set<SettingName> =
      roles == [.gateway] ? [] : [.database, .broker, .serviceKeys]
    if roles.contains(.gateway) { needed.formUnion([.gatewayBroker, .gatewayListen]) }
    if let read, roles.flatMap(\.databaseUsers).allSatisfy({ read.databaseUsers[$0] != nil }) {
      needed.remove(.database)
    }
    return needed
  }

  private func runners(
    _ settings: ServiceSettings, _ log: Logger
  ) throws(OperatorFailure) -> [RoleRunner] {
    let roles = settings.roles
    // Nil where a setting is wrong now: then those of the start go on.
    let readAgain = { @Sendable () -> ServiceSettings? in try? RunCommand.settings(roles) }
    var runners: [RoleRunner] = []
    let others = roles.filter { $0 != .gateway }
    if !others.isEmpty {
      let wiring = try Wiring(settings, log: log, readAgain: readAgain)
      if let problem = wiring.problem() { throw .settings([problem]) }
      try wiring.watchStatements(of: others, stop: Signals.stop)
      runners += wiring.runners(
        of: others, workers: workers ?? settings.workers, stop: Signals.stop)
    }
    if roles.contains(.gateway) {
      runners += try GatewayWiring(settings, log: log, readAgain: readAgain)
        .runners(stop: Signals.stop)
    }
    return runners
  }

  private func run(
    _ process: ServiceProcess, _ health: ListenAddress?, _ registry: MetricsRegistry,
    _ log: Logger
  ) throws(OperatorFailure) {
    let health = try health.map { listen throws(OperatorFailure) in
      do throws(HealthFailure) {
        let page = MetricsPage(registry, of: process, clock: .live)
        return try HealthServer(
          at: listen, of: process, clock: .live, log: log, metrics: { page.text($0) })
      } catch {
        throw .wrong("\(error)")
      }
    }
    defer { health?.stop() }
    let end = StopSignal()
    defer { end.ask() }
    let manager = ManagerReporter(
      environment: ProcessInfo.processInfo.environment, clock: .live, log: log)
    @Sendable func report() -> HealthReport {
      HealthReport(of: process, at: WallClock.live.uptimeNanoseconds())
    }
    do throws(ThreadFailure) {
      try process.start()
      try manager?.start(until: end, report: report)
    } catch { throw .servers("\(error)") }
    for (name, state) in process.waitUntilWorking(atMost: .seconds(10)) {
      guard case .interrupted(let reason) = state else { continue }
      let failure: OperatorFailure =
        switch reason {
        case .store(let error): .store(error)
        case .bus(let error):
          GatewayWiring.roleNames.contains(name) ? .gatewayBroker(error) : .broker(error)
        case .keys(let error): .unreadable("\(error)")
        case .receiver(let text), .listener(let text): .wrong(text)
        }
      log.of(name).error("role does not work yet", metadata: ["help": "\(failure)"])
    }
    let late = process.waitUntilStopped()
    // The roles may have left before the other thread looked.
    manager?.tell(report())
    guard late.isEmpty else {
      throw .wrong("did not finish within 20 s: \(late.joined(separator: ", "))")
    }
  }
}
