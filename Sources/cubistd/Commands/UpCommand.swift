import ArgumentParser
import BrokerManagement
import Foundation
import MatchInterfaces
import MatchService

struct UpCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "up",
    abstract: "Run a whole service on this machine, with its own PostgreSQL and RabbitMQ.",
    discussion: """
      Examples:
        cubistd up
        cubistd up --folder /srv/cubist --bots 3
        cubistd up --amqp              an account for programs of your own, too

      The folder keeps everything: a new start continues where the last one stopped. A server that \
      dies is started again. Needs the Debian packages postgresql, rabbitmq-server and openssl; it \
      never touches the machine's own servers.

      Players come by HTTP. --amqp also makes a broker account for programs of your own. Whoever \
      has it can end RabbitMQ below \(BrokerVersion.withoutPeril).
      """)

  @Option(help: "The folder of servers, keys and logs.")
  var folder = ".cubist"
  @Option(help: "How many bots play, 0 to 100.")
  var bots = 1
  @Option(help: "How many turn workers run, 0 to 64; 0 if `cubistd run worker` runs them.")
  var workers = 1
  @Option(help: "How many queues of events there are, 1 to 1024.")
  var queues = 16

  @Option(
    name: .customLong("http-port"),
    help: "The port of the gateway, 1 to 65535; by default that of the last start, or a free one.")
  var httpPort: Int?

  @Flag(
    name: .customLong("amqp"),
    help: ArgumentHelp(
      "Make a broker account for programs of your own. It can end RabbitMQ below "
        + "\(BrokerVersion.withoutPeril)."))
  var makesPlayerAccount = false

  func validate() throws {
    if let httpPort, !(1...65_535 ~= httpPort) {
      throw ValidationError("--http-port is \(httpPort), not 1 to 65535.")
    }
    guard 0...100 ~= bots else { throw ValidationError("--bots is \(bots), not 0 to 100.") }
    guard 0...64 ~= workers else { throw ValidationError("--workers is \(workers), not 0 to 64.") }
    guard 1...1_024 ~= queues else {
      throw ValidationError("--queues is \(queues), not 1 to 1024.")
    }
  }

  func run() throws {
    // The first signal stops in good order, the second without waiting for roles, the third now.
    Signals.listen(leavingAtOnceAfter: 3)
    try Output.reporting { () throws(OperatorFailure) in try up() }
  }

  private func up() throws(OperatorFailure) {
    let folder = try PrivateFolder(folder)
    let lock = try UpCommand.lock(folder)
    defer { withExtendedLifetime(lock) {} }
    var service = PrivateService(folder: folder, workers: workers, queues: queues, bots: bots)
    service.httpPort = httpPort
    service.makesPlayerAccount = makesPlayerAccount
    try UpCommand.setPush(of: &service)
    Output.note("Starting PostgreSQL and RabbitMQ in \(folder.path) …")
    let servers = try OwnServers(in: folder, keptBy: OwnProgram.path).start()
    do throws(OperatorFailure) {
      let running = try service.start(servers.addresses, stop: Signals.stop)
      Output.out(greeting(folder, running))
      wait(for: running, of: service, on: servers)
    } catch {
      // The first failure is the one to tell.
      Signals.stop.ask()
      try? servers.stop()
      throw error
    }
    Output.note("Stopping the servers …")
    try servers.stop()
    guard Signals.count < 2 else { throw .interrupted(status: Signals.exitStatus) }
    Output.note("Stopped. `cubistd up` goes on from here.")
  }

  /// Takes the settings of notifications that the environment has.
  static func setPush(
    of service: inout PrivateService,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(OperatorFailure) {
    let (contact, allow) = (SettingName.pushContact, SettingName.pushAllow)
    if let text = environment[contact.rawValue], !text.isEmpty {
      guard WebPushSettings.isContact(text) else {
        throw .settings(["\(contact.rawValue) is no contact; for example: \(contact.example)"])
      }
      service.pushContact = text
    }
    if let text = environment[allow.rawValue], !text.isEmpty {
      guard AddressRange.list(text) != nil else {
        throw .settings(["\(allow.rawValue) is no list of networks; for example: \(allow.example)"])
      }
      service.pushAllow = text
    }
    let bundle = SettingName.pushBundle
    if let text = environment[bundle.rawValue], !text.isEmpty {
      guard let seconds = Int(text), 0...300 ~= seconds else {
        throw .settings(["\(bundle.rawValue) is no number from 0 to 300; for example: 300"])
      }
      service.pushBundleSeconds = seconds
    }
  }

  /// Makes this the only service of the folder.
  static func lock(_ folder: PrivateFolder) throws(OperatorFailure) -> FolderLock {
    guard let lock = try FolderLock(folder.path) else {
      throw .servers(
        """
        another `cubistd up` uses \(folder.path)
        End that one with Ctrl-C, then run this again: nothing is lost.
        """)
    }
    return lock
  }

  private func greeting(
    _ folder: PrivateFolder, _ running: PrivateService.Running
  ) -> String {
    """
    Cubist runs: \(queues) queues, workers: \(workers), bots: \(bots).

    In a browser:

      \(running.httpURL)/

    On the command line:

      cubist connect \(running.httpURL)

    Then `cubist register NAME` and `cubist start`. Operators:

      CUBIST_CONFIG=\(folder.settings) cubistd status
    \(running.amqpURL.map(programs) ?? "")
    Ctrl-C stops everything.
    """
  }

  /// The lines about the account for programs of the operator's own.
  private func programs(_ url: String) -> String {
    """

    Programs of your own, by AMQP. Whoever has this URL can end RabbitMQ below \
    \(BrokerVersion.withoutPeril):

      cubist connect \(url)

    """
  }

  /// Waits for a signal, and then for the roles to finish their work, unless there is a second
  /// signal.
  private func wait(
    for running: PrivateService.Running, of service: PrivateService, on servers: OwnServers.Running
  ) {
    let clock = WallClock.live
    let restarts = ServerRestarts(of: servers) { Output.note($0) }
    var troubles: [String: String] = [:]
    var looks = 0
    while !Signals.stop.isAsked {
      clock.sleep(.milliseconds(100))
      tell(running.process, &troubles)
      looks += 1
      if looks.isMultiple(of: UpCommand.looksPerServerCheck) { restarts.look() }
    }
    Output.note("Roles finish what they are at …")
    service.drain(running) { Signals.count > 1 }
    // Servers that are being started could not be stopped.
    restarts.wait()
  }

  /// The servers' processes are looked for every two seconds.
  private static let looksPerServerCheck = 20

  /// Says which roles have stopped working, and which work again.
  private func tell(_ process: ServiceProcess, _ troubles: inout [String: String]) {
    for runner in process.runners {
      switch runner.state {
      case .interrupted(let reason) where troubles[runner.name] == nil:
        troubles[runner.name] = "\(reason)"
        Output.note("\(runner.name) waits: \(reason)")
      case .working where troubles.removeValue(forKey: runner.name) != nil:
        Output.note("\(runner.name) works again")
      default: break
      }
    }
  }
}
