internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

extension SQL {
  static let hasReplyBefore = SQL(
    "hasReplyBefore", "SELECT EXISTS (SELECT FROM events WHERE id < $1)")
  // Nobody is to wait for a lock behind a worker: a locked match is left for the next time.
  static let oldGames = SQL(
    "oldGames",
    """
    SELECT m.id, m.version, m.state FROM matches AS m
    WHERE m.id = ANY($1) AND m.turn IS NULL
      AND (
        SELECT e.accepted_at FROM entries AS e WHERE e.match = m.id
        ORDER BY e.position DESC LIMIT 1) < $2
    ORDER BY m.id FOR UPDATE OF m SKIP LOCKED
    """)
  // As of after the locks: matches that owe a notification, have one, wait to be rated, have an
  // offer of a rematch, or were annulled meanwhile.
  static let neededGames = SQL(
    "neededGames",
    """
    SELECT match FROM outbox WHERE match = ANY($1)
    UNION ALL SELECT match FROM held_jobs WHERE match = ANY($1)
    UNION ALL SELECT match FROM deliveries WHERE match = ANY($1)
    UNION ALL SELECT match FROM rating_queue WHERE match = ANY($1)
    UNION ALL SELECT match FROM rematch_offers WHERE match = ANY($1)
    UNION ALL SELECT match FROM entries WHERE match = ANY($1) AND accepted_at >= $2
    """)
  static let deleteEntries = SQL(
    "deleteEntries", "DELETE FROM entries WHERE match = ANY($1)")
  static let deleteMatches = SQL(
    "deleteMatches", "DELETE FROM matches WHERE id = ANY($1)")
}

extension StoreSession {
  /// Matches that are looked at together. With their entries they are about as many rows as other
  /// portions.
  private static let gamesAtOnce = Partitions.portion / 20

  /// Whether a reply to an event of before a time is kept.
  func hasReply(before time: Instant) throws(StoreError) -> Bool {
    let rows = try rows(SQL.hasReplyBefore(.uuid(StoreSession.firstID(at: time))))
    return try reading(try rows.only[0].bool)
  }

  /// Looks at the next matches, and drops those with a last entry from before a time, in one
  /// transaction: record, past games and state. Ratings, scores and codes of shared games stay. So
  /// does a match that something still needs, and one whose state cannot be read.
  ///
  /// A rematch goes later than the match before it, which names it. Nobody can begin it anew then.
  /// - Returns: the match after which to go on; nil: the others are too young.
  func dropGames(
    endedBefore end: Instant, after last: MatchID
  ) throws(StoreError) -> MatchID? {
    let limit = StoreSession.gamesAtOnce
    let page = try rows(SQL.matchPage(.id(last), .int(limit)))
    let ids: [MatchID] = try reading(
      try page.map { row throws(PostgreSQLError) in try row[0].id() })
    // An id begins with a time before the end of its match.
    let candidates = ids.filter { $0.time < end }
    if !candidates.isEmpty { try drop(candidates, endedBefore: end) }
    return candidates.count < limit ? nil : candidates.last
  }

  private func drop(_ candidates: [MatchID], endedBefore end: Instant) throws(StoreError) {
    let found = try run([SQL.oldGames(.ids(candidates), .instant(end))], .begins())[0]
    do throws(StoreError) {
      let matches = try readable(found).matches
      let results = try run([
        SQL.neededGames(.ids(matches.map(\.id)), .instant(end)),
        SQL.existingMatches(.ids(matches.compactMap(\.predecessor))),
      ])
      let (needed, predecessors) = try reading { () throws(PostgreSQLError) in
        (try StoreSession.matchIDs(results[0]), try StoreSession.matchIDs(results[1]))
      }
      let old = matches.filter { match in
        !needed.contains(match.id) && !(match.predecessor.map(predecessors.contains) ?? false)
      }
      let ids = Value.ids(old.map(\.id))
      try run(
        [SQL.deleteEntries, .deletePastGames, .deleteMatches, .forgetSetAside].map { $0(ids) },
        .ends)
    } catch {
      rollBack()
      throw error
    }
  }

  private static func matchIDs(_ rows: Rows) throws(PostgreSQLError) -> Set<MatchID> {
    Set(try rows.map { row throws(PostgreSQLError) -> MatchID in try row[0].id() })
  }
}
