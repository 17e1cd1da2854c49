import Conformance
import LibPQ
import MatchInterfaces
import Synchronization
import Testing

@testable import MatchStoreLive

@Suite("Sessions that lock the same rows in opposite orders")
struct LockOrderTests {
  /// A statement of which two sessions give the same rows in opposite orders.
  struct Race: Sendable, CustomTestStringConvertible {
    var sql: SQL
    /// Fills the tables; run before each round.
    var setup: String
    /// The parameters for these rows.
    var parameters: @Sendable ([Int]) -> [Value]

    var testDescription: String { sql.name }
  }

  /// So many rows that two statements at once meet on some.
  private static let count = 1_000

  private static func ids(_ numbers: [Int]) -> Value { .uuidArray(numbers.map { UInt128($0) }) }
  /// Values of 32 bytes.
  private static func keys(_ numbers: [Int]) -> Value {
    .bytesArray(
      numbers.map { Array(repeating: 0, count: 30) + [UInt8($0 >> 8), UInt8($0 & 255)] })
  }
  private static func texts(_ numbers: [Int]) -> Value {
    .textArray(numbers.map { "name-\($0 + 10_000)" })
  }
  private static func zeros(_ numbers: [Int]) -> Value { .int32Array(numbers.map { _ in 0 }) }
  private static let player = "lpad(to_hex(n), 32, '0')::uuid"
  private static let rows = "FROM generate_series(1, \(count)) AS n"
  private static let now = Value.timestamp(microseconds: 0)

  static let races = [
    Race(sql: .putSettings, setup: "") { numbers in
      [
        ids(numbers), texts(numbers), zeros(numbers), zeros(numbers), ids([]), ids([]),
        .timestampArray(microseconds: []),
      ]
    },
    Race(sql: .putDevices, setup: "") { numbers in
      [
        ids(numbers), texts(numbers), numbers.texts { _ in "app" }, texts(numbers),
        numbers.blobs { _ in nil }, numbers.blobs { _ in nil }, texts(numbers), keys(numbers), now,
      ]
    },
    Race(
      sql: .takeDevices,
      setup: """
        TRUNCATE devices;
        INSERT INTO devices (player, registered_at, name, permission, token)
        SELECT \(player), now(), 'name-' || n + 10000, 'allowed', 'name-' || n + 10000 \(rows)
        """
    ) { numbers in
      [
        ids(numbers.map { _ in 0 }), numbers.texts { _ in "app" }, texts(numbers),
        numbers.blobs { _ in nil }, numbers.blobs { _ in nil },
      ]
    },
    Race(
      sql: .removeDevicesOfKeys,
      setup: """
        TRUNCATE devices;
        INSERT INTO devices (player, registered_at, name, permission)
        SELECT \(player), now(), 'name-' || n + 10000, 'allowed' \(rows)
        """
    ) { [ids($0), keys($0)] },
    Race(
      sql: .removeDevices,
      setup: """
        INSERT INTO devices (player, registered_at, name, permission)
        SELECT \(player), now(), 'name-' || n + 10000, 'allowed' \(rows)
        """
    ) { [ids($0), texts($0)] },
    Race(
      sql: .removeAllDevices,
      setup: """
        TRUNCATE devices;
        INSERT INTO devices (player, registered_at, name, permission)
        SELECT \(player), now(), 'name-' || n + 10000, 'allowed' \(rows)
        """
    ) { [ids($0)] },
    Race(
      sql: .seeJobs,
      setup: """
        TRUNCATE deliveries;
        INSERT INTO deliveries (job, player, recorded_at, kind, fate)
        SELECT \(player), \(player), now(), 'invited', 'delivered' \(rows)
        """
    ) { [ids($0), ids($0), now] },
    Race(
      sql: .leaveRatingQueue,
      setup: """
        INSERT INTO rating_queue (match, player, ended_at, result)
        SELECT \(player), \(player), now(), 'won' \(rows)
        """
    ) { [ids($0)] },
    Race(sql: .putScores, setup: "") { numbers in
      [
        zeros(numbers), texts(numbers), texts(numbers), ids(numbers),
        .int64Array(numbers.map { Int64($0) }),
      ]
    },
    Race(
      sql: .deleteScores,
      setup: """
        INSERT INTO daily_scores (player, points, day, mode, language)
        SELECT \(player), 1, '1970-01-01', 'name-' || n + 10000, 'name-' || n + 10000 \(rows)
        """
    ) { [zeros($0), texts($0), texts($0), ids($0)] },
    Race(sql: .putPairs, setup: "TRUNCATE pairs") { [texts($0), ids($0)] },
    Race(sql: .insertShares, setup: "TRUNCATE shared_games") { [texts($0), ids($0), now] },
    Race(sql: .insertPlayers, setup: "TRUNCATE players") { numbers in
      [
        ids(numbers), texts(numbers), texts(numbers),
        .timestampArray(microseconds: numbers.map { _ in 0 }),
      ]
    },
    Race(
      sql: .useCodes,
      setup: """
        TRUNCATE registration_codes;
        INSERT INTO registration_codes (code, created_at) SELECT 'name-' || n + 10000, now() \(rows)
        """
    ) { [texts($0), ids($0), now] },
    Race(
      sql: .useInvitations,
      setup: """
        TRUNCATE device_invitations;
        INSERT INTO device_invitations (hash, player, until, envelope)
        SELECT decode(lpad(to_hex(n), 64, '0'), 'hex'), \(player), now(), '' \(rows)
        """
    ) { [keys($0), keys($0)] },
    Race(
      sql: .removeKeys,
      setup: """
        TRUNCATE player_keys;
        INSERT INTO player_keys (key, player, added_at)
        SELECT decode(lpad(to_hex(n), 64, '0'), 'hex'), \(player), now() \(rows)
        """
    ) { [keys($0), keys($0), .timestampArray(microseconds: $0.map { _ in 0 })] },
    Race(sql: .putRecoveries, setup: "TRUNCATE recoveries") { numbers in
      let none: [Int64?] = numbers.map { _ in nil }
      let (noBytes, noTime) = (
        Value.bytesArray(numbers.map { _ in nil }), Value.timestampArray(microseconds: none)
      )
      return [
        ids(numbers), keys(numbers), keys(numbers), noBytes, noBytes, noTime, .int64Array(none),
        noTime, .uuidArray(numbers.map { _ in nil }), noBytes, noBytes, noTime, .int64Array(none),
        noBytes, noTime,
      ]
    },
    Race(sql: .noteProblems, setup: "TRUNCATE problems") { numbers in
      [.text("part"), ids(numbers), texts(numbers)]
    },
    Race(
      sql: .putClocks,
      setup: """
        TRUNCATE queue_clocks;
        INSERT INTO queue_clocks (queue, time, credit_microseconds)
        SELECT n, '1970-01-01 00:00:00+00', 0 \(rows)
        """
    ) { numbers in
      let times = Value.timestampArray(microseconds: numbers.map { _ in 0 })
      let none = Value.timestampArray(microseconds: numbers.map { _ in nil })
      let credits = Value.int64Array(numbers.map { _ in 0 })
      return [
        .int32Array(numbers.map { Int32($0) }), times, credits, none, none, none, times, credits,
        none,
      ]
    },
  ]

