import BrokerManagement
import EventBusLive
import Foundation
import MatchCore
import MatchInterfaces
import MatchService
import Testing

@testable import cubistd

@Suite("Causes that are proven, and their commands")
struct ProvenCauseTests {
  /// A failure of a server, the words that count in it, and the command that fits them.
  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var failure: OperatorFailure
    var words: String
    var command: String

    static let place =
      "PostgreSQL at db.example:5432 as cubist_with_a_long_name, database cubist_production: "
      + "PostgreSQL: connectFailed"
    static let server = #"connection to server at "db.example" (10.0.0.7), port 5432 failed"#
    static let showing = "openssl s_client -starttls postgres -connect db.example:5432 </dev/null"

    static let all = [
      Case(
        testDescription: "a full disk",
        failure: .store(
          .unavailable(
            "\(place) 53100: \(server): FATAL:  could not write file \"pg_wal/xlogtemp.4711\": "
              + "No space left on device")),
        words: "No space left on device", command: "df -h"),
      Case(
        testDescription: "a certificate of PostgreSQL that is over",
        failure: .store(
          .unavailable("\(place): \(server): SSL error: certificate verify failed")),
        words: "certificate verify failed", command: showing),
      Case(
        testDescription: "a certificate of another host",
        failure: .store(
          .unavailable(
            "\(place): \(server): server certificate for \"localhost\" does not match host name "
              + "\"db.example\"")),
        words: "does not match host name", command: showing),
      Case(
        testDescription: "a certificate of RabbitMQ that is over",
        failure: .broker(
          .disconnected(
            "RabbitMQ at mq.example:5671: open failed (tlsRefused): SSL peer certificate verification"
          )
        ),
        words: "SSL peer certificate",
        command: "openssl s_client -connect mq.example:5671 </dev/null"),
      Case(
        testDescription: "a certificate of the management API that is over",
        failure: .management(
          .notTrusted(endpoint: "mq.example:15671", reason: "certificate has expired")),
        words: "certificate has expired",
        command: "openssl s_client -connect mq.example:15671 </dev/null"),
      Case(
        testDescription: "no session left",
        failure: .store(
          .unavailable("\(place) 53300: \(server): FATAL:  sorry, too many clients already")),
        words: "too many clients", command: "sudo -u postgres psql -c 'SELECT application_name"),
      Case(
        testDescription: "a name that leads nowhere",
        failure: .store(
          .unavailable(
            "\(place): could not translate host name \"db.example\" to address: Name or service not "
              + "known")),
        words: "Name or service not known", command: "getent hosts db.example"),
    ]
  }

  @Test(
    "A cause stands on the screen as a whole, its proof first, and the command fits it",
    arguments: Case.all)
  func screen(_ trouble: Case) throws {
    var report = try StatusTests.report()
    report.failures = [trouble.failure]
    let finding = try #require(report.findings().first)
    let lines = report.screen().split(separator: "\n").map(String.init)
    let place = try #require(lines.firstIndex { $0.hasPrefix("! ") })
    let headline = try #require(ProvenCause(words: finding.cause)?.headline)
    #expect(lines[place].hasPrefix("! \(finding.severity) [\(finding.name)] \(headline): "))
    #expect(lines[place].contains(trouble.words))
    #expect(lines[place + 1].hasPrefix("    \(trouble.command)"))
    #expect(!report.screen().contains("systemctl"))
  }

  @Test("A role on a full disk or behind an ended certificate has the same command, cause first")
  func roles() throws {
    for trouble in Case.all.prefix(3) {
      guard case .store(let error) = trouble.failure else { continue }
      var report = try StatusTests.report()
      report.status?.roles[0].sign.problem =
        RolePresence(id: RoleID(rawValue: 1), role: .worker, stop: StopSignal())
        .sign(from: "host:1", problem: "\(Interruption.store(error))").problem
      let finding = try #require(report.findings().first)
      #expect(finding.name == "workerHindered")
      #expect(finding.command.hasPrefix(trouble.command))
      #expect(finding.cause.contains(trouble.words), "\(finding.cause)")
      #expect(
        ProvenCause(words: finding.cause)?.headline.map(finding.cause.hasPrefix) == true)
    }
  }

  @Test(
    "A sign of life proves its cause",
    arguments: [
      ("store unavailable: PostgreSQL: connectFailed: Connection refused", ProvenCause.database),
      ("store unusable: PostgreSQL at h as u, database d: connectFailed 28P01: no", .databaseLogin),
      ("store gave up: PostgreSQL: server 42501: permission denied for table x", .databaseRights),
      ("conflict: PostgreSQL: server 55P03: canceling statement due to lock timeout", .lock),
      ("event bus disconnected: refused", .broker),
      ("event bus not permitted: no", .brokerRights), ("event bus refused: full", .room),
      ("event bus timed out: \(ReaderWatch.complaint)", .readers),
      ("the broker serves another database", .anotherDatabase),
      ("no certificate covers the working key", .keys), ("something else", .other),
    ])
  func signs(_ reason: String, _ cause: ProvenCause) {
    #expect(ProvenCause(reason, of: .scheduler) == cause)
  }

  @Test("A receiver's words are its own; a full disk under the file of notifications is ours")
  func receiver() {
    #expect(ProvenCause("answers 500", of: .push) == .receiver)
    #expect(ProvenCause("https://h: certificate verify failed", of: .push) == .receiver)
    #expect(ProvenCause("store unavailable: gone", of: .push) == .database)
    #expect(ProvenCause("No space left on device", of: .push) == .diskFull)
  }

  @Test("Each cause has a row on the page, with its command")
  func page() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = try String(contentsOf: root.appending(path: "docs/operating.md"), encoding: .utf8)
    for cause in ProvenCause.allCases {
      let row = page.split(separator: "\n").first { $0.contains("| `\(cause.rawValue)` |") }
      let command = cause.command("").replacing("|", with: "\\|")
      #expect(row?.contains("`\(command)`") == true, "\(cause.rawValue)")
    }
  }

  @Test("Readers that hang are started again; where none is there, that is the finding")
  func readers() throws {
    var report = try StatusTests.report()
    let status = try #require(report.status)
    let place = try #require(status.roles.firstIndex { $0.sign.role == "scheduler" })
    report.status?.roles[place].sign.problem =
      "\(Interruption.bus(.timedOut(ReaderWatch.complaint)))"
    let hanging = try #require(report.findings().first)
    #expect(report.findings().count == 1 && hanging.name == "schedulerHindered")
    #expect(hanging.command == "systemctl restart cubistd@reader")
    #expect(!hanging.sentence.contains("RabbitMQ"))
    // The clocks lead to the same command.
    report.status?.clocks[0] = QueueClock(time: status.now.adding(seconds: -60))
    #expect(report.findings().allSatisfy { $0.command == hanging.command })
    report.status?.roles.removeAll { $0.sign.role == "reader" }
    #expect(report.findings().map(\.name) == ["readerAbsent", "clockBehind"])
    #expect(report.findings().allSatisfy { $0.command == "cubistd run reader" })
  }

  @Test("A role whose password PostgreSQL refuses is not to be started, but given its password")
  func refusedLogin() throws {
    var report = try StatusTests.report()
    report.status?.roles.removeAll { $0.sign.role == "rater" }
    report.refusedLogins[.rater] = "password authentication failed for user \"cubist_rater\""
    let finding = try #require(report.findings().first)
    #expect(finding.name == "raterAbsent" && finding.command == "cubistd setup")
    #expect(finding.cause.hasPrefix("PostgreSQL refuses its user or password (password "))
    #expect(!finding.sentence.contains("start `"))
  }

  @Test("A process of this machine that is stopped goes on by a signal")
  func frozen() throws {
    var report = try StatusTests.report()
    let now = try #require(report.status).now
    let process = FrozenProcess(id: 4_711)
    let place = try #require(report.status?.roles.firstIndex { $0.sign.role == "reader" })
    report.status?.roles[place].heartbeatAt = now.adding(seconds: -40)
    report.status?.roles[place].sign.process = process.name
    #expect(report.findings().map(\.command) == ["cubistd run reader"])
    report.frozen = [process]
    #expect(report.findings().map(\.command) == ["kill -CONT 4711"])
    // Another machine has a process of the same number.
    report.status?.roles[place].sign.process = "elsewhere:4711"
    #expect(report.findings().map(\.command) == ["cubistd run reader"])

    #expect(FrozenProcess.isStopped("12 (cubistd) T 1 12 12 0 -1", "cubistd"))
    #expect(!FrozenProcess.isStopped("12 (cubistd) S 1 12 12 0 -1", "cubistd"))
    #expect(!FrozenProcess.isStopped("12 (a (cubistd)) T 1 12", "cubistd"))
    #expect(!FrozenProcess.isStopped("", "cubistd"))
  }

  @Test("A session that the settings' user may not end is ended by a superuser")
  func protected() throws {
    var report = try StatusTests.report()
    let now = try #require(report.status).now
    var lock = ServiceStatus.TableLock(table: "matches", processID: 12, session: "psql", since: now)
    (lock.user, lock.mayBeEnded) = ("postgres", false)
    report.status?.locks = [lock]
    let superuser = "sudo -u postgres psql -c 'SELECT pg_terminate_backend(12)'"
    let found = try #require(report.findings().first)
    #expect(found.command == superuser)
    #expect(found.cause.contains("(psql, user postgres)"))
    #expect(
      found.fitting(privateFolder: "/f").command
        == "psql \"$(sed -n 's/^CUBIST_DATABASE=//p' /f/cubistd.conf)\" "
        + "-c 'SELECT pg_terminate_backend(12)'")
    report.status?.locks = []
    report.status?.problems = [
      .init(
        part: ServiceStatus.Problem.database, subject: "\(PlayerID(rawValue: 0))", since: now,
        reason: "statement updateMatches had taken 1200 ms: blocked by process 12 (psql)")
    ]
    report.status?.lockHolders = [12]
    report.status?.protectedHolders = [12]
    #expect(report.findings().map(\.command) == [superuser])
  }

  @Test("Roles that fell silent together, or with the database's server, may be coming back")
  func recovery() throws {
    var report = try StatusTests.report()
    let now = try #require(report.status).now
    #expect(!report.seemsToRecover)
    func silence(_ role: RoleName, _ seconds: Int64) throws {
      let place = try #require(report.status?.roles.firstIndex { $0.sign.role == role.rawValue })
      report.status?.roles[place].heartbeatAt = now.adding(seconds: -seconds)
    }
    // One that died by itself is missed at once.
    try silence(.rater, 90)
    #expect(!report.seemsToRecover)
    try silence(.relay, 40)
    #expect(!report.seemsToRecover)
    try silence(.relay, 86)
    #expect(report.seemsToRecover)
    // Both roles of one process that died.
    let both = ["relay", "rater"]
    for place in report.status?.roles.indices ?? 0..<0
    where both.contains(report.status?.roles[place].sign.role ?? "") {
      report.status?.roles[place].sign.process = "host:99"
    }
    #expect(!report.seemsToRecover)
    // Another role of that process lives.
    let reader = try #require(report.status?.roles.firstIndex { $0.sign.role == "reader" })
    report.status?.roles[reader].sign.process = "host:99"
    #expect(report.seemsToRecover)
    report.status?.roles[reader].sign.process = "host:5"
    let relay = try #require(report.status?.roles.firstIndex { $0.sign.role == "relay" })
    report.status?.roles[relay].sign.process = "host:4"
    try silence(.relay, 1)
    report.status?.serverStartedAt = now.adding(seconds: -5)
    #expect(report.seemsToRecover)
    report.status?.serverStartedAt = now.adding(seconds: -60)
    #expect(!report.seemsToRecover)
  }
}
