internal import CubeLexicon
internal import LibPQ
internal import MatchCore
internal import MatchInterfaces
internal import MatchWire

extension SQL {
  static let noteProblems = SQL("noteProblems", "SELECT cubist_note_problems($1, $2, $3)")
  /// A match that is met again and again is written once a minute. One that was annulled for its
  /// damage is settled.
  fileprivate static let noteDamaged = SQL(
    "noteDamaged",
    """
    INSERT INTO problems AS p (part, subject, since, at, reason)
    SELECT $1, u.subject, statement_timestamp(), statement_timestamp(), u.reason
    FROM unnest($2, $3) AS u (subject, reason)
    WHERE NOT EXISTS (
      SELECT FROM set_aside AS a WHERE a.match = u.subject AND a.act = 'annulled')
    ORDER BY u.subject
    ON CONFLICT (part, subject) DO UPDATE SET at = excluded.at, reason = excluded.reason
    WHERE p.at < excluded.at - interval '1 minute'
    """)
  static let endProblems = SQL(
    "endProblems",
    """
    DELETE FROM problems WHERE (part, subject) IN (
      SELECT part, subject FROM problems WHERE part = $1 ORDER BY subject FOR UPDATE)
    """)
  static let problems = SQL(
    "problems",
    """
    SELECT part, subject, since, reason FROM problems
    WHERE part <> 'database' OR at > clock_timestamp() - interval '2 minutes'
    ORDER BY since, part, subject LIMIT 10
    """)
  static let matchesByID = SQL(
    "matchesByID", "SELECT id, version, state FROM matches WHERE id = ANY($1)")
  static let foldedMatches = SQL(
    "foldedMatches",
    """
    SELECT m.id, m.version, m.successor, m.declined_seat, m.declined_at,
      o.seat, o.at, o.key, o.signature, o.payload, m.due
    FROM matches AS m LEFT JOIN rematch_offers AS o ON o.match = m.id
    WHERE m.id = ANY($1)
    """)
  static let entriesOfMatches = SQL(
    "entriesOfMatches",
    """
    SELECT match, position, accepted_at, key, signature, payload, hash FROM entries
    WHERE match = ANY($1) ORDER BY match, position
    """)
}

extension StoreSession {
  /// Reads the columns id, version and state, in this order and first. A state of another version,
  /// or one that cannot be read, is folded from the record again. One that was changed is damaged.
  func matches(_ rows: Rows) throws(StoreError) -> [Match] {
    let (matches, broken) = try readable(rows)
    guard let first = broken.first else { return matches }
    damaged = broken
    noteDamaged()
    throw .damaged(first.id, first.reason)
  }

  /// Reads the same columns for a list. Damaged matches are named beside the others.
  func listed(_ rows: Rows) throws(StoreError) -> (matches: [Match], damaged: [MatchID]) {
    let (matches, broken) = try readable(rows)
    damaged = broken
    noteDamaged()
    return (matches, broken.map(\.id))
  }

  /// Keeps that a match is damaged.
  func noteDamaged(_ match: MatchID, _ reason: String) throws(StoreError) {
    damaged.append((match, reason))
    noteDamaged()
  }

  /// Keeps for `cubistd status` that matches are damaged, if the database takes it: outside of a
  /// transaction, which would be undone.
  func noteDamaged() {
    guard !damaged.isEmpty, !isInTransaction else { return }
    let call = SQL.noteDamaged(
      .text(ServiceStatus.Problem.records), damaged.uuids(\.id), damaged.texts(\.reason))
    damaged = []
    do throws(StoreError) { try run([call]) } catch {
      // The damage itself is thrown.
    }
  }

