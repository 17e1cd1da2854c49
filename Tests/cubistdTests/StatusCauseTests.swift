import BrokerManagement
import CustomDump
import EventBusLive
import Foundation
import MatchCore
import MatchInterfaces
import MatchService
import Testing

@testable import cubistd

@Suite("A cause and what follows from it, in status")
struct StatusCauseTests {
  private static let gone = OperatorFailure.broker(.disconnected("refused"))

  /// A service whose roles have all lost the broker a minute ago.
  private static func withoutBroker() throws -> StatusReport {
    var report = try StatusTests.report()
    var status = try #require(report.status)
    for index in status.roles.indices {
      status.roles[index].sign.problem = "\(Interruption.bus(.disconnected("refused")))"
    }
    status.clocks[0] = QueueClock(time: status.now.adding(seconds: -60))
    status.outboxOldestAt = status.now.adding(seconds: -90)
    report.status = status
    (report.queues, report.failures) = (nil, [gone])
    return report
  }

  @Test("A broker that is away is one finding, and roles that wait for it are none")
  func broker() throws {
    var report = try Self.withoutBroker()
    #expect(report.findings().map(\.name) == ["brokerUnanswered"])
    #expect(report.findings()[0].remedy.contains("go on by themselves"))
    // Each of them is shown all the same.
    #expect(report.text().contains("cannot work"))
    // Another trouble of a role is its own finding.
    report.status?.roles[0].sign.problem = "no certificate covers the working key"
    #expect(report.findings().map(\.name) == ["brokerUnanswered", "workerHindered"])
    // So is the same trouble of roles whose broker answers this machine.
    report.failures = []
    #expect(report.findings().count == 2 + RoleName.signing.count)
  }

  @Test("A database that is away is one finding: queues lack nothing that only it knows")
  func database() throws {
    var report = try StatusTests.report()
    report.status = nil
    report.queues = [StatusTests.queue("cubist.slots.00", ready: 20_000)]
    report.counts = [QueueCount(name: "cubist.slots.00", ready: 20_000, consumers: 0)]
    report.missingQueues = ["cubist.slots.15"]
    report.topologyProblems = ["queue cubist.slots.15 is missing"]
    for failure in [
      OperatorFailure.store(.unavailable("refused")), .databaseMissing("none"),
      .databasePooled("x"),
    ] {
      report.failures = [failure]
      #expect(report.findings().map(\.name) == [Finding(failure).name])
    }
    // A server that refuses the password is there, and so may the workers be.
    report.failures = [.databaseRefuses("no")]
    expectNoDifference(
      report.findings().map(\.name), ["databaseUnanswered", "queueUnconsumed", "queueLong"])
    #expect(report.findings()[0].command == "cubistd setup --check")
  }

  @Test("A management API that does not answer is a finding, and no service that is away")
  func management() throws {
    var report = try StatusTests.report()
    let slow = OperatorFailure.management(
      .unreachable(endpoint: "host:15672", reason: "no answer within 2 s"))
    report.failures = [slow]
    #expect(report.failure == nil && report.isServed)
    #expect(report.findings().contains { $0.name == "managementUnanswered" })
    for other: ManagementError in [
      .notTrusted(endpoint: "host:15671", reason: "certificate has expired"),
      .malformed(operation: "list queues", reason: "no JSON"),
      .refused(operation: "list queues", status: 503, reason: "busy"),
    ] {
      report.failures = [.management(other)]
      #expect(report.failure == nil && report.isServed, "\(other)")
      #expect(report.findings().contains { $0.name == "managementUnanswered" }, "\(other)")
    }
    report.failures = [slow, Self.gone]
    #expect(report.failure?.exitCode == 69 && !report.isServed)
    // Who may not look has to mend the settings.
    report.failures = [.management(.notPermitted(endpoint: "host:15672", user: "guest"))]
    #expect(report.failure?.exitCode == 77 && report.isServed)
  }

