import ArgumentParser
import Chaos
import Foundation
import Glibc
import MatchService
import SystemCalls

@main
struct ChaosProgram: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deploy/chaos",
    abstract: "Kill the real servers under load, and see that nothing is lost or doubled.",
    discussion: """
      Examples:
        deploy/chaos                               all faults for five minutes
        deploy/chaos --minutes 20 --json
        deploy/chaos --seed 7 --faults worker-kill,postgres-failover
        deploy/chaos --upgrade-from DIR            no faults: DIR has the cubistd of a former build

      Beside the players there are hostile ones, who send what no honest client does; --no-hostile \
      leaves them out.

      With --upgrade-from the service begins with the former build. All roles are replaced one after \
      another by this build, then by the former one again, at least once and for --minutes. \
      Nothing fails meanwhile and nobody attacks. deploy/upgrade-test builds the former release.

      Faults: \(FaultKind.allCases.map(\.rawValue).joined(separator: ", ")).

      Servers, logs and push logs are in .cubist/chaos and stay there. Exits with 0 if nothing was \
      lost, doubled or wrong, 1 otherwise, 69 if servers cannot be had, 130 by Ctrl-C.
      """)

  @Option(help: "How long faults happen.")
  var minutes = 5.0
  @Option(help: "What chooses faults and times; unless given, by chance.")
  var seed: UInt64?
  @Option(help: .init("The faults that happen, with commas between them.", valueName: "a,b,…|all"))
  var faults = "all"
  @Option(
    help: .init(
      "The folder with the former build's cubistd: replace roles instead of disturbing them.",
      valueName: "dir"))
  var upgradeFrom: String?
  @Option(help: "How many players there are.")
  var players = 200
  @Option(help: "How many seconds a player rests between two looks at its matches.")
  var rest = 1.0
  @Option(help: "Where servers and logs are kept.")
  var folder = ".cubist/chaos"
  @Flag(
    name: .customLong("no-hostile"), help: "Leave out the hostile players, who attack meanwhile.")
  var isPeaceful = false
  @Flag(help: "Print one JSON object.")
  var json = false

  func validate() throws {
    guard minutes > 0, minutes <= 1_440 else {
      throw ValidationError("--minutes is \(minutes), not more than 0 and at most 1440.")
    }
    guard 2...1_000 ~= players else {
      throw ValidationError("--players is \(players), not 2 to 1000.")
    }
    guard rest > 0, rest <= 60 else {
      throw ValidationError("--rest is \(rest), not more than 0 and at most 60.")
    }
    if upgradeFrom != nil, faults != "all" {
      throw ValidationError("--upgrade-from and --faults exclude each other.")
    }
    _ = try kinds()
  }

  /// The former build that a folder has.
  private func former() throws -> String? {
    guard let upgradeFrom else { return nil }
    let path = "\(upgradeFrom)/cubistd"
    guard FileManager.default.isExecutableFile(atPath: path) else {
      throw ValidationError("--upgrade-from is \(upgradeFrom), and \(path) is no program.")
    }
    return path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
  }

  private func kinds() throws -> [FaultKind] {
    if faults == "all" { return FaultKind.allCases }
    return try faults.split(separator: ",").map { name in
      guard let kind = FaultKind(rawValue: String(name)) else {
        let known = FaultKind.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("\"\(name)\" is no fault; there are \(known).")
      }
      return kind
    }
  }

  func run() throws {
    Interrupt.listen()
    let root = FileManager.default.currentDirectoryPath
    var options = ChaosOptions(
      folder: folder.hasPrefix("/") ? folder : "\(root)/\(folder)",
      binary: try RoleProcess.binaryBesideThisProgram(), seconds: minutes * 60,
      seed: seed ?? .random(in: 0...999_999_999))
    options.faults = try kinds()
    options.players = players
    options.former = try former()
    options.isAttacked = !isPeaceful && options.former == nil
    options.pause = rest
    let isTerminal = isatty(STDERR_FILENO) == 1
    let report: ChaosReport
    do {
      report = try ChaosRun(
        options, isStopped: { Interrupt.stop.isAsked },
        progress: { StatusLine.write($0, isTerminal: isTerminal) }
      ).run()
    } catch is ChaosInterruption {
      ChaosProgram.note("\ndeploy/chaos: interrupted; everything is stopped\n")
      throw ExitCode(130)
    } catch {
      ChaosProgram.note("\ndeploy/chaos: seed \(options.seed): \(error)\n")
      throw ExitCode((error as? ChaosFailure)?.isAboutServers == true ? 69 : 1)
    }
    if isTerminal { StatusLine.write("", isTerminal: true) }
    print(try json ? report.json() : report.text)
    guard report.isGood else { throw ExitCode(1) }
  }

  private static func note(_ text: String) {
    FileHandle.standardError.write(Data(text.utf8))
  }
}

/// The first Ctrl-C ends a run in good order, the second at once: the processes of the run end with
/// it.
private enum Interrupt {
  static let stop = StopSignal()

  static func listen() {
    _ = stop.isAsked
    for number in [SIGINT, SIGTERM, SIGHUP] where number != SIGHUP || !isIgnored(SIGHUP) {
      signal(number) { _ in
        if Interrupt.stop.isAsked { _exit(130) }
        Interrupt.stop.ask()
      }
    }
    signal(SIGPIPE, SIG_IGN)
  }

  /// Whether our parent wants a signal ignored, as `nohup` does for the end of the terminal.
  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    // SIG_IGN is the pointer 1 and compares with nothing in Swift.
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
  }
}
