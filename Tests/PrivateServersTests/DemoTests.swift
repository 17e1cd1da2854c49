import Chaos
import CustomDump
import Foundation
import Testing

@testable import PrivateServers

@Suite("The demo of the README: deploy/demo")
struct DemoTests {
  @Test(
    "It shows all that the README says, by HTTP alone unless AMQP is asked for; nothing stays running",
    .serialized, arguments: [[], ["--amqp"]])
  func shows(options: [String]) async throws {
    try await inFolder { folder in
      let program = try RoleProcess.binaryBesideThisProgram()
      let demo = try Demo(
        options + ["--folder", "\(folder)/demo"], programs: Disk.parent(of: program),
        log: "\(folder)/log")
      #expect(demo.status == 0, "\(demo.said)")
      let service = demo.part("The service")
      #expect(service.contains { $0.contains("cubist connect http://127.0.0.1:") })
      #expect(service.contains { $0.contains("cubist connect amqp://") } == !options.isEmpty)
      #expect(demo.said.contains("ben by \(options.isEmpty ? "HTTP" : "AMQP")"))
      #expect(demo.said.contains(/kill -9 of worker (one|two), which judges this match/))
      #expect(demo.said.contains(/worker (one|two) took the match over/))
      #expect(demo.said.contains(/The match is over after \d+ turns/))
      let rematches = demo.said.matches(of: /(?:ada|ben) was given (\S+)/).map(\.output.1)
      #expect(rematches.count == 2 && Set(rematches).count == 1)
      let past = demo.part("Past games")
      #expect(past.contains { $0.contains("ada") } && past.contains { $0.contains("ben") })
      let told = demo.part("Push jobs").compactMap { $0.split(separator: " ").last }
      #expect(Set(told).isSuperset(of: ["invited", "yourTurn", "matchEnded", "rematchStarted"]))
      #expect(demo.part("The record").contains { $0.hasPrefix("VERIFIED") })
      #expect(demo.part("The invariants").contains { $0.hasSuffix("everything holds.") })
      #expect(demo.said.contains("All of it held"))
      expectNoDifference(Demo.processes(of: "\(folder)/demo"), [])
      #expect(ServerSet(in: "\(folder)/demo/service/servers").processes.isEmpty)
    }
  }

  @Test("It fails with its first step, and says where the logs are")
  func fails() async throws {
    try await inFolder { folder in
      for program in ["cubist", "cubistd"] {
        let path = "\(folder)/\(program)"
        try Disk.write("#!/bin/sh\necho broken\nexit 3\n", to: path)
        chmod(path, 0o755)
      }
      let demo = try Demo(
        ["--folder", "\(folder)/demo"], programs: folder, log: "\(folder)/log")
      #expect(demo.status == 1)
      #expect(demo.said.contains("broken\n\ndeploy/demo: the service did not start.\n"))
      #expect(demo.said.hasSuffix("(status 1); logs are in \(folder)/demo"))
      #expect(!demo.said.contains("held"))
    }
  }

  @Test("It refuses arguments that it does not know, a folder with files, and missing programs")
  func refuses() async throws {
    try await inFolder { folder in
      let log = "\(folder)/log"
      for arguments in [["--kep"], ["--folder"], ["--folder", ""], ["all"]] {
        let demo = try Demo(arguments, programs: folder, log: log)
        #expect(demo.status == 64 && demo.said == Demo.usage)
      }
      let full = try Demo(["--folder", folder], programs: folder, log: log)
      #expect(full.status == 1 && full.said.contains("\(folder) is there already"))
      let absent = try Demo(["--folder", "\(folder)/demo"], programs: folder, log: log)
      #expect(absent.status == 1 && absent.said.contains("\(folder)/cubist is not built"))
      #expect(!Disk.exists("\(folder)/demo"))
    }
  }
}

/// A run of `deploy/demo`.
private struct Demo {
  static let usage = "usage: deploy/demo [--amqp] [--keep] [--folder FOLDER]"
  private static let script = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "deploy/demo").path

  let status: Int32
  /// Without the end of the last line.
  let said: String

  /// - Parameter programs: The folder with a built `cubist` and `cubistd`.
  init(_ arguments: [String], programs: String, log: String) throws {
    try? FileManager.default.removeItem(atPath: log)
    let group = try ProcessGroup()
    defer { group.end() }
    let environment = ["PATH": "/usr/local/bin:/usr/bin:/bin", "CUBIST_BIN": programs]
    status = try group.start([Self.script] + arguments, environment: environment, log: log).wait()
    said = Disk.text(log) ?? ""
  }

  /// The lines below a title.
  func part(_ title: String) -> [Substring] {
    let lines = said.split(separator: "\n").drop { !$0.contains("== \(title)") }
    return Array(lines.dropFirst().prefix { !$0.contains("== ") })
  }

  /// The command lines of processes that play or serve in a folder.
  static func processes(of folder: String) -> [String] {
    ProcessTable.entries().filter { entry in
      let variables = (try? Disk.read("/proc/\(entry.id)/environ")) ?? []
      return ProcessTable.arguments(in: variables).contains("XDG_STATE_HOME=\(folder)/players")
    }.map { $0.arguments.joined(separator: " ") }
  }
}
