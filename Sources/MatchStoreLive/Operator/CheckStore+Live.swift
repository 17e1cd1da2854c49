package import CubeRules
package import LibPQ
internal import MatchCore
package import MatchInterfaces

extension SQL {
  static let matchPage = SQL(
    "matchPage", "SELECT id FROM matches WHERE id > $1 ORDER BY id LIMIT $2")
  static let matchCount = SQL("matchCount", "SELECT count(*) FROM matches WHERE id > $1")
  static let orphans = SQL(
    "orphans",
    """
    SELECT DISTINCT r.match FROM (
      SELECT match FROM entries WHERE match > $1 AND match <= $2
      UNION ALL SELECT match FROM seats WHERE match > $1 AND match <= $2
      UNION ALL SELECT match FROM past_games WHERE match > $1 AND match <= $2
    ) AS r WHERE NOT EXISTS (SELECT FROM matches AS m WHERE m.id = r.match) ORDER BY r.match
    """)
  static let storedMatches = SQL(
    "storedMatches",
    "SELECT id, version, state, turn, deadline FROM matches WHERE id = ANY($1)")
  static let storedSeats = SQL(
    "storedSeats", "SELECT match, seat, player, is_invited FROM seats WHERE match = ANY($1)")
  static let storedPastGames = SQL(
    "storedPastGames",
    """
    SELECT match, player, ended_at, opponent, points, opponent_points, result, reason
    FROM past_games WHERE match = ANY($1)
    """)
  static let storedOpenSeats = SQL(
    "storedOpenSeats",
    """
    SELECT match, turn_limit_seconds, language, is_casual, has_turn, leavers FROM open_seats
    WHERE match = ANY($1)
    """)
  static let storedPairs = SQL(
    "storedPairs", "SELECT match, key FROM pairs WHERE match = ANY($1)")
  static let storedOffers = SQL(
    "storedOffers",
    "SELECT match, from_player, to_player, at FROM rematch_offers WHERE match = ANY($1)")
  static let storedScores = SQL(
    "storedScores",
    """
    SELECT s.day - DATE '1970-01-01', s.mode, s.language, s.player, s.points
    FROM unnest($1, $2, $3, $4) AS u (day, mode, language, player)
    JOIN daily_scores AS s ON s.day = DATE '1970-01-01' + u.day AND s.mode = u.mode
      AND s.language = u.language AND s.player = u.player
    """)
  static let storedCodes = SQL(
    "storedCodes", "SELECT match, code FROM invitation_codes WHERE match = ANY($1)")
  static let replyPage = SQL(
    "replyPage",
    """
    SELECT player, id, payload_hash, reply FROM events
    WHERE (id, player) > ($1, $2) ORDER BY id, player LIMIT $3
    """)
  static let lackingEntries = SQL(
    "lackingEntries",
    """
    SELECT u.number - 1 FROM unnest($1, $2, $3) WITH ORDINALITY AS u (match, payload, hash, number)
    WHERE NOT EXISTS (
      SELECT FROM entries AS e WHERE e.match = u.match
        AND CASE WHEN u.hash IS NULL THEN sha256(e.payload) = u.payload ELSE e.hash = u.hash END)
      AND NOT EXISTS (SELECT FROM set_aside AS a WHERE a.match = u.match AND a.act = 'annulled')
    ORDER BY 1
    """)
  static let jobPage = SQL(
    "jobPage",
    jobs(
      owed("WHERE job > $1 ORDER BY job LIMIT $2"),
      "(SELECT * FROM deliveries WHERE job > $1 ORDER BY job LIMIT $2)") + " ORDER BY 1 LIMIT $2")
  static let storedJobs = SQL(
    "storedJobs",
    jobs(
      owed("WHERE match = ANY($1)"),
      "(SELECT * FROM deliveries WHERE match = ANY($1))") + " ORDER BY 1")
  static let existingMatches = SQL(
    "existingMatches", "SELECT id FROM matches WHERE id = ANY($1)")
  static let allOwners = SQL("allOwners", "SELECT key, player FROM player_keys WHERE key = ANY($1)")

