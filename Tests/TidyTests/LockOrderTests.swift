import Testing

@Suite("The order in which statements lock rows")
struct LockOrderTests {
  /// Statements whose rows are locked by something else before.
  static let exemptions = [
    "updateMatches":
      "the plan goes by the array, which is sorted, or by the primary key: a test holds it",
    "setReminders": "matchesToRemind has locked the rows, and it waits for nobody",
    "setNextLooks": "localWishes has locked the rows, and it waits for nobody",
    "putPreferences": "putSettings has locked the rows, in the order of their players",
    "deleteSeats": "the rows are those of matches that the batch has locked",
    "putSeats": "the rows are those of matches that the batch has locked",
    "putPastGames": "the rows are those of matches that the batch has locked",
    "putRatingQueue": "the rows are those of matches that the batch has locked",
    "deleteOpenSeats": "the rows are those of matches that the batch has locked",
    "deletePairs": "the rows are those of matches that the batch has locked",
    "deleteOffers": "the rows are those of matches that the batch has locked",
    "deleteSoloScores": "the rows are those of matches that the batch has locked",
    "deleteSeatsOfMatches": "a rebuild has locked its match",
    "deleteCodes": "a rebuild has locked its match",
    "deletePastGames": "a rebuild or the housekeeper has locked its match",
    "deleteEntries": "the housekeeper has locked their matches, and nobody changes entries",
    "deleteMatches": "oldGames has locked the rows, and it waits for nobody",
    "moveCounts": "one session rates at a time",
    "deleteClocks": "nobody leads while the layout changes, and no worker runs",
    "addCertificate": "the table has one row",
    "beginClocks": "nobody leads while the layout changes, and no worker runs",
    "deleteOldEvents": "nobody else writes rows that are so old",
    "deleteOldDead": "nobody else writes rows that are so old",
    "forgetSetAside": "the housekeeper has locked their matches, and nobody changes these rows",
    "forgetOwed": "a rebuild has locked the match of the jobs, and nobody changes these rows",
  ]

  /// The statements of a file by name.
  static func statements(in text: String) -> [(name: String, sql: String)] {
    let long = /SQL\(\s*"(\w+)",\s*"""\n(.*?)"""/.dotMatchesNewlines()
    let short = /SQL\(\s*"(\w+)",\s*"([^"\n]+)"/
    return text.matches(of: long).map { (String($0.1), String($0.2)) }
      + text.matches(of: short).map { (String($0.1), String($0.2)) }
  }

  /// Whether a statement may wait for locks of several rows that are in use, in an order that it
  /// does not name.
  static func isUnordered(_ sql: String) -> Bool {
    let takesMany =
      sql.contains("unnest") || sql.contains(/ANY\(/) || sql.contains(" IN (")
      || sql.contains("generate_series")
    let waits =
      sql.contains(/\b(?:UPDATE|DELETE FROM) \w/) || sql.contains("ON CONFLICT")
      || sql.contains(/FOR (?:NO KEY )?UPDATE/)
    let namesOrder = sql.contains("ORDER BY") || sql.contains("SKIP LOCKED")
    return takesMany && waits && !namesOrder || sql.contains(/^\s*DELETE FROM \w+\s*$/)
  }

  @Test("A statement that locks several rows names their order, or says why it need not")
  func statements() throws {
    let files = try SourceText.all.get().filter { $0.key.hasPrefix("Sources/MatchStoreLive/") }
    let all = files.values.flatMap {
      Self.statements(in: $0.lines.joined(separator: "\n"))
    }
    #expect(all.count > 100)
    let found = Set(all.filter { Self.isUnordered($0.sql) }.map(\.name))
    #expect(found.sorted() == Self.exemptions.keys.sorted())
  }

  @Test(
    "Unordered locks are found",
    arguments: [
      ("DELETE FROM a USING unnest($1) AS u (id) WHERE a.id = u.id", true),
      (
        "DELETE FROM a WHERE id IN (SELECT id FROM a WHERE id = ANY($1) ORDER BY id FOR UPDATE)",
        false
      ),
      ("INSERT INTO a SELECT * FROM unnest($1) ON CONFLICT DO NOTHING", true),
      ("UPDATE a SET b = 1 WHERE id = $1", false), ("DELETE FROM a", true),
      ("SELECT id FROM a WHERE id = ANY($1) FOR UPDATE SKIP LOCKED", false),
    ])
  func finds(sql: String, isUnordered: Bool) {
    #expect(Self.isUnordered(sql) == isUnordered)
  }
}
