package import LibPQ
package import Logging
internal import MatchCore
package import MatchInterfaces

extension SQL {
  fileprivate static let obstacle = SQL(
    "obstacle",
    """
    SELECT a.query, coalesce(a.wait_event_type, ''), coalesce(a.wait_event, ''),
      coalesce(b.pid, 0), coalesce(b.application_name, ''), coalesce(b.state, '')
    FROM pg_stat_activity AS a
    LEFT JOIN LATERAL unnest(pg_blocking_pids(a.pid)) AS p (pid) ON true
    LEFT JOIN pg_stat_activity AS b ON b.pid = p.pid
    WHERE a.pid = $1 ORDER BY b.pid LIMIT 1
    """)
}

/// Looks after the statements of this process that take long: names each once an incident in the
/// log, with the obstacle, and keeps for `cubistd status` that the database is slow. It asks the
/// server over a connection of its own, which is open during an incident only. A session whose server
/// waits for this process is no sign of a slow database: that is in the log alone.
package final class SlowStatements {
  /// An incident ends once no statement has been slow for so long.
  private static let quietNanoseconds: UInt64 = 60_000_000_000
  /// How often an incident that goes on is kept anew.
  private static let noteNanoseconds: UInt64 = 30_000_000_000

  /// The cause where the server has done its part.
  private static let ownWaiting =
    "the server has answered and waits for this process: look at this machine's processors and the "
    + "network"

  private let watch: StatementWatch
  private let connect: () throws(StoreError) -> PostgreSQLConnection
  private let clock: WallClock
  private let log: Logger
  private var session: StoreSession?
  /// The statements that were named in this incident, with how often each was slow.
  private var counts: [String: Int] = [:]
  private var lastSlowAt: UInt64 = 0
  private var notedAt: UInt64?

  /// - Parameter connect: Opens the connection.
  package init(
    watch: StatementWatch = .process, clock: WallClock, log: Logger,
    connect: @escaping () throws(StoreError) -> PostgreSQLConnection
  ) {
    (self.watch, self.clock, self.log, self.connect) = (watch, clock, log, connect)
  }

  /// Looks once. It is to be called some times a second.
  package func look() {
    let now = clock.uptimeNanoseconds()
    for (number, running) in watch.takeSlow(at: now) { name(number, running, now) }
    for statement in watch.takeEnded() {
      lastSlowAt = now
      counts[statement, default: 0] += 1
    }
    guard !counts.isEmpty, now &- lastSlowAt >= SlowStatements.quietNanoseconds else { return }
    log.notice(
      "statements are fast again",
      metadata: [
        "slow": .stringConvertible(counts.values.reduce(0, +)),
        "statements": .stringConvertible(counts.count),
      ])
    if notedAt != nil { tell([SQL.endProblems(.text(ServiceStatus.Problem.database))]) }
    close()
    (counts, notedAt) = ([:], nil)
  }

  private func name(_ number: UInt64, _ running: StatementWatch.Running, _ now: UInt64) {
    lastSlowAt = now
    let (query, cause, isOurs) = obstacle(to: running)
    let seen = query.flatMap(running.name(of:))
    if let seen { watch.saw(seen, in: number) }
    let statement = seen ?? running.statements.first?.name ?? "transaction"
    let milliseconds = (now &- running.startedAt) / 1_000_000
    if counts[statement] == nil {
      counts[statement] = 0
      log.warning(
        "statement is slow",
        metadata: [
          "statement": "\(statement)", "milliseconds": .stringConvertible(milliseconds),
          "session": .stringConvertible(running.session), "cause": "\(cause)",
        ])
    }
    guard !isOurs else { return }
    guard notedAt.map({ now &- $0 >= SlowStatements.noteNanoseconds }) ?? true else { return }
    notedAt = now
    let reason = "statement \(statement) had taken \(milliseconds) ms: \(cause)"
    let call = SQL.passedOver(
      ServiceStatus.Problem.database, [PlayerID(rawValue: 0)], reason)
    tell([call])
  }

  /// Tells the database, if it takes it.
  private func tell(_ calls: [Call]) {
    do throws(StoreError) { try opened().run(calls) } catch { close() }
  }

  /// The text that the server is busy with, what that waits for, and whether it is this process.
  private func obstacle(
    to running: StatementWatch.Running
  ) -> (query: String?, cause: String, isOurs: Bool) {
    do throws(StoreError) {
      let rows = try opened().rows(SQL.obstacle(.int32(running.session)))
      return try reading { () throws(PostgreSQLError) in
        guard let row = rows.first else { return (nil, "its session has ended", false) }
        let (query, type, event) = (try row[0].text, try row[1].text, try row[2].text)
        if type == "Client" { return (query, SlowStatements.ownWaiting, true) }
        let wait = type.isEmpty ? "it computes" : "it waits for \(type) \(event)"
        let blocker = try row[3].int
        guard blocker != 0 else { return (query, wait, false) }
        let (name, state) = (try row[4].text, try row[5].text)
        let session = [name, state].filter { !$0.isEmpty }.joined(separator: ", ")
        return (
          query,
          "\(wait); blocked by process \(blocker)" + (session.isEmpty ? "" : " (\(session))"), false
        )
      }
    } catch {
      close()
      return (nil, "unknown, since the server cannot be asked: \(error)", false)
    }
  }

  private func opened() throws(StoreError) -> StoreSession {
    if let session, session.connection.isOpen { return session }
    let made = StoreSession(try connect(), watch: StatementWatch())
    session = made
    return made
  }

  private func close() {
    session?.connection.close()
    session = nil
  }
}
