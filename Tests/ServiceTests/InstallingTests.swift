import Chaos
import Foundation
import LibPQ
import MatchInterfaces
import MatchService
import MatchStoreLive
import RealServers
import SystemCalls
import TestedService
import Testing

@testable import cubistd

@Suite("A service under a service manager")
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

  @Test("`cubistd init` says what is missing, then each role starts with the file that it wrote")
  func initialized() async throws {
    try await onThreads {
      try RealServers.withVirtualHost { host in
        try RealServers.withDatabase { database in
          let scene = try NewService(database, host)
          defer { scene.end() }
          let refused = try scene.initialize()
          #expect(refused.status == 1)
          #expect(refused.output.contains("  rabbitmqctl add_user cubistd\n"), "\(refused.output)")
          #expect(refused.output.contains("Then run this command again."))
          try scene.administer(refused.output) { $0.contains(" cubistd") }
          let half = try scene.initialize()
          for user in DatabaseUser.allCases where user != .lookout {
            let name = "\(database.name)_\(user.rawValue)"
            #expect(half.output.contains("the database's user \(name) made"), "\(half.output)")
          }
          // The gateways' user is the administrator's to make.
          #expect(half.status == 1)
          #expect(half.output.contains("cubistd.env is there and stays as it is."))
          #expect(half.output.contains("keys made: \(scene.folder)/keys.json"), "\(half.output)")
          for part in ["schema ", "exchange cubist.events made", "queue cubist.slots.15 made"] {
            #expect(half.output.contains("changed: \(part)"), "\(part): \(half.output)")
          }
          #expect(half.output.contains("16 queues of events"), "\(half.output)")
          #expect(half.output.contains("  rabbitmqctl add_user gateway\n"), "\(half.output)")
          #expect(!half.output.contains("add_user player"), "\(half.output)")
          #expect(half.output.contains("1 thing is missing or wrong"), "\(half.output)")
          try scene.administer(half.output) { !$0.contains(" cubistd") }
          let done = try scene.initialize()
          #expect(done.status == 0 && done.output.contains("The service is set up: "), "\(done)")
          #expect(!done.output.contains("changed:"), "\(done.output)")
          #expect(done.output.contains("\nnothing to change\n"), "\(done.output)")
          try scene.startAndStopEveryRole()
        }
      }
    }
  }
}

/// The service that `cubistd init` sets up, for a user of its own.
private struct NewService {
  let folder: String
  private let database: Database
  private let host: VirtualHost
  private let group: ProcessGroup
  private let gateway: String
  private let users = InitialSettings.brokerUsers

  init(_ database: Database, _ host: VirtualHost) throws {
    (self.database, self.host) = (database, host)
    folder =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("cubist-init-\(database.name)").path
    try SystemFile.makeFolder(folder)
    group = try ProcessGroup()
    gateway = "127.0.0.1:\(try FreePort.take())"
    // A run of the tests that was killed may have left them.
    try removeUsers()
  }

  func end() {
    group.end()
    try? removeUsers()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Users belong to the whole broker.
  private func removeUsers() throws {
    for user in [users.service, users.gateways] { try host.removeUser(user) }
    let owner = try PostgreSQLConnection(database.patientSettings())
    defer { owner.close() }
    for user in DatabaseUser.allCases {
      let name = DatabaseRights.quoted("\(database.name)_\(user.rawValue)")
      // One that was not made cannot be removed.
      try? owner.script("DROP OWNED BY \(name); DROP ROLE \(name)")
    }
  }

  /// Runs `cubistd init`, which asks nothing.
  func initialize() throws -> (status: Int32, output: String) {
    // The settings name the whole path, wherever this command was run.
    let steps = FileManager.default.currentDirectoryPath.split(separator: "/").count
    let keys = "\(String(repeating: "../", count: steps))\(folder.dropFirst())/keys.json"
    let log = "\(folder)/init-\(UInt64.random(in: .min ... .max)).log"
    // The address of the virtual host without its administrator.
    let address = host.url.replacing(/\/\/.*@/, with: "//")
    let status = try group.start(
      [
        RoleProcess.binaryBesideThisProgram(), "init", "--user", "", "--settings",
        "\(folder)/cubistd.env", "--keys", keys,
      ],
      environment: [
        "CUBIST_DATABASE": database.connectionString, "CUBIST_BROKER": address,
        "CUBIST_GATEWAY_LISTEN": gateway,
      ], log: log
    ).wait()
    return (status, try String(contentsOfFile: log, encoding: .utf8))
  }

  /// Runs some of the printed lines, as RabbitMQ's administrator; the passwords are those of the
  /// file. The virtual host is there.
  func administer(_ output: String, _ isWanted: (Substring) -> Bool) throws {
    let settings = try ServiceSettings.load(
      needing: [], environment: ["CUBIST_CONFIG": "\(folder)/cubistd.env"])
    let accounts = [try settings.brokerAccount(), try #require(try settings.gatewayAccount())]
    let servers = RunServers(folder: try #require(try RealServers.environment().folder))
    for line in output.split(separator: "\n")
    where line.hasPrefix("  rabbitmqctl ") && !line.contains("add_vhost") && isWanted(line) {
      let asked = line.contains(" add_user ") ? accounts.first { line.hasSuffix($0.user) } : nil
      try servers.administer(line, input: asked.map { "\($0.password)\n" } ?? "")
    }
  }

  /// Starts each role as its unit does, and two on a second machine, waits until they are ready, and
  /// asks them to leave.
  func startAndStopEveryRole() throws {
    let credentials = "\(folder)/credentials"
    try SystemFile.makeFolder(credentials)
    try "\(folder)/push.jsonl".write(
      toFile: "\(credentials)/\(SettingName.pushLog.rawValue)", atomically: true, encoding: .utf8)
    let binary = try RoleProcess.binaryBesideThisProgram()
    // It has copies of the settings and of the keys.
    let second = "\(folder)/second"
    try SystemFile.makeFolder(second)
    for file in ["cubistd.env", "keys.json"] {
      try FileManager.default.copyItem(atPath: "\(folder)/\(file)", toPath: "\(second)/\(file)")
    }
    func start(
      _ role: RoleName, _ number: Int, _ settings: [String: String]
    ) throws -> (process: RoleProcess, ear: ManagerSocket) {
      let socket = "@cubist-\(database.name)-\(role)-\(number)"
      let ear = try ManagerSocket(socket)
      let process = try RoleProcess(
        role.rawValue, binary: binary,
        environment: settings.merging(["NOTIFY_SOCKET": socket]) { $1 },
        log: "\(folder)/\(role)-\(number).log", in: group)
      return (process, ear)
    }
    let roles =
      try RoleName.named.map { role in
        try start(
          role, 1,
          ["CUBIST_CONFIG": "\(folder)/cubistd.env", "CREDENTIALS_DIRECTORY": credentials])
      }
      + [RoleName.worker, .reader].map { role in
        try start(
          role, 2,
          [
            "CUBIST_CONFIG": "\(second)/cubistd.env", "CUBIST_SERVICE_KEYS": "\(second)/keys.json",
          ])
      }
    for role in roles {
      var news: [String] = []
      while !news.contains("READY=1") {
        do { news = try role.ear.next() } catch {
          throw LabFailure("\(role.process.role) is not ready: \(role.process.logText)")
        }
      }
    }
    for role in roles { role.process.askToLeave() }
    for role in roles { #expect(role.process.wait() == 0, "\(role.process.logText)") }
    #expect(FileManager.default.fileExists(atPath: "\(folder)/push.jsonl"), "no credential read")
  }
}