  @Test("A login that was refused is tried once a minute, and what is well each time")
  func triedLogins() throws {
    var tried = TriedLogins()
    var asked = 0
    func ask(_ seconds: UInt64, _ answer: [String]) -> [String] {
      tried.problems(of: .playerBroker, at: seconds * 1_000_000_000) {
        asked += 1
        return answer
      }
    }
    #expect(ask(1, []) == [] && ask(2, ["refused"]) == ["refused"] && asked == 2)
    #expect(ask(7, []) == ["refused"] && ask(61, []) == ["refused"] && asked == 2)
    #expect(ask(62, []) == [] && asked == 3)

    asked = 0
    func login(_ seconds: UInt64, _ failure: OperatorFailure?) -> OperatorFailure? {
      do throws(OperatorFailure) {
        try tried.asking(as: .broker, at: seconds * 1_000_000_000) { () throws(OperatorFailure) in
          asked += 1
          if let failure { throw failure }
        }
        return nil
      } catch { return error }
    }
    let refused = OperatorFailure.broker(.notPermitted("ACCESS_REFUSED"))
    // A server that is away is asked in each round.
    #expect(login(1, Self.gone) == Self.gone && login(2, refused) == refused && asked == 2)
    #expect(login(7, nil) == refused && asked == 2)
    #expect(login(62, nil) == nil && login(63, nil) == nil && asked == 4)
  }

  @Test("A database that takes no writes gets no signs of life: no role is called absent for that")
  func readOnly() throws {
    var report = try StatusTests.report()
    var status = try #require(report.status)
    (status.roles, status.workers) = ([], [])
    status.clocks[0] = QueueClock(time: status.now.adding(seconds: -60))
    status.ratingQueueOldestAt = status.now.adding(seconds: -90)
    (report.status, report.failures) = (status, [.databaseReadOnly("standby")])
    #expect(report.findings().map(\.name) == ["databaseReadOnly"])
  }

  @Test("Under `cubistd up` each command is one for its own servers and its folder")
  func privateService() throws {
    var report = try Self.withoutBroker()
    report.privateFolder = "/home/a/.cubist"
    report.failures = [.store(.unavailable("refused")), Self.gone]
    for finding in report.findings() {
      #expect(finding.command == "cubistd up --folder /home/a/.cubist")
      #expect(finding.remedy.contains("/home/a/.cubist/servers"))
    }
    #expect(!report.screen().contains("systemctl"))
    #expect(report.failure?.exitCode == 69)
    #expect(report.failure?.description.contains("cubistd up --folder") == true)
    report.privateFolder = "/home/a b/.cubist"
    #expect(report.findings()[0].command == "cubistd up --folder '/home/a b/.cubist'")
    let commands = Set(
      Finding.advice.keys.map {
        Finding($0, "", "").fitting(privateFolder: "/f").command
      })
    for command in commands where !command.hasPrefix("chronyc ") && !command.hasPrefix("df ") {
      #expect(command.contains("/f"), "\(command)")
    }
    #expect(commands.contains("CUBIST_CONFIG=/f/cubistd.conf cubistd run reader"))
    #expect(
      commands.contains(
        "psql \"$(sed -n 's/^CUBIST_DATABASE=//p' /f/cubistd.conf)\" "
          + "-c 'SELECT * FROM pg_stat_activity'"))
  }

  @Test("The settings of `cubistd up` are told by the files of its folder")
  func folder() throws {
    let path = FileManager.default.temporaryDirectory
      .appending(path: "cubist-status-\(UInt64.random(in: .min ... .max))").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let folder = try PrivateFolder(path)
    let settings = ServiceSettings(database: "", broker: "", serviceKeys: folder.keys)
    #expect(PrivateFolder.path(of: settings) == nil)
    try Files.write([], to: folder.settings, mode: 0o600)
    #expect(PrivateFolder.path(of: settings) == folder.path)
    let other = ServiceSettings(database: "", broker: "", serviceKeys: "\(path)/other.json")
    #expect(PrivateFolder.path(of: other) == nil)
  }
}
