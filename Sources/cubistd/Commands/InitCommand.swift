import ArgumentParser
import BrokerManagement
import EventBusLive
import Foundation
import Glibc
import MatchInterfaces
import MatchService

struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Write the settings of a new service, check its servers, and set it up.",
    discussion: """
      Examples:
        cubistd init
        cubistd init --database postgresql://cubist@db.example/cubist \\
          --broker amqps://mq.example/cubist
        cubistd init --user \"\" --settings cubistd.env --keys keys.json   runs as you

      It asks for what no option and no variable of the environment says; where nobody can answer, \
      it takes the values for servers on this machine. It makes the passwords that are missing. \
      If a server does not let the service in, it prints the lines that the server's administrator \
      has to run. Then run the same command again: settings that are there stay as they are. At \
      the end it does what `cubistd setup` does.
      """)

  @Option(help: "PostgreSQL, as a URI or a connection string without a password.")
  var database: String?
  @Option(help: "RabbitMQ, as a URL without a password.")
  var broker: String?
  @Option(
    help: "RabbitMQ's management API, as a URL without a password, to let setup make users there.")
  var management: String?
  @Option(help: "Where the gateway listens: address and port.")
  var gateway: String?
  @Option(help: "The key file that is made.")
  var keys = InitialSettings.standard.keys
  @Option(help: "The file of the settings that is made.")
  var settings = ServiceSettings.installedFile
  @Option(help: "The user that the service runs as; empty: the user of this command.")
  var user = "cubist"

  func validate() throws {
    for (name, option, text) in [
      (SettingName.database, "--database", database), (.broker, "--broker", broker),
      (.brokerManagement, "--management", management), (.gatewayListen, "--gateway", gateway),
    ] {
      guard let text else { continue }
      if name.holdsSecret(text) {
        throw ValidationError(
          "\(option) holds a password, and every user of this machine can see arguments. "
            + "Set \(name.rawValue) in the environment instead.")
      }
      if let fault = InitialSettings.fault(of: name, text) {
        throw ValidationError("\(option) is \"\(text)\". \(fault)")
      }
    }
  }

  func run() throws {
    Signals.listen(leavingAtOnceAfter: 1)
    try Output.reporting { () throws(OperatorFailure) in try initialize() }
  }

  private func initialize() throws(OperatorFailure) {
    let account = try account()
    if Files.exists(settings) {
      Output.out("\(settings) is there and stays as it is.")
    } else {
      try write(for: account)
      Output.out("\(settings) written.")
    }
    try account?.become()
    let read = try ServiceSettings.load(
      needing: [.database, .broker, .serviceKeys], environment: ["CUBIST_CONFIG": settings])
    let advice = try InitCommand.advice(read, file: settings)
    try InitCommand.check(read, advice)
    let setup = try ServiceSetup(read)
    try SetupLine.printing { report throws(OperatorFailure) in try setup.run(report: report) }
    let problems = try setup.problems()
    for line in problems { Output.out(line) }
    if !problems.isEmpty, read.brokerManagement == nil {
      Output.out("\n" + advice.brokerLines.joined(separator: "\n") + "\n")
    }
    guard problems.isEmpty else { throw .wrong(SetupCommand.closing(problems.count)) }
    Output.out(
      account == nil
        ? "The service is set up: CUBIST_CONFIG=\(settings) cubistd run"
        : "The service is set up: systemctl enable --now cubistd.target")
  }

  /// The user that the service runs as; nil: the user of this command.
  private func account() throws(OperatorFailure) -> ServiceAccount? {
    guard !user.isEmpty, OperatorName.ofProcess != user else { return nil }
    guard getuid() == 0 else {
      throw .wrong(
        "only root can set up a service for the user \(user). Run this by sudo, or for a service of "
          + "your own with --user \"\" --settings FILE --keys FILE.")
    }
    guard let account = ServiceAccount(named: user) else {
      throw .wrong(
        "there is no user \(user): the package cubistd makes it, or name another one with --user")
    }
    return account
  }

  private func write(for account: ServiceAccount?) throws(OperatorFailure) {
    let environment = ProcessInfo.processInfo.environment
    let isTerminal = isatty(STDIN_FILENO) == 1
    func answer(
      _ name: SettingName, _ option: String?, _ question: String, _ standard: String
    ) throws(OperatorFailure) -> String {
      if let option { return option }
      if let given = environment[name.rawValue], !given.isEmpty {
        guard let fault = InitialSettings.fault(of: name, given) else { return given }
        throw .settings(["\(name.rawValue): \(fault)"])
      }
      return try InitCommand.ask(
        "\(question) [\(standard.isEmpty ? "none" : standard)]: ", standard,
        fault: { InitialSettings.fault(of: name, $0) },
        answer: { isTerminal ? readLine() : "" }, tell: { Output.note($0) })
    }
    let standard = InitialSettings.standard
    let answers = InitialSettings(
      database: try answer(.database, database, "PostgreSQL", standard.database),
      broker: try answer(.broker, broker, "RabbitMQ", standard.broker),
      management: try answer(
        .brokerManagement, management, "RabbitMQ's management API, such as http://localhost:15672",
        standard.management),
      gateway: try answer(.gatewayListen, gateway, "Address of the gateway", standard.gateway),
      keys: URL(fileURLWithPath: keys).standardizedFileURL.path)
    try Files.makeFolder(Files.folder(of: settings))
    let text = answers.file(randomness: .live)
    try Files.write(Array(text.utf8), to: settings, mode: 0o600)
    try account?.share(settings)
  }

  /// Asks until an answer has no fault; an empty answer is the standard one.
  static func ask(
    _ question: String, _ standard: String, fault: (String) -> String?,
    answer: () -> String?, tell: (String) -> Void
  ) throws(OperatorFailure) -> String {
    while true {
      tell(question)
      guard let line = answer() else { throw .unreadable("The input ended before an answer.") }
      let text = line.trimmingCharacters(in: .whitespaces)
      let value = text.isEmpty ? standard : text
      guard let fault = fault(value) else { return value }
      tell(fault)
    }
  }

  private static func advice(
    _ settings: ServiceSettings, file: String
  ) throws(OperatorFailure) -> InitialAdvice {
    InitialAdvice(
      file: file, database: try settings.databaseSettings(), systemUser: OperatorName.ofProcess,
      service: try settings.brokerAccount(), players: try settings.playerAccount(),
      gateway: try settings.gatewayAccount(), layout: settings.layout)
  }

  /// Whether both servers let the service in; says otherwise what their administrators have to run.
  private static func check(
    _ settings: ServiceSettings, _ advice: InitialAdvice
  ) throws(OperatorFailure) {
    let database = failure { () throws(OperatorFailure) in
      _ = try Wiring.open(advice.database, as: "cubistd init")
    }
    // With the management API setup makes the users itself.
    let broker: [String]
    if let administration = try settings.administration() {
      let management = failure { () throws(OperatorFailure) in
        try onManagement { () throws(ManagementError) in
          guard try !administration.isAdministrator() else { return }
          throw .notPermitted(
            endpoint: administration.endpoint, user: administration.user)
        }
      }
      broker = advice.lines(onManagement: management, user: administration.user)
    } else {
      let failure = failure { () throws(OperatorFailure) in
        _ = try onBroker(try Topology(layout: settings.layout).missing(at: advice.service.address))
      }
      broker = advice.lines(onBroker: failure)
    }
    let parts = [advice.lines(onDatabase: database), broker]
    for part in parts where !part.isEmpty { Output.out(part.joined(separator: "\n") + "\n") }
    guard parts.allSatisfy(\.isEmpty) else {
      throw .wrong(
        "The servers are not ready yet. Run the lines above first. Then run this command again.")
    }
  }

  private static func failure(
    _ body: () throws(OperatorFailure) -> Void
  ) -> OperatorFailure? {
    do throws(OperatorFailure) {
      try body()
      return nil
    } catch { return error }
  }
}
