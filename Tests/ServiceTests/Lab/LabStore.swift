import Chaos
import CubeLexicon
import EventBusLive
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import RealServers
import Synchronization
import TestedService
import Testing

/// A connection that nobody uses at the moment.
// SAFETY: the thread that takes it out of its list is the only one to use it.
struct IdleConnection: @unchecked Sendable {
  let connection: PostgreSQLConnection

  init(_ connection: PostgreSQLConnection) { self.connection = connection }
}

// A test's view of the database, over connections of its own.
extension ServiceLab {
  func connection() throws -> PostgreSQLConnection {
    try PostgreSQLConnection(database.patientSettings())
  }

  /// Looks over a connection that is kept for the next look: making one costs more than most looks.
  func looking<Result>(_ body: (CheckStore) throws -> Result) throws -> Result {
    // A session may have been ended meanwhile.
    let kept = idle.withLock { $0.popLast() }.map(\.connection)
    let connection: PostgreSQLConnection
    if let kept, (try? kept.query("SELECT 1")) != nil {
      connection = kept
    } else {
      connection = try self.connection()
    }
    let result = try body(.live(connection))
    idle.withLock { $0.append(IdleConnection(connection)) }
    return result
  }

  /// The report on an export of the stored record; nil where it is too broken to be exported.
  func report(onRecordOf match: MatchID) throws -> RecordReport? {
    let stored = try self.stored(match)
    let state = try #require(stored.state)
    func document(_ origins: [KeyOrigin]) -> RecordDocument? {
      RecordDocument(
        match: state, entries: stored.record, service: identity.service,
        rootKey: identity.rootKey, certificates: identity.certificates, origins: origins)
    }
    var found = document([])
    if let later = found?.laterKeys, !later.isEmpty {
      let connection = try connection()
      defer { connection.close() }
      found = document(try ReaderStore.live(connection).origins(later))
    }
    let verifier = RecordVerifier(lexicons: lexicons, rootKey: identity.rootKey)
    return found.map { verifier.report(on: $0) }
  }

  /// The fate of every push job, once nothing is on its way any more.
  func jobs() throws -> [StoredJob] {
    try waitUntil(
      "the broker has every push job",
      found: "\(looking { try $0.jobs(nil, 100_000) }.filter(\.isOwed))"
    ) {
      try looking { try $0.jobs(nil, 100_000) }.allSatisfy { !$0.isOwed }
    }
    let bus = try RelayBus.live(context())
    defer { bus.close() }
    // Players take turns: the last in the queue may be handed over before others, and at once with the
    // others where they are few. When nothing more comes with the next one, all are dealt with.
    var known: Set<StoredJob>?
    while true {
      let last = PushJob(
        dailyReady: DailyKey(day: Day(number: 1)),
        to: PlayerID(rawValue: Randomness.live.next128()))
      #expect(try bus.publish([last]) == [last.id])
      try waitUntil("the last job is handed over") {
        try looking { try $0.jobs(nil, 100_000) }.contains { $0.job.id == last.id }
      }
      let jobs = try looking { try $0.jobs(nil, 100_000) }.filter {
        $0.job.day != Day(number: 1)
      }
      if Set(jobs) == known { return jobs }
      known = Set(jobs)
    }
  }

  /// Finds all violations, as `cubistd check` does; push jobs too, since none is on its way.
  func violations() throws -> [Violation] {
    _ = try jobs()
    return try looking { store in
      var check = StoreCheck(
        store, identity: identity, lexicons: lexicons, jobsAreComplete: true)
      return try check.run()
    }
  }

  /// How many events no worker could handle.
  func deadEventCount() throws -> Int {
    let connection = try connection()
    defer { connection.close() }
    return try OperatorStore.live(connection).status().deadEventCount
  }

  /// Makes workers that are gone be gone at once; those that live are back with their next
  /// heartbeat.
  func forgetWorkers() throws {
    let connection = try connection()
    defer { connection.close() }
    try connection.script("DELETE FROM workers; DELETE FROM roles")
  }
}

extension Database {
  /// The settings of a test's own connection, which a busy server may let wait.
  func patientSettings() throws -> PostgreSQLSettings {
    var settings = try PostgreSQLSettings(connectionString: connectionString)
    settings.connectTimeout = .seconds(120)
    return settings
  }
}