  // The index on players finds the first row; only the keys of one player are sorted at a time.
  static let keyPage = SQL(
    "keyPage",
    """
    SELECT player, key FROM player_keys
    WHERE player >= $1 AND (player, key) > ($1, $2) ORDER BY player, key LIMIT $3
    """)

  static let storedNudges = SQL(
    "storedNudges", "SELECT match, turn, at FROM nudges WHERE match = ANY($1)")
  /// The jobs in the outbox and those that wait. A job may be in both for a moment.
  private static func owed(_ condition: String) -> String {
    let columns = "job, kind, player, match, turn, day"
    return """
      ((SELECT \(columns) FROM outbox \(condition))
        UNION (SELECT \(columns) FROM held_jobs \(condition)))
      """
  }

  private static func jobs(_ owed: String, _ decided: String) -> String {
    """
    SELECT coalesce(o.job, d.job) AS job, coalesce(o.kind, d.kind),
      coalesce(o.player, d.player), coalesce(o.match, d.match), coalesce(o.turn, d.turn),
      coalesce(o.day, d.day) - DATE '1970-01-01', o.job IS NOT NULL, d.fate
    FROM \(owed) AS o FULL JOIN \(decided) AS d ON d.job = o.job
    """
  }
}

extension CheckStore {
  /// The store on PostgreSQL, over a connection that nobody else uses. Each page is read as of one
  /// instant.
  ///
  /// After `StoreError.unavailable` the connection is closed: make a new one, and a new store of
  /// it.
  package static func live(
    _ connection: PostgreSQLConnection, rules: Rulebook = .standard
  ) -> CheckStore {
    let session = StoreSession(connection, rules: rules)
    var store = CheckStore.failing
    store.matches.answer(with: session.matchPage)
    store.count.answer(with: session.matchCount)
    store.orphans.answer(with: session.orphans)
    store.stored.answer(with: session.stored)
    store.existing.answer(with: session.existing)
    store.replies.answer(with: session.replies)
    store.owners.answer(with: session.allOwners)
    store.origins.answer(with: session.origins)
    store.handled.answer(with: session.replyPage)
    store.lacking.answer(with: session.lacking)
    store.jobs.answer(with: session.jobPage)
    store.keys.answer(with: session.keyPage)
    store.recoveries.answer(with: session.recoveryPage)
    store.gone.answer(with: session.gonePlayers(after:limit:))
    store.players.answer(with: session.playerPage)
    store.playersByID.answer(with: session.storedPlayers)
    store.fanOuts.answer(with: session.fanOuts)
    store.owedJobs.answer(with: session.owedPage)
    store.knownJobs.answer(with: session.knownJobs)
    store.now.answer(with: session.now)
    return store
  }
}

extension StoreSession {
  fileprivate func matchPage(
    after match: MatchID?, limit: Int
  ) throws(StoreError) -> [MatchID] {
    let rows = try rows(SQL.matchPage(.uuid(match?.rawValue ?? 0), .int(limit)))
    return try reading(try rows.map { row throws(PostgreSQLError) in try row[0].id() })
  }

  fileprivate func matchCount(after match: MatchID?) throws(StoreError) -> Int {
    let rows = try rows(SQL.matchCount(.uuid(match?.rawValue ?? 0)))
    return try reading(try rows.only[0].int)
  }

  fileprivate func orphans(
    after match: MatchID?, through last: MatchID?
  ) throws(StoreError) -> [MatchID] {
    let rows = try rows(
      SQL.orphans(.uuid(match?.rawValue ?? 0), .uuid(last?.rawValue ?? .max)))
    return try reading(try rows.map { row throws(PostgreSQLError) in try row[0].id() })
  }

