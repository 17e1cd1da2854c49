import BrokerManagement
import EventBusLive
import Logging
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PrivateServers

/// A whole service for one machine: private servers, every role and some bots in this one process.
struct PrivateService: Sendable {
  /// How long roles may take before all of them work.
  static let readyTime: Duration = .seconds(60)

  let folder: PrivateFolder
  var workers: Int
  var queues: Int
  var bots: Int
  /// The port of the gateway; nil: that of the last start, or any.
  var httpPort: Int?
  /// Whether the broker has an account for the operator's own programs.
  var makesPlayerAccount = false
  /// Where push services of browsers reach the operator. Apple's wants a public address.
  var pushContact = "mailto:cubist@localhost"
  /// Networks in which push services of browsers may be all the same, as the setting has them.
  var pushAllow = ""
  /// For how many seconds news wait for others.
  var pushBundleSeconds = 300
  var clock = WallClock.live
  var randomness = Randomness.live

  /// A service that runs.
  struct Running: Sendable {
    let process: ServiceProcess
    let bots: ServiceProcess
    /// Stops the roles; bots stop before them, by the signal that stops everything.
    let rolesStop: StopSignal
    /// The URL of the broker for the operator's own programs, with their password; nil where they
    /// have no account.
    let amqpURL: String?
    /// The URL of its gateway, which players connect to.
    let httpURL: String
  }

  /// Sets up everything that is missing, starts roles and bots, and waits until all of them work.
  func start(
    _ addresses: ServerAddresses, stop: StopSignal
  ) throws(OperatorFailure) -> Running {
    try checkpoint(stop)
    let url = try makesPlayerAccount ? playerURL(addresses) : nil
    let settings = try settings(addresses.ofService, players: url)
    if url == nil { try removePlayerAccount(settings) }
    try ServiceSetup(settings).run { line in log.info("\(line)") }
    if let url { try Files.write(Array("\(url)\n".utf8), to: folder.url, mode: 0o600) }
    try checkpoint(stop)
    log.begin(settings)
    let wiring = try Wiring(settings, log: log, clock: clock, randomness: randomness)
    let rolesStop = StopSignal()
    let process = ServiceProcess(
      runners: wiring.runners(of: RoleName.standard, workers: workers, stop: rolesStop)
        + (try GatewayWiring(settings, log: log, clock: clock, randomness: randomness))
        .runners(stop: rolesStop),
      stop: rolesStop, clock: clock, log: log)
    do throws(OperatorFailure) {
      do throws(ThreadFailure) { try process.start() } catch { throw .servers("\(error)") }
      try waitUntilWorking(process, stop)
      return Running(
        process: process, bots: try startBots(wiring, settings, stop), rolesStop: rolesStop,
        amqpURL: url,
        httpURL: "http://127.0.0.1:\(settings.gateway?.listen.port ?? 0)")
    } catch {
      rolesStop.ask()
      throw error
    }
  }

  private func playerURL(_ addresses: ServerAddresses) throws(OperatorFailure) -> String {
    try addresses.players(
      password: folder.password(of: OwnServers.playerUser, randomness: randomness))
  }

  /// Takes the account away that a former start has made.
  private func removePlayerAccount(_ settings: ServiceSettings) throws(OperatorFailure) {
    if let administration = try settings.administration() {
      try onManagement(try administration.deleteUser(OwnServers.playerUser))
    }
    Files.remove(folder.url)
  }

  private func waitUntilWorking(
    _ process: ServiceProcess, _ stop: StopSignal
  ) throws(OperatorFailure) {
    let began = clock.uptimeNanoseconds()
    let limit = UInt64(PrivateService.readyTime / .nanoseconds(1))
    while true {
      let idle = process.waitUntilWorking(atMost: .milliseconds(200))
      try checkpoint(stop)
      guard !idle.isEmpty else { return }
      guard clock.uptimeNanoseconds() - began > limit else { continue }
      let states = idle.map { "\($0.name): \($0.state)" }.joined(separator: "\n")
      throw .servers("these roles do not work yet, see \(folder.log):\n\(states)")
    }
  }

  /// Lets bots and then roles finish their work, for 20 s at most, or until `isUrgent`.
  func drain(_ running: Running, isUrgent: () -> Bool) {
    let began = clock.uptimeNanoseconds()
    let limit = UInt64(ServiceProcess.leaveTime / .nanoseconds(1))
    for (process, stop) in [(running.bots, nil), (running.process, running.rolesStop)] {
      stop?.ask()
      while !isUrgent(), clock.uptimeNanoseconds() - began < limit,
        process.runners.contains(where: { $0.state != .stopped })
      {
        clock.sleep(.milliseconds(20))
      }
    }
  }

  private var log: Logger {
    // A file that cannot be opened is noticed before anything is started.
    let sink = (try? LineSink.file(folder.log, followingLinks: false)) ?? .standardError
    return .make(level: .info, clock: clock, sink: sink)
  }

