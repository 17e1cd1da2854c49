import Chaos
import Foundation
import MatchService

/// A worker in a process of its own that logs its queues.
final class WorkerProcess: Sendable {
  private let process: RoleProcess

  /// Starts `cubistd run worker`.
  init(in processes: RoleProcesses) throws { process = try processes.start("worker") }

  /// The queues in its latest log line about them.
  var queues: [Int] {
    let line = log.split(separator: "\n").last { $0.contains("\"queues assigned\"") }
    guard let line, let record = try? JSONDecoder().decode(Record.self, from: Data(line.utf8))
    else { return [] }
    return record.queues.split { !$0.isNumber }.compactMap { Int($0) }
  }

  private struct Record: Decodable { var queues: String }

  var log: String { process.logText }

  /// kill -9.
  func kill() { process.kill() }

  /// SIGTERM; gives the exit code.
  func terminate() -> Int32 {
    process.askToLeave()
    return process.wait()
  }
}
