import Chaos
import Foundation
import Logging
import MatchGateway
import MatchInterfaces
import MatchService
import SystemCalls
import Testing

@testable import cubistd

@Suite("News for the service manager")
struct ManagerNewsTests {
  private static let second: UInt64 = 1_000_000_000

  private func report(
    _ state: RoleState, at uptime: UInt64, turnedAt: UInt64? = nil, isEnding: Bool = false
  ) -> HealthReport {
    HealthReport(
      [.init(name: "worker", state: state, turnedAt: turnedAt ?? uptime)], at: uptime,
      isEnding: isEnding)
  }

  @Test("A process is ready once, when every role works, and says before why it is not")
  func ready() {
    var news = ManagerNews(watchdog: .seconds(30))
    #expect(
      news.next(report(.interrupted(.listener("no\nport")), at: Self.second)) == [
        "STATUS=worker interrupted: no port", "WATCHDOG=1", "EXTEND_TIMEOUT_USEC=120000000",
      ])
    #expect(news.next(report(.interrupted(.listener("no\nport")), at: 2 * Self.second)) == [])
    #expect(
      news.next(report(.working, at: 3 * Self.second)) == ["READY=1", "STATUS=every role works"])
    #expect(news.next(report(.working, at: 4 * Self.second)) == [])
    #expect(news.next(report(.starting, at: 5 * Self.second)) == ["STATUS=worker starting"])
    #expect(
      news.next(report(.working, at: 6 * Self.second, isEnding: true)) == [
        "STOPPING=1", "STATUS=ending; every role works",
      ])
    #expect(news.next(report(.working, at: 7 * Self.second, isEnding: true)) == [])
  }

  @Test("The watchdog hears of the process at half of its time, and never while a role hangs")
  func watchdog() {
    var news = ManagerNews(watchdog: .seconds(30))
    let start = 1_000 * Self.second
    #expect(news.next(report(.working, at: start)).contains("WATCHDOG=1"))
    #expect(!news.next(report(.working, at: start + 14 * Self.second)).contains("WATCHDOG=1"))
    #expect(news.next(report(.working, at: start + 15 * Self.second)).contains("WATCHDOG=1"))
    let hangs = news.next(report(.working, at: start + 200 * Self.second, turnedAt: start))
    #expect(hangs == ["STATUS=worker hangs"])
    #expect(news.next(report(.working, at: start + 201 * Self.second)).contains("WATCHDOG=1"))
  }

  @Test("Without a watchdog there are no signs for it")
  func unwatched() {
    var news = ManagerNews(watchdog: nil)
    #expect(
      news.next(report(.working, at: Self.second)) == ["READY=1", "STATUS=every role works"])
    #expect(news.next(report(.working, at: 100 * Self.second)) == [])
  }

  @Test(
    "The watchdog's time is read if it is for this process",
    arguments: [
      ("30000000", "7", Duration.seconds(30)), ("30000000", nil, .seconds(30)),
      ("30000000", "8", nil), ("0", nil, nil), ("-1", nil, nil), ("x", nil, nil),
      ("99999999999999999999", nil, nil), (nil, nil, nil),
    ] as [(String?, String?, Duration?)])
  func variables(microseconds: String?, process: String?, expected: Duration?) {
    var environment: [String: String] = [:]
    environment["WATCHDOG_USEC"] = microseconds
    environment["WATCHDOG_PID"] = process
    #expect(ManagerReporter.watchdog(in: environment, of: 7) == expected)
  }

  @Test("A socket has an absolute path or an abstract name that fits")
  func names() {
    for name in ["", "relative", "vsock:2:1234", "/" + String(repeating: "a", count: 200)] {
      #expect(NotifySocket(name) == nil)
    }
    #expect(NotifySocket("/run/systemd/notify") != nil)
  }

  @Test("News reach the socket that the environment names", arguments: [false, true])
  func delivered(isAbstract: Bool) async throws {
    try await onThread {
      try withFolder { folder in
        let name = isAbstract ? "@" + folder.dropFirst() : "\(folder)/notify"
        let ear = try ManagerSocket(name)
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let reporter = try #require(
          ManagerReporter(
            environment: ["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "2000"], clock: .live, log: log))
        let end = StopSignal()
        defer { end.ask() }
        try reporter.start(until: end) {
          HealthReport(
            [.init(name: "worker", state: .working, turnedAt: nil)],
            at: WallClock.live.uptimeNanoseconds())
        }
        #expect(try ear.next() == ["READY=1", "STATUS=every role works", "WATCHDOG=1"])
        #expect(try ear.next() == ["WATCHDOG=1"])
      }
    }
  }

  @Test("A manager that is gone hinders nothing")
  func gone() throws {
    let socket = try #require(NotifySocket("/nowhere/notify"))
    #expect(throws: SystemError.self) { try socket.send(["READY=1"]) }
  }
}
