import Foundation
import MatchCore
import MatchInterfaces
import MatchService
import Testing

@testable import cubistd

@Suite("Findings about players' requests, and certificates")
struct PlayerFindingTests {
  private static let address = ListenAddress(host: "127.0.0.1", port: 8080)

  private func report(_ look: GatewayLook) throws -> StatusReport {
    var report = try StatusTests.report()
    report.gateway = AskedGateway(address: Self.address, look: look)
    return report
  }

  private func names(_ look: GatewayLook) throws -> [String] {
    try report(look).findings().map(\.name)
  }

  @Test("A gateway that answers with an error of the service is critical; a client's limit is none")
  func failing() throws {
    #expect(try names(.answered(status: 200, milliseconds: 3)) == [])
    #expect(try names(.answered(status: 429, milliseconds: 3)) == [])
    let found = try report(.answered(status: 504, milliseconds: 3)).findings()
    #expect(found.map(\.name) == ["requestsFail"])
    #expect(found[0].severity == .critical)
    #expect(found[0].cause.contains("127.0.0.1:8080") && found[0].cause.contains("504"))
  }

  @Test("An answer that takes two seconds is slow, and so is none; a gateway that is away is named")
  func slow() throws {
    #expect(try names(.answered(status: 200, milliseconds: 1_999)) == [])
    #expect(try names(.answered(status: 200, milliseconds: 2_000)) == ["repliesSlow"])
    #expect(try names(.silent(milliseconds: 4_000)) == ["repliesSlow"])
    let away = try report(.away(reason: "refused")).findings()
    #expect(away.map(\.name) == ["gatewayUnanswered"])
    #expect(away[0].command == "cubistd run gateway" && away[0].severity == .warning)
  }

  @Test("Requests that fail for want of a reader are no finding of their own")
  func explained() throws {
    var report = try report(.answered(status: 504, milliseconds: 3))
    report.status?.roles.removeAll { $0.sign.role == RoleName.reader.rawValue }
    #expect(report.findings().map(\.name) == ["readerAbsent"])
    report = try self.report(.answered(status: 503, milliseconds: 3))
    report.failures = [.store(.unavailable("gone"))]
    #expect(report.findings().map(\.name) == ["databaseUnanswered"])
  }

  @Test("Events that wait for five seconds are slow; after fifteen the queue's clock is behind")
  func slowEvents() throws {
    for (lag, name): (Int64, String?) in [
      (4, nil), (5, "repliesSlow"), (15, "repliesSlow"), (16, "clockBehind"),
    ] {
      var report = try StatusTests.report()
      let now = try #require(report.status?.now)
      report.status?.clocks[1] = QueueClock(time: now.adding(seconds: -lag))
      #expect(report.findings().map(\.name) == [name].compactMap(\.self), "\(lag)")
      guard name == "repliesSlow" else { continue }
      let found = try #require(report.findings().first)
      #expect(found.cause.contains("\(lag) s") && found.cause.hasSuffix("cubist.slots.01"))
      #expect(found.command == "cubistd run worker")
      // A finding that explains it takes its place.
      report.status?.roles.removeAll { $0.sign.role == RoleName.scheduler.rawValue }
      #expect(report.findings().map(\.name) == ["schedulerAbsent"])
    }
  }

  @Test("A listener at every address is asked at this machine's own")
  func reachable() {
    for (host, asked) in [
      ("0.0.0.0", "127.0.0.1:8080"), ("::", "[::1]:8080"), ("10.0.0.7", "10.0.0.7:8080"),
    ] {
      #expect("\(StatusReport.reachable(ListenAddress(host: host, port: 8080)))" == asked)
    }
  }

  @Test("Days until a certificate ends are whole ones, negative after the end, and never trap")
  func days() {
    let now = Instant(seconds: 1_790_000_000)
    for (seconds, days): (Int64, Int64) in [
      (0, 0), (86_399, 0), (86_400, 1), (14 * 86_400 - 1, 13), (-1, -1), (-86_400, -1),
      (-86_401, -2),
    ] {
      let end = now.adding(seconds: seconds)
      #expect(ServerCertificate.days(from: now, until: end) == days, "\(seconds)")
    }
    #expect(ServerCertificate.days(from: Instant(seconds: .max), until: Instant(seconds: .min)) < 0)
    #expect(ServerCertificate.days(from: Instant(seconds: .min), until: Instant(seconds: .max)) > 0)
  }

