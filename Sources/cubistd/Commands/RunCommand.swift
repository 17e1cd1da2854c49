import ArgumentParser
import Logging
import MatchInterfaces
import MatchService

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run roles of the service in this process until SIGTERM.",
    discussion: """
      Examples:
        cubistd run                        every role
        cubistd run worker --workers 2     two turn workers
        cubistd run scheduler relay reader push rater

      Logs are JSON lines on standard error. After SIGTERM every role finishes its work, \
      within 20 s; a second one ends the process at once.
      """)

  @Argument(
    help: """
      worker, scheduler, relay, reader, push, rater; default: those of CUBIST_ROLES, or all.
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
    Signals.listen(leavingAtOnceAfter: 2)
    try Output.reporting { () throws(OperatorFailure) in
      let settings = try ServiceSettings.load(needing: [.database, .broker, .serviceKeys])
      let log = Logger.make(
        level: settings.logLevel, clock: .live, sink: .standardError)
      let wiring = try Wiring(settings, log: log)
      if let problem = wiring.problem() { throw .settings([problem]) }
      let process = wiring.process(
        of: roles.isEmpty ? settings.roles : roles, workers: workers ?? settings.workers,
        stop: Signals.stop)
      try run(process, log)
    }
  }

  private func run(_ process: ServiceProcess, _ log: Logger) throws(OperatorFailure) {
    do throws(ThreadFailure) { try process.start() } catch { throw .servers("\(error)") }
    for (name, state) in process.waitUntilWorking(atMost: .seconds(10)) {
      guard case .interrupted(let reason) = state else { continue }
      let failure: OperatorFailure =
        switch reason {
        case .store(let error): .store(error)
        case .bus(let error): .broker(error)
        case .keys(let error): .unreadable("\(error)")
        case .receiver(let text): .wrong(text)
        }
      log.error("role does not work yet", metadata: ["role": "\(name)", "help": "\(failure)"])
    }
    let late = process.waitUntilStopped()
    guard late.isEmpty else {
      throw .wrong("did not finish within 20 s: \(late.joined(separator: ", "))")
    }
  }
}