  @Test("They wait for one another, and never in a circle", arguments: races)
  func race(_ race: Race) throws {
    try LiveStores.run { stores in
      let administrator = try stores.connect()
      let orders = [Array(1...Self.count), Array((1...Self.count).reversed())]
      for _ in 1...10 {
        try administrator.script(race.setup)
        let ready = Atomic(0)
        let results = OnThreads.run(2) { number in
          // A circle is found after a second. A busy machine may take long for a thousand rows.
          let session = StoreSession(try stores.connect { $0.lockTimeout = .seconds(30) })
          // Both begin at once.
          ready.add(1, ordering: .sequentiallyConsistent)
          while ready.load(ordering: .sequentiallyConsistent) < 2 {}
          try session.run([race.sql.with(race.parameters(orders[number]))])
        }
        for case .failure(let error) in results {
          // The second one may find the rows there or taken.
          #expect(!"\(error)".contains("40P01"), "\(error)")
        }
        #expect(results.contains { if case .success = $0 { true } else { false } }, "\(results)")
      }
    }
  }

  /// The plan of a statement without knowledge of its parameters.
  private func plan(_ sql: SQL, _ connection: PostgreSQLConnection) throws -> String {
    let parameters = try connection.query(
      "SELECT cardinality(parameter_types) FROM pg_prepared_statements WHERE name = $1",
      [.text(sql.name)]
    ).only[0].int64
    let nulls = Array(repeating: "NULL", count: Int(parameters)).joined(separator: ", ")
    return try connection.query("EXPLAIN EXECUTE \"\(sql.name)\" (\(nulls))")
      .map { row in try row[0].text }.joined(separator: "\n")
  }

  @Test(
    "The update of a batch's matches locks them in the order of ids, in tables of any size",
    arguments: [0, 10, 20_000])
  func updateInOrder(count: Int) throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      try connection.script(
        """
        INSERT INTO matches (id, version, deadline, due, turn, state)
        SELECT gen_random_uuid(), 1, now(), n, 1, decode(repeat('00', 200), 'hex')
        FROM generate_series(1, \(count)) AS n;
        ANALYZE matches
        """)
      let session = StoreSession(connection)
      try session.run([SQL.update([])])
      let plan = try plan(.updateMatches, connection)
      // The rows come in the order of the outer side: of the array, or of the primary key.
      let outer = plan.split(separator: "\n").first { $0.contains(" Scan ") } ?? ""
      #expect(
        outer.contains("Function Scan on u") || outer.contains("Index Scan using matches_pkey"),
        "\(plan)")
    }
  }

  @Test("A guard says which rows it expected, how many, and how many it found")
  func guardSays() throws {
    try LiveStores.run { stores in
      let session = StoreSession(try stores.connect())
      let calls: [(Call, String)] = [
        (
          SQL.guardVersions(Self.ids([1, 2]), .int64Array([1, 1]), .int64(nil)),
          "guardVersions: expected 2 of matches as they were judged, found 0"
        ),
        (
          SQL.guardVersions(Self.ids([]), .int64Array([]), .int64(7)),
          "guardVersions: a key has been revoked: expected 7 revocations, found 0"
        ),
        (
          SQL.useCodes(Self.texts([1]), Self.ids([1]), Self.now),
          "useCodes: expected 1 registration_codes that nobody has used, found 0"
        ),
        (
          SQL.putClocks.with(Self.races[Self.races.count - 1].parameters([1, 2, 3])),
          "putClocks: expected 3 of queue_clocks as they were judged, found 0"
        ),
      ]
      for (call, text) in calls {
        let error = try storeError { try session.run([call]) }
        guard case .conflict(let said) = error else {
          Issue.record("\(error)")
          continue
        }
        #expect(said.contains(text))
      }
    }
  }
}