  fileprivate func stored(_ ids: [MatchID]) throws(StoreError) -> [MatchID: StoredMatch] {
    // All tables as of one instant: a match that is played on meanwhile is no contradiction.
    let results = try run(
      [
        SQL.storedMatches, .entriesOfMatches, .storedSeats, .storedPastGames, .storedOpenSeats,
        .storedPairs, .storedOffers, .storedJobs, .foldedMatches, .storedCodes,
        .storedRatingQueue, .storedRatingResults, .storedNudges, .annulledDamaged,
      ].map { $0(.ids(ids)) }, .begins(.repeatableRead))
    do throws(StoreError) {
      let records = try entries(results[1])
      var matches = try reading { () throws(PostgreSQLError) in
        var matches: [MatchID: StoredMatch] = [:]
        for row in results[0] {
          let match = try StoredMatch(row, record: records[try row[0].id()] ?? [], rules: rules)
          matches[try row[0].id()] = match
        }
        let orphans = try StoreSession.orphans(of: ids, besides: matches, results)
        for id in orphans {
          matches[id] = StoredMatch(
            version: 0, state: nil, record: records[id] ?? [], turn: nil, deadline: nil,
            listing: StoredListing(), jobs: [])
        }
        try StoreSession.read(results, into: &matches)
        return matches
      }
      try readScores(into: &matches)
      try readSoloScores(into: &matches)
      try run([], .ends)
      return matches
    } catch {
      rollBack()
      throw error
    }
  }

  private static func read(
    _ results: [Rows], into matches: inout [MatchID: StoredMatch]
  ) throws(PostgreSQLError) {
    for row in results[2] {
      matches[try row[0].id()]?.listing.seats.insert(
        Listing.SeatRow(
          seat: try row[1].int, player: try row[2].id(), isInvited: try row[3].bool,
          isOver: false))
    }
    for row in results[3] {
      matches[try row[0].id()]?.listing.pastGames.insert(try Listing.PastGameRow(row))
    }
    for row in results[4] {
      let limit = try row[1].int64
      let terms = Terms(
        kind: .random, turnLimitSeconds: limit == 0 ? nil : limit, language: try row[2].case(),
        isCasual: try row[3].bool)
      matches[try row[0].id()]?.listing.openSeat = Listing.OpenSeatRow(
        terms: terms, hasTurn: try row[4].bool,
        leavers: try row[5].uuidArray.compactMap { $0.map(PlayerID.init(rawValue:)) })
    }
    for row in results[5] { matches[try row[0].id()]?.listing.pairKey = try row[1].text }
    for row in results[6] {
      matches[try row[0].id()]?.listing.rematchOffer = Listing.OfferRow(
        from: try row[1].id(), to: try row[2].id(), at: try row[3].instant)
    }
    for row in results[8] {
      matches[try row[0].id()]?.columns = StoredMatch.Columns(
        due: try row[10].ifPresent?.int, rematch: try rematch(row), codes: [])
    }
    for row in results[9] {
      matches[try row[0].id()]?.columns?.codes.insert(try row[1].code)
    }
    for row in results[10] { try matches[row[0].id()]?.rating.takeWaiting(row) }
    for row in results[11] { try matches[row[0].id()]?.rating.takeResult(row) }
    for row in results[12] {
      matches[try row[0].id()]?.nudge = StoredNudge(
        turn: try row[1].int, at: try row[2].instant)
    }
    for row in results[13] { matches[try row[0].id()]?.isAnnulledDamaged = true }
    for job in try jobs(results[7]) {
      if let match = job.job.match { matches[match]?.jobs.append(job) }
    }
  }

  /// Ids under which there are rows and no match.
  private static func orphans(
    of ids: [MatchID], besides matches: [MatchID: StoredMatch], _ results: [Rows]
  ) throws(PostgreSQLError) -> Set<MatchID> {
    guard matches.count < ids.count else { return [] }
    var orphans: Set<MatchID> = []
    // Entries, seats and past games.
    for rows in results[1...3] {
      for row in rows where matches[try row[0].id()] == nil { orphans.insert(try row[0].id()) }
    }
    return orphans
  }

  private static func jobs(_ rows: Rows) throws(PostgreSQLError) -> [StoredJob] {
    try rows.map { row throws(PostgreSQLError) in
      StoredJob(
        job: try PushJob(row), isOwed: try row[6].bool, fate: try row[7].ifPresent?.case())
    }
  }

