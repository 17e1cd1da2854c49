import Chaos
import Foundation
import MatchService
import RealServers
import SystemCalls
import Testing

@testable import cubistd

@Suite("A service under a service manager", .timeLimit(.minutes(15)))
struct InstallingTests {
  @Test("A role says when it works, that it lives, and when it ends")
  func manager() async throws {
    var options = ServiceLab.Options(workers: 0)
    options.roles = []
    try await ServiceLab.run(options) { lab in
      let processes = try RoleProcesses(of: lab)
      defer { processes.end() }
      let name = "@cubist-\(lab.database.name)"
      let ear = try ManagerSocket(name)
      let reader = try processes.start(
        "reader", ["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "400000"])
      var heard: [String] = []
      func wait(for news: String) throws {
        while !heard.contains(news) { heard += try ear.next() }
      }
      try wait(for: "READY=1")
      heard = []
      try wait(for: "WATCHDOG=1")
      reader.askToLeave()
      try wait(for: "STOPPING=1")
      #expect(reader.wait() == 0)
    }
  }

  @Test("`cubistd init` sets up a service, or says what administrators have to run")
  func initialized() async throws {
    try await onThreads {
      try RealServers.withVirtualHost { host in
        try RealServers.withDatabase { database in
          let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("cubist-init-\(database.name)").path
          try SystemFile.makeFolder(folder)
          defer { try? FileManager.default.removeItem(atPath: folder) }
          let stranger = try ServerEnvironment.url(host.url, user: "nobody:x")
          let refused = try Initialization(database, broker: stranger, in: folder)
          #expect(refused.status == 1)
          #expect(refused.output.contains("  rabbitmqctl add_user nobody\n"), "\(refused.output)")
          #expect(refused.output.contains("Then run this command again."))
          try FileManager.default.removeItem(atPath: "\(folder)/cubistd.env")
          let done = try Initialization(database, broker: host.url, in: folder)
          // The players' and the gateways' users are the administrator's to make.
          #expect(done.status == 1)
          #expect(done.output.contains("keys made: \(folder)/keys.json"), "\(done.output)")
          for part in ["schema ", "exchange cubist.events made", "queue cubist.slots.15 made"] {
            #expect(done.output.contains("changed: \(part)"), "\(part): \(done.output)")
          }
          #expect(done.output.contains("16 queues of events"), "\(done.output)")
          #expect(done.output.contains("  rabbitmqctl add_user player\n"), "\(done.output)")
          #expect(done.output.contains("2 things are missing or wrong"), "\(done.output)")
          let again = try Initialization(database, broker: "", in: folder)
          #expect(again.output.contains("cubistd.env is there and stays as it is."))
          #expect(!again.output.contains("changed:"), "\(again.output)")
          #expect(again.output.contains("\nnothing to change\n"), "\(again.output)")
        }
      }
    }
  }
}

/// A run of `cubistd init` that asks nothing.
private struct Initialization {
  let status: Int32
  let output: String

  init(_ database: Database, broker: String, in folder: String) throws {
    let group = try ProcessGroup()
    defer { group.end() }
    // The settings name the whole path, wherever this command was run.
    let steps = FileManager.default.currentDirectoryPath.split(separator: "/").count
    let keys = "\(String(repeating: "../", count: steps))\(folder.dropFirst())/keys.json"
    let log = "\(folder)/init-\(UInt64.random(in: .min ... .max)).log"
    status = try group.start(
      [
        RoleProcess.binaryBesideThisProgram(), "init", "--user", "", "--settings",
        "\(folder)/cubistd.env", "--keys", keys,
      ],
      environment: ["CUBIST_DATABASE": database.connectionString, "CUBIST_BROKER": broker],
      log: log
    ).wait()
    output = try String(contentsOfFile: log, encoding: .utf8)
  }
}
