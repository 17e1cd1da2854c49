package import LibPQ
internal import MatchCore
package import MatchInterfaces

extension SQL {
  static let deleteSeatsOfMatches = SQL(
    "deleteSeatsOfMatches", "DELETE FROM seats WHERE match = ANY($1)")
  static let deleteCodes = SQL(
    "deleteCodes", "DELETE FROM invitation_codes WHERE match = ANY($1)")
  static let deletePastGames = SQL(
    "deletePastGames", "DELETE FROM past_games WHERE match = ANY($1)")
  static let restoreStandings = SQL(
    "restoreStandings",
    """
    \(insertsStandings)
    SELECT l.player, l.rating_no, l.match_count, l.rated_at, l.rating, l.deviation, l.volatility
    FROM unnest($1) AS u (player)
    CROSS JOIN LATERAL (
      SELECT * FROM rating_results WHERE player = u.player ORDER BY rating_no DESC LIMIT 1
    ) AS l
    \(replacesStanding)
    """)
  static let keepAct = SQL(
    "keepAct",
    "INSERT INTO operator_acts (at, act, detail) VALUES (clock_timestamp(), $1, $2)")
  /// One row for a rebuild, which grows with each match that it writes.
  static let keepRebuild = SQL(
    "keepRebuild",
    """
    WITH grown AS (
      UPDATE operator_acts SET detail = $2 WHERE id = (
        SELECT id FROM operator_acts
        WHERE act = 'matches rebuilt' AND starts_with(detail, $1) ORDER BY id DESC LIMIT 1)
      RETURNING id)
    INSERT INTO operator_acts (at, act, detail)
    SELECT clock_timestamp(), 'matches rebuilt', $2 WHERE NOT EXISTS (SELECT FROM grown)
    """)
}

extension RebuildStore {
  /// The store on PostgreSQL, over a connection that nobody else uses.
  ///
  /// The guard of every batch holds here too: workers wait for it or it for them, and the second
  /// one finds another version. After `StoreError.unavailable` the connection is closed: make a new
  /// one, and a new store of it.
  /// - Parameter tally: What all matches that are written through it are one act of.
  package static func live(
    _ connection: PostgreSQLConnection, _ tally: RebuildTally
  ) -> RebuildStore {
    let session = StoreSession(connection)
    var store = RebuildStore.failing
    var tally = tally
    store.write.answer { rebuild throws(StoreError) in
      var next = tally
      next.add(rebuild)
      try session.run(
        rebuild.calls + [SQL.keepRebuild(.text(next.beginning), .text(next.detail))])
      tally = next
    }
    return store
  }
}

extension MatchRebuild {
  /// The statements that write the match and everything that is derived from it.
  var calls: [Call] {
    let id = match.id
    var after = match
    after.version += 1
    // The listing's rows are replaced as a whole: which of them are wrong does not matter.
    let listing = ListingChanges([MatchChange(before: nil, after: after, entries: [])])
    var calls: [Call] = []
    if match.version > 0 {
      calls = [SQL.update([(judged: match.version, match: after)])]
    } else {
      calls = [SQL.insert([after])]
    }
    calls += [
      SQL.deleteSeatsOfMatches, .deletePastGames, .deleteOpenSeats, .deletePairs, .deleteCodes,
      .deleteOffers, .deleteSoloScores,
    ].map { $0(.ids([id])) }
    // The rater waits, or is waited for: it must not rate a match that is just being corrected.
    calls += [SQL.lockRater(), SQL.leaveRatingQueue(.ids([id]))]
    calls += listing.calls
    if restoresStandings, let rated = match.ratedByOutcome {
      let players = Value.ids(rated.results.keys.sorted())
      calls += [SQL.restoreStandings(players), SQL.retireBots(players), SQL.recount()]
    }
    if !codes.isEmpty {
      calls.append(SQL.insertCodes(codes.texts(\.text), codes.uuids { _ in id }))
    }
    if !missing.isEmpty { calls.append(SQL.insert(missing)) }
    if !unexpected.isEmpty {
      calls += [
        SQL.deleteJobs(.ids(unexpected)), SQL.releaseJobs(.ids(unexpected)),
        SQL.forgetOwed(.ids(unexpected)),
      ]
    }
    if !staleBoards.isEmpty { calls.append(SQL.recount(staleBoards)) }
    return calls
  }
}