  /// A score's row names its challenge and player but not the match. Only one match of them has a
  /// score.
  private func readScores(into matches: inout [MatchID: StoredMatch]) throws(StoreError) {
    var wanted: [(key: DailyKey, player: PlayerID)] = []
    for match in matches.values {
      if let score = match.state.flatMap({ Listing(of: $0).dailyScore }) {
        wanted.append((score.key, score.player))
      }
    }
    guard !wanted.isEmpty else { return }
    let rows = try rows(
      SQL.storedScores(
        wanted.int32s { Int($0.key.day.number) }, wanted.texts(\.key.mode.rawValue),
        wanted.texts(\.key.language.rawValue), wanted.uuids(\.player)))
    try reading { () throws(PostgreSQLError) in
      for row in rows {
        let key = DailyKey(
          day: try row[0].day, mode: try row[1].case(), language: try row[2].case())
        let player: PlayerID = try row[3].id()
        let again = MatchID(dailyAgain: key, player: player)
        let hasAgain = matches[again]?.state.flatMap { Listing(of: $0).dailyScore } != nil
        let id = hasAgain ? again : MatchID(daily: key, player: player)
        matches[id]?.listing.dailyScore = Listing.DailyScoreRow(
          key: key, player: player, points: try row[4].int)
      }
    }
  }

  fileprivate func replyPage(
    after event: EventKey?, limit: Int
  ) throws(StoreError) -> [BatchWrite.Reply] {
    let rows = try rows(
      SQL.replyPage(
        .uuid(event?.event.rawValue ?? 0), .uuid(event?.player.rawValue ?? 0), .int(limit)))
    return try reading(
      try rows.map { row throws(PostgreSQLError) in
        BatchWrite.Reply(
          key: EventKey(player: try row[0].id(), event: try row[1].id()),
          reply: StoredReply(payloadHash: try row[2].hash, reply: try row[3].bytes))
      })
  }

  fileprivate func lacking(_ places: [RecordPlace]) throws(StoreError) -> [Int] {
    let rows = try rows(
      SQL.lackingEntries(
        places.uuids(\.match), places.blobs(\.payloadHash.bytes),
        places.blobs { $0.entryHash?.bytes }))
    return try reading(try rows.map { row throws(PostgreSQLError) in try row[0].int })
  }

  fileprivate func jobPage(after job: PushJobID?, limit: Int) throws(StoreError) -> [StoredJob] {
    let rows = try rows(SQL.jobPage(.uuid(job?.rawValue ?? 0), .int(limit)))
    return try reading(try StoreSession.jobs(rows))
  }

  fileprivate func existing(_ matches: [MatchID]) throws(StoreError) -> Set<MatchID> {
    let rows = try rows(SQL.existingMatches(.ids(matches)))
    return try reading { () throws(PostgreSQLError) in
      Set(try rows.map { row throws(PostgreSQLError) -> MatchID in try row[0].id() })
    }
  }

  fileprivate func replies(_ events: [EventKey]) throws(StoreError) -> [EventKey: StoredReply] {
    var lookup = Lookup()
    lookup.events = events
    return try lookUp(lookup).replies
  }

  fileprivate func keyPage(after key: OwnedKey?, limit: Int) throws(StoreError) -> [OwnedKey] {
    let rows = try rows(
      SQL.keyPage(
        .id(key?.player ?? PlayerID(rawValue: 0)), .bytes(key?.key.bytes ?? []), .int(limit)))
    return try reading(
      try rows.map { row throws(PostgreSQLError) in
        OwnedKey(player: try row[0].id(), key: try row[1].key)
      })
  }

  fileprivate func allOwners(_ keys: [PublicKey]) throws(StoreError) -> [PublicKey: PlayerID] {
    let rows = try rows(SQL.allOwners(keys.blobs(\.bytes)))
    return try reading { () throws(PostgreSQLError) in
      var owners: [PublicKey: PlayerID] = [:]
      for row in rows { owners[try row[0].key] = try row[1].id() }
      return owners
    }
  }
}

extension StoredMatch {
  /// Reads the columns of `SQL.storedMatches`.
  fileprivate init(
    _ row: Rows.Row, record: [Entry], rules: Rulebook
  ) throws(PostgreSQLError) {
    let (id, version, state): (MatchID, _, _) = (
      try row[0].id(), try row[1].int64, try row[2].bytes
    )
    self.init(
      version: version,
      state: Match(id: id, version: version, encodedState: state, rules: rules),
      record: record, turn: try row[3].ifPresent?.int, deadline: try row[4].ifPresent?.instant,
      listing: StoredListing(), jobs: [])
    isStateChanged = Match.isChanged(state, of: id)
  }
}
