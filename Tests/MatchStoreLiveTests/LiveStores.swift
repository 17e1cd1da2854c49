import Conformance
import Foundation
import LibPQ
import MatchCore
import MatchInterfaces
import MatchStoreLive
import RealServers

/// A database of a test's own with the schema in it.
struct LiveStores {
  let database: Database

  /// Runs `body` with an empty database with the schema.
  static func run(_ body: (LiveStores) throws -> Void) throws {
    try RealServers.withDatabase(like: template) { database in
      try body(LiveStores(database: database))
    }
  }

  private static let places = Places()

  /// Does the same on a thread of its own, which may be waited on.
  static func runAside(_ body: @Sendable (LiveStores) throws -> Void) async throws {
    try await places.run { try run(body) }
  }

  private static let template = DatabaseTemplate { database in
    let connection = try LiveStores(database: database).connect()
    defer { connection.close() }
    try Schema.install(connection)
  }

  /// A new connection to the database.
  func connect(
    _ change: (inout PostgreSQLSettings) -> Void = { _ in }
  ) throws -> PostgreSQLConnection {
    var settings = try PostgreSQLSettings(connectionString: database.connectionString)
      .forMatchStore()
    // Tests side by side on a busy machine, some with tens of thousands of rows, are slow.
    (settings.statementTimeout, settings.idleInTransactionTimeout) = (.seconds(30), .seconds(60))
    settings.connectTimeout = .seconds(30)
    change(&settings)
    return try PostgreSQLConnection(settings)
  }

  /// Closes a connection and waits until the server has ended its session.
  func end(_ connection: PostgreSQLConnection) throws {
    let process = connection.serverProcessID
    connection.close()
    try waitForEnd(of: process)
  }

  /// Waits until a session of the server is gone, with its locks.
  func waitForEnd(of process: Int32) throws {
    let observer = try connect()
    while try observer.query(
      "SELECT count(*) FROM pg_stat_activity WHERE pid = $1", [.int32(process)]
    ).only[0].int64 > 0 {}
  }

  /// Stores over connections of their own.
  func set() throws -> StoreSet {
    // A worker's commit breaks on the way.
    let (proxy, text) = try TCPProxy.inFront(ofConnectionString: database.connectionString)
    var settings = try PostgreSQLSettings(connectionString: text).forMatchStore()
    (settings.statementTimeout, settings.idleInTransactionTimeout) = (.seconds(30), .seconds(60))
    let worker = try PostgreSQLConnection(settings)
    let (scheduler, relay) = (try connect(), try connect())
    // A connection that waits for another one's lock is to give up soon.
    let otherWorker = try connect { $0.lockTimeout = .milliseconds(200) }
    let (otherScheduler, otherRelay, push) = (try connect(), try connect(), try connect())
    let (rater, otherRater) = (try connect(), try connect())
    let administrator = try connect()
    return StoreSet(
      worker: .live(worker), otherWorker: .live(otherWorker), scheduler: .live(scheduler),
      otherScheduler: .live(otherScheduler), relay: .live(relay), otherRelay: .live(otherRelay),
      push: .live(push), rater: .live(rater), otherRater: .live(otherRater),
      reader: .live(try connect()),
      administration: StoreAdministration(.live(try connect())),
      check: .live(try connect()),
      age: { seconds in try administrator.script(LiveStores.aging(by: seconds)) },
      keepHouse: { retention, seconds in try keepHouse(retention, later: seconds) },
      end: { member in
        switch member {
        case .worker: try end(worker)
        case .scheduler: try end(scheduler)
        case .relay: try end(relay)
        case .push: try end(push)
        case .rater: try end(rater)
        }
      },
      breakCommit: { kind in
        switch kind {
        case .beforeWriting:
          proxy.cut()
          try waitForEnd(of: worker.serverProcessID)
        case .afterWriting:
          proxy.stall(.toClient)
          let replies = "SELECT count(*) FROM events"
          let before = try administrator.query(replies).only[0].int64
          Thread.detachNewThread {
            // The connection breaks once the commit is there, whose answer is held back.
            if let observer = try? connect() {
              _ = try? Patience.comes(within: waitLimit) {
                try observer.query(replies).only[0].int64 > before
              }
            }
            proxy.cut()
          }
        }
      },
      standBy: {
        for connection in [
          worker, otherWorker, scheduler, otherScheduler, relay, otherRelay, push, rater,
          otherRater,
        ] { try connection.query("SET default_transaction_read_only = on") }
      })
  }

