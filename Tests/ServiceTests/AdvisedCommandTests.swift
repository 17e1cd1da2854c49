import Chaos
import Foundation
import LibPQ
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import RealServers
import TestedService
import Testing

@testable import cubistd

@Suite("The commands that status advises, run as they stand", .serialized)
struct AdvisedCommandTests {
  /// A shell with the settings' database, as the runbook has it.
  private struct Shell {
    let group: ProcessGroup
    let log: String

    /// The exit status and the output of a command.
    func run(_ command: String, database: String) throws -> (status: Int32, output: String) {
      try? FileManager.default.removeItem(atPath: log)
      let process = try group.start(
        ["/bin/sh", "-c", "{ \(command); } >&2"],
        environment: ["PATH": "/usr/bin:/bin", "CUBIST_DATABASE": database], log: log)
      let status = process.wait()
      return (status, (try? String(contentsOfFile: log, encoding: .utf8)) ?? "")
    }
  }

  private static func withShell(_ body: (Shell) throws -> Void) throws {
    let log = FileManager.default.temporaryDirectory
      .appending(path: "cubist-advised-\(UUID().uuidString)").path
    let shell = Shell(group: try ProcessGroup(), log: log)
    defer {
      shell.group.end()
      try? FileManager.default.removeItem(atPath: log)
    }
    try body(shell)
  }

  /// A finding, once status has it.
  private static func finding(
    _ name: String, _ settings: ServiceSettings,
    where fits: (cubistd.Finding) -> Bool = { _ in true }
  ) throws -> cubistd.Finding {
    var found: cubistd.Finding?
    var seen: [String] = []
    try waitUntil("status names \(name)", found: "\(seen)") {
      let findings = try StatusReport.gather(settings).findings()
      seen = findings.map(\.line)
      found = findings.first { $0.name == name && fits($0) }
      return found != nil
    }
    return try #require(found)
  }

  /// What remedies quote of RabbitMQ's own tools, besides the commands of findings.
  private static let quotedTools = [
    "rabbitmq-diagnostics alarms", "rabbitmqctl list_channels pid connection user",
    "rabbitmqctl list_connections user peer_host",
  ]