  /// Reads the same columns. A match that cannot be read does not stop the others.
  func readable(
    _ rows: Rows
  ) throws(StoreError) -> (matches: [Match], broken: [(id: MatchID, reason: String)]) {
    var changed: [(id: MatchID, reason: String)] = []
    let read = try reading(
      try rows.map { row throws(PostgreSQLError) -> (id: MatchID, match: Match?) in
        let id: MatchID = try row[0].id()
        let state = try row[2].bytes
        let match = Match(
          id: id, version: try row[1].int64, encodedState: state, rules: rules)
        if match == nil, Match.isChanged(state, of: id) {
          changed.append((id, "its state was changed: its checksum does not fit"))
        }
        return (id, match)
      })
    let unreadable = read.filter { $0.match == nil }.map(\.id)
      .filter { id in !changed.contains { $0.id == id } }
    guard !unreadable.isEmpty else { return (read.compactMap(\.match), changed) }
    let (folded, broken) = try fold(unreadable)
    return (read.compactMap { $0.match ?? folded[$0.id] }, changed + broken)
  }

  /// Folds records.
  private func fold(
    _ ids: [MatchID]
  ) throws(StoreError) -> ([MatchID: Match], broken: [(id: MatchID, reason: String)]) {
    // Versions first: an entry that arrives in between then meets a version that the guard refuses.
    let results = try run([SQL.foldedMatches(.ids(ids)), SQL.entriesOfMatches(.ids(ids))])
    let records = try entries(results[1])
    var (matches, broken): ([MatchID: Match], [(id: MatchID, reason: String)]) = ([:], [])
    for row in results[0] {
      let id: MatchID = try reading(try row[0].id())
      do throws(StoreError) {
        var match = try fold(id, records[id] ?? [])
        try reading { () throws(PostgreSQLError) in
          match.restore(version: try row[1].int64, rematch: try StoreSession.rematch(row))
        }
        matches[id] = match
      } catch {
        guard case .damaged(_, let reason) = error else { throw error }
        broken.append((id, reason))
      }
    }
    return (matches, broken)
  }

  /// Reads the columns of `SQL.foldedMatches` from the third on: the values beside the record.
  static func rematch(_ row: Rows.Row) throws(PostgreSQLError) -> Match.Rematch {
    var rematch = Match.Rematch(successor: try row[2].ifPresent?.id())
    if let seat = try row[3].ifPresent {
      rematch.declined = Match.Rematch.Declined(seat: try seat.int, at: try row[4].instant)
    }
    if let seat = try row[5].ifPresent {
      rematch.offer = Match.RematchOffer(
        seat: try seat.int, at: try row[6].instant, signed: try SignedPayload(row, from: 7))
    }
    return rematch
  }

  private func fold(_ id: MatchID, _ record: [Entry]) throws(StoreError) -> Match {
    var replay = Replay(id: id, rules: rules)
    do {
      for entry in record {
        // Words were looked up when the turn was accepted. Their score depends on their letters
        // alone.
        try replay.take(
          entry, PayloadCodec.decodeContent(entry.signed.payload).replayed,
          words: Lexicon.everyWord)
      }
    } catch {
      throw .damaged(id, "its record does not hold: \(error)")
    }
    guard let match = replay.match else { throw .damaged(id, "it has no record") }
    return match
  }

  /// Reads the columns of `SQL.entriesOfMatches`.
  func entries(_ rows: Rows) throws(StoreError) -> [MatchID: [Entry]] {
    try reading { () throws(PostgreSQLError) in
      var records: [MatchID: [Entry]] = [:]
      for row in rows {
        let entry = Entry(
          position: try row[1].int, acceptedAt: try row[2].instant,
          signed: try SignedPayload(row, from: 3), hash: try row[6].hash)
        records[try row[0].id(), default: []].append(entry)
      }
      return records
    }
  }
}

extension SignedPayload {
  /// Reads key, signature and payload, from a column on.
  init(_ row: Rows.Row, from column: Int) throws(PostgreSQLError) {
    self.init(
      key: try row[column].key, signature: try row[column + 1].bytes,
      payload: try row[column + 2].bytes)
  }
}