  /// Starts the bots. Each keeps its key and its pending events in a folder of its own, so that
  /// nothing is lost when it is stopped in the middle of something. They share the gateway's process
  /// and its account: by HTTP they would use up the limits of this machine's players.
  private func startBots(
    _ wiring: Wiring, _ settings: ServiceSettings, _ stop: StopSignal
  ) throws(OperatorFailure) -> ServiceProcess {
    guard let account = try settings.gatewayAccount() else {
      throw .settings(["\(SettingName.gatewayBroker.rawValue) is not set: bots cannot connect"])
    }
    for index in 0..<bots { try Files.refuseStrange(folder.bot(index + 1)) }
    let runners = (0..<bots).map { index in
      let number = index + 1
      let player = BotPlayer(
        number: number, address: account.address, folder: folder.bot(number),
        lexicons: wiring.lexicons, clock: clock, randomness: randomness,
        log: wiring.bus.log.of("bot \(number)"))
      return RoleRunner(
        name: "bot \(number)", stop: stop, clock: clock, randomness: randomness,
        log: player.log, make: player.role)
    }
    let process = ServiceProcess(runners: runners, stop: stop, clock: clock, log: wiring.bus.log)
    do throws(ThreadFailure) { try process.start() } catch { throw .servers("\(error)") }
    return process
  }

  /// The settings by which this and every other command finds the service; written to a file for
  /// those.
  private func settings(
    _ addresses: ServerAddresses.Secured, players: String?
  ) throws(OperatorFailure) -> ServiceSettings {
    guard let layout = QueueLayout(queueCount: queues) else {
      throw .settings(["--queues is \(queues), not a number from 1 to \(Slot.count)"])
    }
    let password = try folder.password(of: "service", randomness: randomness)
    let gateway = try addresses.broker(
      user: "gateway", password: folder.password(of: "gateway", randomness: randomness))
    var settings = ServiceSettings(
      database: addresses.database,
      broker: try addresses.broker(user: "service", password: password),
      brokerManagement: addresses.management, playerBroker: players, gatewayBroker: gateway,
      serviceKeys: folder.keys,
      layout: layout, workers: workers)
    for user in DatabaseUser.allCases {
      let password = try folder.password(of: "database-\(user)", randomness: randomness)
      settings.databaseUsers[user] =
        "\(settings.database) user=cubist_\(user) password=\(password)"
    }
    let listen = ListenAddress(host: "127.0.0.1", port: try chosenPort())
    settings.gateway = GatewaySettings(listen: listen)
    // A browser can subscribe at once, and its notifications stay in the log as well.
    settings.push = PushWays([
      LogSettings(path: folder.pushLog),
      WebPushSettings(keyPath: folder.pushKey, contact: pushContact),
    ])
    settings.pushAllow = AddressRange.list(pushAllow) ?? []
    settings.pushBundleSeconds = pushBundleSeconds
    // Its own first robot is called that.
    settings.reservedNames = ReservedNames(
      settings.reservedNames.names.filter { $0.key != BotPlayer.firstName.lowercased() })
    var lines = [
      "# Written by `cubistd up` at each start. It holds passwords.",
      "\(SettingName.database.rawValue)=\(settings.database)",
      "\(SettingName.broker.rawValue)=\(settings.broker)",
      "\(SettingName.brokerManagement.rawValue)=\(addresses.management)",
      "\(SettingName.gatewayBroker.rawValue)=\(gateway)",
      "\(SettingName.serviceKeys.rawValue)=\(settings.serviceKeys)",
      "\(SettingName.queues.rawValue)=\(layout.queueCount)",
      "\(SettingName.pushLog.rawValue)=\(folder.pushLog)",
      "\(SettingName.push.rawValue)=\(settings.push.names)",
      "\(SettingName.pushVAPIDKey.rawValue)=\(folder.pushKey)",
      "\(SettingName.pushContact.rawValue)=\(pushContact)",
      "\(SettingName.pushAllow.rawValue)=\(pushAllow)",
      "\(SettingName.pushBundle.rawValue)=\(pushBundleSeconds)",
      "\(SettingName.reservedNames.rawValue)="
        + settings.reservedNames.names.map(\.text).joined(separator: ","),
    ]
    lines += players.map { ["\(SettingName.playerBroker.rawValue)=\($0)"] } ?? []
    lines += settings.databaseUsers.map { "\(SettingName(of: $0).rawValue)=\($1)" }.sorted()
    try Files.write(
      Array((lines.joined(separator: "\n") + "\n").utf8), to: folder.settings, mode: 0o600)
    return settings
  }

  /// The port of the gateway, kept for the next start.
  private func chosenPort() throws(OperatorFailure) -> Int {
    var last: Int?
    if Files.exists(folder.httpPort) {
      let text = String(decoding: try Files.readOwn(folder.httpPort), as: UTF8.self)
      last = Int(text.prefix { $0.isNumber })
    }
    let port = try HTTPPort.choose(asked: httpPort, last: last)
    try Files.write(Array("\(port)\n".utf8), to: folder.httpPort, mode: 0o644)
    return port
  }

  private func checkpoint(_ stop: StopSignal) throws(OperatorFailure) {
    if stop.isAsked { throw .interrupted(status: Signals.exitStatus) }
  }
}
