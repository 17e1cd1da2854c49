import Chaos
import Foundation
import MatchService
import MatchWire
import RealServers
import TestedService

/// Roles in processes of their own: the binary beside the tests, set up by its environment, as an
/// operator runs it.
struct RoleProcesses {
  private let folder: String
  private let group: ProcessGroup
  private let environment: [String: String]
  /// The key file of all of them.
  let keys: String

  /// Makes a folder for their logs; `settings` are added to those of the lab.
  init(of lab: ServiceLab, _ settings: [String: String] = [:]) throws {
    folder =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("cubist-roles-\(lab.database.name)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    // Even if the tests themselves are killed, no process stays behind.
    group = try ProcessGroup()
    keys = "\(folder)/keys.json"
    try lab.keys.create(at: keys)
    environment = [
      "CUBIST_DATABASE": lab.database.connectionString, "CUBIST_BROKER": lab.serviceURL,
      "CUBIST_SERVICE_KEYS": keys, "CUBIST_QUEUES": "\(lab.layout.queueCount)",
      "CUBIST_LOG_LEVEL": "info", "CUBIST_LIMIT_EVENTS": "0", "CUBIST_LIMIT_REQUESTS": "0",
      "CUBIST_LIMIT_MATCHES": "0",
    ].merging(LabUsers.environment(lab.database.connectionString)) { $1 }
      .merging(settings) { $1 }
  }

  /// Starts `cubistd run ROLE`; `settings` are added to those of all roles, and an empty one takes
  /// its setting away.
  ///
  /// - Parameter log: The file for its log, unless it is one of the folder.
  func start(
    _ role: String, _ settings: [String: String] = [:], log: String? = nil
  ) throws -> RoleProcess {
    try RoleProcess(
      role, binary: RoleProcess.binaryBesideThisProgram(),
      environment: environment.merging(settings) { $1 }.filter { !$0.value.isEmpty },
      log: log ?? "\(folder)/\(role)-\(UInt64.random(in: .min ... .max)).log", in: group)
  }

  /// Starts `cubistd setup` with a number of queues.
  func setup(queues: Int) throws -> ChildProcess {
    try group.start(
      [RoleProcess.binaryBesideThisProgram(), "setup"],
      environment: environment.merging(["CUBIST_QUEUES": "\(queues)"]) { $1 }, log: setupPath)
  }

  /// Runs a command of `cubistd` with a file, device or socket as its standard output; `settings` are
  /// added to those of all roles.
  func run(
    _ line: String, _ settings: [String: String] = [:], outputTo output: FileHandle
  ) throws -> (status: Int32, errors: String) {
    let (process, errors) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    // The signal of a closed pipe would end it before it can say anything.
    process.arguments =
      ["-c", #"trap "" PIPE; exec "$0" "$@""#, try RoleProcess.binaryBesideThisProgram()]
      + line.split(separator: " ").map { String($0) }
    process.environment = environment.merging(settings) { $1 }
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    try errors.fileHandleForWriting.close()
    let said = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: said, as: UTF8.self))
  }

  /// The output of every setup.
  var setupLog: String { (try? String(contentsOfFile: setupPath, encoding: .utf8)) ?? "" }

  private var setupPath: String { "\(folder)/setup.log" }

  /// Kills those that still run, and removes the folder.
  func end() {
    group.end()
    try? FileManager.default.removeItem(atPath: folder)
  }
}