  /// Does a round of the housekeeper's work as so many seconds later, after all the rounds until
  /// then.
  func keepHouse(_ retention: Retention, later seconds: Int64) throws {
    let connection = try connect()
    defer { connection.close() }
    try connection.script(
      "UPDATE housekeeping SET horizon = now() + interval '\(seconds) seconds'")
    let scheduler = SchedulerStore.live(connection, keeping: retention)
    try scheduler.rotatePartitions(
      try scheduler.now().adding(seconds: seconds), .seconds(3_600))
  }

  private static func aging(by seconds: Int64) -> String {
    let age = "interval '\(seconds) seconds'"
    return """
      UPDATE workers SET started_at = started_at - \(age), heartbeat_at = heartbeat_at - \(age);
      UPDATE outbox SET created_at = created_at - \(age);
      UPDATE owed_jobs SET owed_at = owed_at - \(age);
      UPDATE held_jobs SET until = until - \(age), held_at = held_at - \(age);
      UPDATE rematch_offers SET at = at - \(age);
      UPDATE player_settings SET seen_until = seen_until - \(age);
      UPDATE deliveries SET recorded_at = recorded_at - \(age);
      UPDATE player_keys SET added_at = added_at - \(age);
      UPDATE device_invitations SET until = until - \(age);
      UPDATE recoveries SET next_at = next_at - \(age), named_at = named_at - \(age),
        due_at = due_at - \(age), begun_at = begun_at - \(age);
      UPDATE departures SET asked_at = asked_at - \(age);
      UPDATE reserved_names SET until = until - \(age);
      UPDATE solo_scores SET ended_at = ended_at - \(age);
      UPDATE board_places
      SET ended_at = ended_at - \(age), expires_at = expires_at - \(age);
      """
  }
}

extension StoreAdministration {
  /// By means of an operator's commands.
  init(_ operators: OperatorStore) {
    self.init(
      createCode: { code in try operators.createCode(code) },
      setRegistration: { needsCode in try operators.setRegistration(needsCode) },
      registrationCodes: {
        let rows = try operators.registrationCodes(1_000).map { ($0.code, $0.usedBy) }
        return Dictionary(uniqueKeysWithValues: rows)
      },
      setWord: { word, isHidden in try operators.setWord(word, isHidden, "olga") },
      revokeKey: { key in
        try operators.revokeKey(key, ActRow(act: "key revoked", detail: "\(key)"))
      },
      stopRecovery: { player, recovery in
        try operators.stopRecovery(
          player, recovery, ActRow(act: "recovery stopped", detail: "\(recovery)"))
      },
      stopInvitations: { player in
        try operators.stopInvitations(
          player, ActRow(act: "invitations stopped", detail: "\(player)"))
      },
      removePlayer: { player in
        try operators.removePlayer(player, ActRow(act: "player removed", detail: "\(player)"))
      },
      deadEvents: { try operators.deadEvents(nil, 1_000).map(\.event) },
      fates: {
        let rows = try operators.deliveries(1_000).map { ($0.job, $0.fate) }
        return Dictionary(uniqueKeysWithValues: rows)
      },
      playerCount: { try operators.status().playerCount },
      reports: { player, limit in try operators.reports(player, limit) })
  }
}

extension PostgreSQLConnection {
  /// How many rows of a table, or of all, `body` reads, those of indexes included.
  func rowsRead(of table: String? = nil, _ body: () throws -> Void) throws -> Int64 {
    let condition = table.map { "WHERE relname = '\($0)'" } ?? ""
    func rows() throws -> Int64 {
      try query("SELECT pg_stat_force_next_flush()")
      return try query(
        """
        SELECT (SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::bigint
          FROM pg_stat_user_tables \(condition))
          + (SELECT sum(idx_tup_read)::bigint FROM pg_stat_user_indexes \(condition))
        """
      ).only[0].int64
    }
    try script("ROLLBACK")
    let before = try rows()
    try body()
    try script("ROLLBACK")
    return try rows() - before
  }
}
