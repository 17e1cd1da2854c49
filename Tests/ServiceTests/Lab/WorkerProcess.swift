import Foundation
import MatchService
import MatchWire
import RealServers

/// A worker in a process of its own: the binary beside the tests, told by its environment, as an
/// operator runs it.
// SAFETY: `Process` is used by the one thread that starts and ends workers.
final class WorkerProcess: @unchecked Sendable {
  private let process = Process()
  private let logPath: String

  /// Starts `cubistd run worker`; its log goes to a file in `folder`.
  init(in lab: ServiceLab, folder: String) throws {
    logPath = "\(folder)/worker-\(UInt64.random(in: .min ... .max)).log"
    _ = FileManager.default.createFile(atPath: logPath, contents: nil)
    let keys = "\(folder)/keys.json"
    if !FileManager.default.fileExists(atPath: keys) { try lab.keys.create(at: keys) }
    process.executableURL = try WorkerProcess.binary()
    process.arguments = ["run", "worker"]
    process.environment = [
      "CUBIST_DATABASE": lab.database.connectionString, "CUBIST_BROKER": lab.serviceURL,
      "CUBIST_SERVICE_KEYS": keys, "CUBIST_QUEUES": "\(lab.layout.queueCount)",
      "CUBIST_LOG_LEVEL": "info",
    ]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle(forWritingAtPath: logPath)
    try process.run()
  }

  private static func binary() throws -> URL {
    let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    let binary = tests.deletingLastPathComponent().appendingPathComponent("cubistd")
    guard FileManager.default.isExecutableFile(atPath: binary.path) else {
      throw LabFailure("\(binary.path) is not built: run `swift build`")
    }
    return binary
  }

  /// The queues that it said last were its own.
  var queues: [Int] {
    let text = String(
      decoding: FileManager.default.contents(atPath: logPath) ?? Data(), as: UTF8.self)
    let line = text.split(separator: "\n").last { $0.contains("\"queues assigned\"") }
    guard let line, let record = try? JSONDecoder().decode(Record.self, from: Data(line.utf8))
    else { return [] }
    return record.queues.split { !$0.isNumber }.compactMap { Int($0) }
  }

  private struct Record: Decodable { var queues: String }

  /// What it wrote.
  var log: String {
    String(decoding: FileManager.default.contents(atPath: logPath) ?? Data(), as: UTF8.self)
  }

  /// kill -9.
  func kill() {
    Glibc.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// SIGTERM; gives the exit code.
  func terminate() -> Int32 {
    process.terminate()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
