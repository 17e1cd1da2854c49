internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

extension SQL {
  /// Keeps the rows of a damaged match as they are, before they are written anew.
  static let keepFormerRows = SQL(
    "keepFormerRows",
    """
    INSERT INTO set_aside (match, at, act, rows)
    SELECT $1, clock_timestamp(), $2, jsonb_build_object(\(rowsOfMatch))
    RETURNING id
    """)
  static let annulledDamaged = SQL(
    "annulledDamaged",
    "SELECT DISTINCT match FROM set_aside WHERE match = ANY($1) AND act = 'annulled'")
  static let forgetSetAside = SQL(
    "forgetSetAside", "DELETE FROM set_aside WHERE match = ANY($1)")
  static let endDamage = SQL(
    "endDamage", "DELETE FROM problems WHERE part = $1 AND subject = $2")

  /// The tables with rows of a match, by the column that names it.
  private static let rowsOfMatch = [
    ("matches", "id"), ("entries", "match"), ("seats", "match"), ("past_games", "match"),
    ("open_seats", "match"), ("pairs", "match"), ("invitation_codes", "match"),
    ("rematch_offers", "match"), ("rating_queue", "match"), ("solo_scores", "match"),
  ].map { table, column in
    "'\(table)', (SELECT jsonb_agg(to_jsonb(r)) FROM \(table) AS r WHERE r.\(column) = $1)"
  }.joined(separator: ", ")
}

extension StoreSession {
  func restoreRecord(
    _ restored: MatchRebuild, _ record: [Entry], _ act: ActRow
  ) throws(StoreError) -> Int64 {
    let id = restored.match.id
    let entries = record.map { (match: id, entry: $0) }
    // The match first, under the guard of every batch: entries are written by whoever has it.
    let results = try run(
      [SQL.keepFormerRows(.id(id), .text("restored"))] + restored.calls + [
        SQL.deleteEntries(.ids([id])), SQL.insert(entries),
        SQL.endDamage(.text(ServiceStatus.Problem.records), .uuid(id.rawValue)),
        SQL.keepAct(.text(act.act), .text(act.detail)),
      ])
    return try reading(try results[0].only[0].int64)
  }

  func annulDamaged(_ annulled: MatchRebuild, _ act: ActRow) throws(StoreError) {
    let id = annulled.match.id
    try run(
      [SQL.keepFormerRows(.id(id), .text("annulled"))] + annulled.calls + [
        SQL.endDamage(.text(ServiceStatus.Problem.records), .uuid(id.rawValue)),
        SQL.keepAct(.text(act.act), .text(act.detail)),
      ])
  }
}