  @Test(
    "Every command that asks PostgreSQL or RabbitMQ works, and so do those that look at this machine"
  )
  func looking() async throws {
    try await ServiceLab.run(.init(workers: 0, roles: [])) { lab in
      try Self.withShell { shell in
        let commands = Set(
          Finding.advice.values.map(\.command) + ProvenCause.allCases.map { $0.command("") })
        let plain = commands.filter { $0.hasPrefix("psql ") || $0 == "df -h" }
        #expect(plain.count > 3)
        for command in plain.sorted() + ["getent hosts localhost"] {
          let ran = try shell.run(command, database: lab.database.connectionString)
          #expect(ran.status == 0, "\(command): \(ran.output)")
        }
        let files = try #require(commands.first { $0.hasPrefix("ls ") })
        let ran = try shell.run(files.replacing("PID", with: "\(getpid())"), database: "")
        #expect(ran.status == 0 && ran.output.contains(" -> "), "\(files): \(ran.output)")
        let servers = RunServers(folder: try #require(try RealServers.environment().folder))
        let tools = commands.filter { $0.hasPrefix("rabbitmq") }
        #expect(tools.count > 4)
        for command in tools.union(Self.quotedTools).sorted() {
          // It throws unless the tool ends with 0.
          try servers.administer(command.replacing("VHOST", with: lab.host.name))
        }
        // The others are run by the machine's root: they are sentences of a shell at least.
        for command in commands.sorted() {
          let ran = try shell.run("printf '%s\\n' \"$CUBIST_DATABASE\" | sh -n", database: command)
          #expect(ran.status == 0, "\(command): \(ran.output)")
        }
      }
    }
  }

  @Test("The command for a refused certificate prints the one that PostgreSQL shows")
  func certificate() async throws {
    try await ServiceLab.run(.init(workers: 0, roles: [])) { lab in
      try Self.withShell { shell in
        var settings = try lab.settings()
        // Authorities that have not signed it.
        settings.database += " sslrootcert=/etc/ssl/certs/ca-certificates.crt"
        let found = try Self.finding("databaseUnanswered", settings)
        #expect(found.cause.hasPrefix("a server's certificate is refused: "), "\(found.line)")
        #expect(found.cause.contains("certificate verify failed"), "\(found.line)")
        let ran = try shell.run(found.command, database: settings.database)
        #expect(ran.status == 0, "\(found.command): \(ran.output)")
        #expect(ran.output.contains("notAfter=") && ran.output.contains("issuer="))
      }
    }
  }

  @Test("A worker whose password is another one in PostgreSQL works again after `cubistd setup`")
  func password() async throws {
    try await ServiceLab.run(.init(workers: 0, roles: [], hasNewHost: true)) { lab in
      let owner = try lab.connection()
      defer { owner.close() }
      let name = "\(lab.database.name)_worker"
      try DatabaseRights.make(name, password: "right", owner)
      defer { try? owner.script("DROP OWNED BY \"\(name)\"; DROP ROLE \"\(name)\"") }
      try DatabaseRights.grant([.worker: name], owner)
      let login = "\(lab.database.connectionString) user=\(name) password=right"
      let processes = try RoleProcesses(of: lab, ["CUBIST_DATABASE_WORKER": login])
      defer { processes.end() }
      let worker = try processes.start("worker")
      var settings = try lab.settings()
      settings.databaseUsers = [.worker: login]
      try waitUntil("the worker works", found: worker.logText) {
        try StatusReport.gather(settings).living(.worker).count == 1
      }
      try DatabaseRights.make(name, password: "another", owner)
      try owner.script(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '\(name)'")
      let found = try Self.finding("workerAbsent", settings)
      #expect(found.cause.hasPrefix("PostgreSQL refuses its user or password ("), "\(found.line)")
      #expect(found.command == "cubistd setup")
      let setup = try processes.setup(queues: lab.layout.queueCount)
      #expect(setup.wait() == 0, "\(processes.setupLog)")
      try waitUntil("the worker works again", found: worker.logText) {
        try StatusReport.gather(settings).living(.worker).count == 1
      }
      #expect(worker.isRunning)
    }
  }

  @Test(
    "A reader that was stopped is named with the signal that lets it go on, and nothing else is")
  func stoppedReader() async throws {
    try await ServiceLab.run(.init(workers: 1, roles: [], hasNewHost: true)) { lab in
      try Self.withShell { shell in
        let processes = try RoleProcesses(of: lab)
        defer { processes.end() }
        let settings = try lab.settings()
        let reader = try processes.start("reader")
        let scheduler = try processes.start("scheduler")
        try waitUntil("both work", found: scheduler.logText) {
          let report = try StatusReport.gather(settings)
          return report.living(.reader).count == 1 && report.living(.scheduler).count == 1
            && report.living(.scheduler).allSatisfy { $0.sign.problem == nil }
        }
        #expect(reader.stop())
        let found = try Self.finding("readerAbsent", settings)
        #expect(found.command.hasPrefix("kill -CONT "), "\(found.line)")
        // The scheduler waits for readers, and RabbitMQ has nothing to do with it.
        let others = try StatusReport.gather(settings).findings()
        #expect(!others.contains { $0.name == "schedulerHindered" }, "\(others.map(\.line))")
        let clocks = others.first { $0.name == "clockBehind" }
        #expect(clocks?.command.contains("rabbitmq") != true, "\(others.map(\.line))")
        let ran = try shell.run(found.command, database: "")
        #expect(ran.status == 0, "\(ran.output)")
        try waitUntil("the reader works again", found: reader.logText) {
          try StatusReport.gather(settings).living(.reader).count == 1
        }
      }
    }
  }

  @Test("A session of one's own is ended as the settings' user, a superuser's by PostgreSQL's own")
  func locks() async throws {
    try await ServiceLab.run(.init(workers: 0, roles: [])) { lab in
      try Self.withShell { shell in
        var session = try lab.database.patientSettings()
        session.idleInTransactionTimeout = waitLimit
        let holder = try PostgreSQLConnection(session)
        defer { holder.close() }
        try holder.query("BEGIN")
        try holder.query("LOCK TABLE matches IN ACCESS EXCLUSIVE MODE")
        let end = "-c 'SELECT pg_terminate_backend(\(holder.serverProcessID))'"
        let settings = try lab.settings()

        // A user who may look and nothing else.
        var looking = settings
        looking.database = try #require(
          LabUsers.connectionStrings(lab.database.connectionString)[.lookout])
        let refused = try Self.finding("tableLocked", looking)
        #expect(refused.command == "sudo -u postgres psql \(end)", "\(refused.line)")
        let tried = try shell.run("psql \"$CUBIST_DATABASE\" \(end)", database: looking.database)
        #expect(tried.status != 0, "\(tried.output)")

        let own = try Self.finding("tableLocked", settings)
        #expect(own.command == "psql \"$CUBIST_DATABASE\" \(end)", "\(own.line)")
        let ran = try shell.run(own.command, database: settings.database)
        #expect(ran.status == 0, "\(ran.output)")
        try waitUntil("the table is free") {
          try !StatusReport.gather(settings).findings().map(\.name).contains("tableLocked")
        }
      }
    }
  }
}