  @Test("A certificate is named two weeks before its end, and is critical for the last three days")
  func certificates() throws {
    var report = try StatusTests.report()
    let now = try #require(report.status?.now)
    for (days, severity): (Int64, Finding.Severity?) in [
      (14, nil), (13, .warning), (3, .warning), (2, .critical), (-1, .critical),
    ] {
      report.certificates = [
        ServerCertificate(
          server: "PostgreSQL", endpoint: "db:5432", startsWith: "postgres",
          end: now.adding(seconds: days * 86_400))
      ]
      let found = report.findings()
      #expect(found.map(\.severity) == [severity].compactMap(\.self), "\(days)")
      guard let first = found.first else { continue }
      #expect(first.name == "certificateEnds" && first.cause.contains("PostgreSQL at db:5432"))
      #expect(first.cause.contains(days < 0 ? "ended at" : "ends in \(days) day"))
      #expect(first.command.hasPrefix("openssl s_client -starttls postgres -connect db:5432 "))
    }
    // The database does not tell the time then.
    report.status = nil
    report.lookedAt = now
    #expect(report.findings().map(\.name).contains("certificateEnds"))
  }

  @Test("A disk of this machine is named before it is full")
  func disks() throws {
    var report = try StatusTests.report()
    let size: UInt64 = 50_000_000_000
    for (free, severity): (UInt64, Finding.Severity?) in [
      (5_000_000_000, nil), (4_999_999_999, .warning), (1_500_000_000, .warning),
      (1_400_000_000, .critical), (0, .critical),
    ] {
      report.disks = [LocalDisk(folder: "/var/log", bytes: size, freeBytes: free)]
      let found = report.findings()
      #expect(found.map(\.severity) == [severity].compactMap(\.self), "\(free)")
      guard let first = found.first else { continue }
      #expect(first.name == "diskLow" && first.command == "df -h /var/log")
      #expect(first.cause.contains("\(free / 1_000_000) MB left"))
    }
    // A hundredth of a large disk is much room.
    report.disks = [LocalDisk(folder: "/", bytes: 2_000 * size, freeBytes: size)]
    #expect(report.findings() == [])
  }

  @Test("Each disk is looked at once, and a folder that is missing is none")
  func disksOfThisMachine() throws {
    let disk = try #require(LocalDisk.disks(of: ["/nowhere", "/", "/."]).first)
    #expect(LocalDisk.disks(of: ["/nowhere", "/", "/."]).count == 1)
    #expect(disk.folder == "/" && disk.bytes > 0 && disk.freeBytes <= disk.bytes)
  }

  @Test("A process of this machine is named before it has no file descriptor left")
  func fileDescriptors() throws {
    var report = try StatusTests.report()
    for (open, isFound) in [(0, false), (800, false), (801, true), (1_000, true)] {
      report.processes = [LocalProcess(id: 77, openFiles: open, fileLimit: 1_000)]
      let found = report.findings()
      #expect(found.map(\.name) == (isFound ? ["filesRunOut"] : []), "\(open)")
      guard let first = found.first else { continue }
      #expect(first.severity == .warning && first.command == "ls -l /proc/77/fd")
      #expect(first.cause.contains("process 77") && first.cause.contains("\(open) of 1000"))
    }
  }

  @Test("The file descriptors of a process and their limit are read from the system")
  func processesOfThisMachine() throws {
    let name = try String(contentsOfFile: "/proc/self/comm", encoding: .utf8)
      .trimmingCharacters(in: .newlines)
    let own = try #require(
      LocalProcess.processes(named: name).first { $0.id == Int(getpid()) })
    #expect(own.openFiles > 0 && own.fileLimit >= own.openFiles)
    #expect(LocalProcess.processes(named: "nobody's name") == [])
    for (line, limit): (String, Int?) in [
      ("Max open files            1024      4096      files", 1_024),
      ("Max open files            unlimited unlimited files", nil),
      ("Max processes             1024      4096      processes", nil),
    ] {
      #expect(LocalProcess.fileLimit("Max cpu time  1  1  s\n\(line)\n") == limit, "\(line)")
    }
  }

  @Test("The certificate of a page is that of an HTTPS origin, at port 443 if it names none")
  func origins() {
    for (origin, endpoint): (String, String?) in [
      ("https://play.example", "play.example:443"),
      ("https://play.example:8443", "play.example:8443"),
      ("https://[::1]", "[::1]:443"), ("https://[::1]:9", "[::1]:9"), ("http://play.example", nil),
    ] {
      #expect(StatusReport.secureEndpoint(ofOrigin: origin) == endpoint)
    }
  }
}
