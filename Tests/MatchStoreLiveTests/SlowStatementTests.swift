import CustomDump
import Foundation
import InMemoryLogging
import LibPQ
import Logging
import MatchInterfaces
import Synchronization
import Testing

@testable import MatchStoreLive

@Suite("Statements that take long")
struct SlowStatementTests {
  private static let hinder = SQL("hinder", "UPDATE registration SET mode = mode")
  private static let first = SQL("first", "SELECT 1")

  @Test("A slow statement is named once, with the session that blocks it, and status hears of it")
  func blocked() async throws {
    try await LiveStores.runAside { stores in
      let holder = try stores.connect {
        $0.applicationName = "somebody"
        $0.idleInTransactionTimeout = .seconds(60)
      }
      try holder.query("BEGIN")
      try holder.query(Self.hinder.text)
      let watch = StatementWatch(slowNanoseconds: 20_000_000)
      let settings = try stores.connect { $0.lockTimeout = .seconds(60) }.settings
      let isDone = Atomic(false)
      Thread.detachNewThread {
        if let connection = try? PostgreSQLConnection(settings) {
          let session = StoreSession(connection, watch: watch)
          for _ in 0..<2 { _ = try? session.run([Self.first(), Self.hinder()]) }
        }
        isDone.store(true, ordering: .releasing)
      }
      let lines = InMemoryLogHandler()
      let uptime = Atomic<UInt64>(0)
      var clock = WallClock.live
      clock.uptimeNanoseconds = {
        WallClock.live.uptimeNanoseconds() &+ uptime.load(ordering: .relaxed)
      }
      let slow = SlowStatements(
        watch: watch, clock: clock, log: Logger(label: "test") { _ in lines }
      ) { () throws(StoreError) in
        do throws(PostgreSQLError) { return try PostgreSQLConnection(settings) } catch {
          throw .unavailable("\(error)")
        }
      }
      // The statement of the batch that the server is busy with, not the first one.
      while lines.entries.isEmpty { slow.look() }
      let line = try #require(lines.entries.first)
      #expect(line.message == "statement is slow")
      #expect(line.metadata["statement"] == "hinder")
      let cause = "\(line.metadata["cause"] ?? "")"
      #expect(cause.hasPrefix("it waits for Lock "))
      #expect(cause.contains("blocked by process \(holder.serverProcessID) (somebody, idle in"))
      let operators = OperatorStore.live(try stores.connect())
      let problem = try #require(
        operators.status().problems.first { $0.part == ServiceStatus.Problem.database })
      #expect(problem.reason.hasPrefix("statement hinder had taken "))
      try holder.query("ROLLBACK")
      while !isDone.load(ordering: .acquiring) { slow.look() }
      slow.look()
      #expect(lines.entries.count == 1)
      // A minute without a slow statement ends the incident.
      uptime.store(61_000_000_000, ordering: .relaxed)
      slow.look()
      #expect(lines.entries.map(\.message) == ["statement is slow", "statements are fast again"])
      #expect(try operators.status().problems == [])
    }
  }

  @Test(
    "A server that waits for this process is no slow database: the log says so, status does not")
  func ownWaiting() async throws {
    try await LiveStores.runAside { stores in
      // A session that is idle: its server reads from the client.
      let idle = try stores.connect()
      let settings = idle.settings
      let watch = StatementWatch(slowNanoseconds: 0)
      _ = watch.begin([Self.first], session: idle.serverProcessID)
      let lines = InMemoryLogHandler()
      let slow = SlowStatements(
        watch: watch, clock: .live, log: Logger(label: "test") { _ in lines }
      ) { () throws(StoreError) in
        do throws(PostgreSQLError) { return try PostgreSQLConnection(settings) } catch {
          throw .unavailable("\(error)")
        }
      }
      slow.look()
      #expect(lines.entries.map(\.message) == ["statement is slow"])
      let cause = "\(lines.entries.first?.metadata["cause"] ?? "")"
      #expect(cause.contains("waits for this process") && !cause.contains("ClientRead"))
      #expect(try OperatorStore.live(try stores.connect()).status().problems == [])
    }
  }

  @Test("A server that cannot be asked hinders no line: it says so")
  func unasked() async throws {
    try await LiveStores.runAside { stores in
      let watch = StatementWatch(slowNanoseconds: 0)
      _ = watch.begin([Self.first], session: 1)
      let lines = InMemoryLogHandler()
      let slow = SlowStatements(
        watch: watch, clock: .live, log: Logger(label: "test") { _ in lines }
      ) { () throws(StoreError) in throw .unavailable("too many clients") }
      slow.look()
      #expect(lines.entries.first?.metadata["statement"] == "first")
      let cause = "\(lines.entries.first?.metadata["cause"] ?? "")"
      #expect(cause.contains("too many clients"))
    }
  }

  @Test("Every statement of the stores has a name of its own")
  func names() throws {
    let root = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let folder = root.appending(path: "Sources/MatchStoreLive")
    let walker = try #require(FileManager.default.enumerator(atPath: folder.path))
    var names: [String] = []
    for case let path as String in walker where path.hasSuffix(".swift") {
      let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
      names += text.matches(of: /\bSQL\(\s*"(\w+)"/).map { String($0.1) }
    }
    #expect(names.count > 200)
    // As many series as one metric may have, with the two that no statement of a store gives.
    #expect(names.count + 3 < 512)
    let repeated = Dictionary(grouping: names) { $0 }.filter { $0.value.count > 1 }.keys.sorted()
    expectNoDifference(repeated, [])
  }
}
