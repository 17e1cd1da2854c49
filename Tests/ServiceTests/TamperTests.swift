import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import TestedService
import Testing

@Suite("Changes of a record with all rights of the database", .serialized)
struct TamperTests {
  /// One way to change entries, and where it is found.
  struct Tampering: Sendable {
    var name: String
    /// The statement; `$1` is the match.
    var sql: String
    /// The entry that is named.
    var position: Int
  }

  /// Every column of one entry, for each entry.
  static func changes(of position: Int) -> [Tampering] {
    let flipped = "set_byte($, octet_length($) / 2, get_byte($, octet_length($) / 2) # 1)"
    let columns =
      ["key", "signature", "hash", "payload"].map { column in
        (column, flipped.replacing("$", with: column))
      } + [("accepted_at", "accepted_at + interval '1 microsecond'")]
    return columns.map { column, value in
      Tampering(
        name: "\(column) of entry \(position)",
        sql: "UPDATE entries SET \(column) = \(value) WHERE match = $1 AND position = \(position)",
        position: position)
    }
  }

  /// Entries that are moved, taken away or brought in, in a record of so many.
  static func moves(count: Int, other: MatchID) -> [Tampering] {
    let last = count - 1
    return [
      Tampering(
        name: "position",
        sql: "UPDATE entries SET position = 999 WHERE match = $1 AND position = 4",
        position: 5),
      Tampering(
        name: "first dropped", sql: "DELETE FROM entries WHERE match = $1 AND position = 0",
        position: 1),
      Tampering(
        name: "one dropped", sql: "DELETE FROM entries WHERE match = $1 AND position = 4",
        position: 5),
      Tampering(
        name: "last dropped", sql: "DELETE FROM entries WHERE match = $1 AND position = \(last)",
        position: last),
      Tampering(
        name: "all dropped", sql: "DELETE FROM entries WHERE match = $1", position: 0),
      Tampering(
        name: "two swapped",
        sql: """
          UPDATE entries AS e SET accepted_at = o.accepted_at, key = o.key,
            signature = o.signature, hash = o.hash, payload = o.payload
          FROM entries AS o WHERE e.match = $1 AND e.position IN (4, 5)
            AND o.match = e.match AND o.position = 9 - e.position
          """, position: 4),
      Tampering(
        name: "one of another match",
        sql: """
          UPDATE entries AS e SET accepted_at = o.accepted_at, key = o.key,
            signature = o.signature, hash = o.hash, payload = o.payload
          FROM entries AS o WHERE e.match = $1 AND e.position = 4
            AND o.match = '\(other)' AND o.position = 4
          """, position: 4),
      Tampering(
        name: "one added at the end",
        sql: """
          INSERT INTO entries (match, accepted_at, position, key, signature, hash, payload)
          SELECT match, accepted_at, \(count), key, signature, hash, payload FROM entries
          WHERE match = $1 AND position = 4
          """, position: count),
    ]
  }

  @Test(
    "Any column of any entry, and any entry moved, dropped or brought in: check and verify name it")
  func tampering() async throws {
    try await ServiceLab.run { lab in
      let (ann, bob) = try lab.pair()
      let match = try lab.begin(ann, bob)
      let other = try lab.begin(ann, bob, limit: 7_200)
      for id in [match, other] { try lab.playToLastCube(id, ann, bob) }
      try ann.must(.turnPlayed(match, lab.turn(lab.match(match))))
      #expect(try lab.violations() == [])
      let connection = try lab.connection()
      defer { connection.close() }
      let count = try lab.stored(match).record.count
      #expect(count > 8)
      try connection.script("CREATE TABLE original AS SELECT * FROM entries")
      let places = [0, 1, 2, 3, 4, count - 2, count - 1]
      let all =
        places.flatMap(TamperTests.changes) + TamperTests.moves(count: count, other: other)
      for tampering in all {
        let touched = try connection.query(tampering.sql, [.uuid(match.rawValue)])
        #expect(touched.affectedRowCount > 0, "\(tampering.name) changed nothing")
        let found = try TamperTests.check(match, lab)
        #expect(
          found.filter(\.concernsRecord).map(\.position) == [tampering.position]
            && found.count == 1,
          "check of \(tampering.name): \(found)")
        #expect(
          try TamperTests.verify(match, lab) == tampering.position,
          "verify of \(tampering.name)")
        try connection.script(
          "TRUNCATE entries; INSERT INTO entries SELECT * FROM original")
      }
      #expect(try lab.violations() == [])
    }
  }

  @Test("A match without its row or record is found by its remains")
  func orphans() async throws {
    try await ServiceLab.run { lab in
      let (ann, bob) = try lab.pair()
      let match = try lab.begin(ann, bob)
      let connection = try lab.connection()
      defer { connection.close() }
      let parameters = [Value.uuid(match.rawValue)]
      try connection.query("DELETE FROM matches WHERE id = $1", parameters)
      #expect(try lab.violations().map(\.kind) == [.stateDiffers])
      try connection.query("DELETE FROM entries WHERE match = $1", parameters)
      #expect(try lab.violations().map(\.kind) == [.entryMissing])
      #expect(try lab.violations().map(\.match) == [match])
    }
  }

  private static func check(_ match: MatchID, _ lab: ServiceLab) throws -> [Violation] {
    try lab.looking { store in
      var check = StoreCheck(store, identity: lab.identity, lexicons: lab.lexicons)
      return try check.check([match])
    }
  }

  /// Verifies an export of the stored record, and gives the entry that the fault names.
  private static func verify(_ match: MatchID, _ lab: ServiceLab) throws -> Int? {
    try lab.report(onRecordOf: match)?.game.fault?.entry
  }
}
