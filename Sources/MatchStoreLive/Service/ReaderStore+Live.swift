package import CubeRules
package import LibPQ
internal import MatchCore
package import MatchInterfaces
internal import MatchWire

extension SQL {
  static let playerByName = SQL(
    "playerByName", players(where: "p.name_key = $1"))
  static let currentMatches = SQL(
    "currentMatches",
    """
    SELECT m.id, m.version, m.state FROM (
      SELECT match FROM seats WHERE player = $1 AND is_invited = $2 ORDER BY match DESC LIMIT $3
    ) AS s JOIN matches AS m ON m.id = s.match ORDER BY m.id DESC
    """)
  static let currentMatchCount = SQL(
    "currentMatchCount",
    """
    SELECT count(*) FROM (
      SELECT FROM seats WHERE player = $1 AND is_invited = $2 LIMIT $3) AS s
    """)
  static let matchesWithOffer = SQL(
    "matchesWithOffer",
    """
    SELECT m.id, m.version, m.state FROM rematch_offers AS o JOIN matches AS m ON m.id = o.match
    WHERE (o.from_player = $1 OR o.to_player = $1)
      AND o.at > \(statementTime) - $2 * interval '1 second'
    ORDER BY o.at DESC, m.id DESC LIMIT $3
    """)
  static let sharedMatch = SQL("sharedMatch", "SELECT match FROM shared_games WHERE code = $1")
  static let matchByCode = SQL("matchByCode", "SELECT match FROM invitation_codes WHERE code = $1")
  static let pastGames = SQL("pastGames", pastGames(where: "player = $1") + pageOfPastGames)
  static let pastGamesOfKinds = SQL(
    "pastGamesOfKinds",
    pastGamesOfEachKind(where: "player = $1 AND kind = k.kind AND result = r.result"))
  static let pastGamesWith = SQL(
    "pastGamesWith",
    pastGamesOfEachKind(
      where: """
        player = $1 AND opponent = $8 AND kind COLLATE "C" = k.kind
          AND result COLLATE "C" = r.result
        """))

  // One short walk along an index for each kind and result, however rare the wanted games are.
  private static func pastGamesOfEachKind(where condition: String) -> String {
    """
    SELECT g.* FROM unnest($6::text[]) AS k (kind) CROSS JOIN unnest($7::text[]) AS r (result)
    CROSS JOIN LATERAL (
      \(pastGames(where: condition))
      \(pageOfPastGames)) AS g
    \(pageOfPastGames)
    """
  }

  private static let pageOfPastGames = " ORDER BY ended_at DESC, match DESC LIMIT $4"

  private static func pastGames(where condition: String) -> String {
    """
    SELECT match, player, ended_at, opponent, points, opponent_points, result, reason, kind,
      daily_day - DATE '1970-01-01' AS daily_day, daily_mode, turn_limit_seconds, language,
      is_casual, CASE WHEN reason = 'aborted' THEN (
        SELECT e.payload FROM entries AS e WHERE e.match = past_games.match
        ORDER BY e.position DESC OFFSET 1 LIMIT 1) END AS cause
    FROM past_games
    WHERE \(condition) AND (ended_at, match) < ($2, $3) AND ended_at >= $5
    """
  }
}

extension ReaderStore {
  /// The store on PostgreSQL, over a connection that nobody else uses.
  ///
  /// After `StoreError.unavailable` the connection is closed: make a new one, and a new store of
  /// it.
  package static func live(
    _ connection: PostgreSQLConnection, rules: Rulebook = .standard
  ) -> ReaderStore {
    let session = StoreSession(connection, rules: rules)
    var store = ReaderStore.failing
    store.ownersAndMatches.answer(with: session.ownersAndMatches)
    store.player.answer(with: session.player)
    store.players.answer(with: session.players)
    store.matches.answer(with: session.matches(of:))
    store.noteDamaged.answer(with: session.noteDamaged(_:_:))
    store.entries.answer(with: session.entries)
    store.recordAndPlayers.answer(with: session.recordAndPlayers)
    store.origins.answer(with: session.origins)
    store.keys.answer(with: session.keyList)
    store.inviters.answer(with: session.inviters)
    store.recoveries.answer(with: session.recoveries)
    store.currentMatches.answer(with: session.currentMatches)
    store.rematchOffers.answer(with: session.matchesWithOffer)
    store.matchByCode.answer(with: session.match(by:))
    store.sharedMatch.answer(with: session.shared(by:))
    store.pastGames.answer(with: session.pastGames)
    store.daily.answer(with: session.daily)
    store.ladder.answer(with: session.ladder)
    store.dailyResults.answer(with: session.dailyResults)
    store.dailyHistory.answer(with: session.dailyHistory)
    store.leaderboard.answer(with: session.leaderboard)
    store.tallies.answer(with: session.tallies(of:since:limit:))
    store.settings.answer(with: session.settings)
    store.inbox.answer(with: session.inbox)
    store.overviews.answer(with: session.overviews)
    store.registrationNeedsCode.answer(with: session.registrationNeedsCode)
    store.blocked.answer(with: session.blocked)
    store.account.answer(with: session.shown(_:_:after:))
    store.certificates.answer(with: session.certificates)
    return store
  }
}

extension StoreSession {
  fileprivate func certificates() throws(StoreError) -> [KeyCertificate] {
    let rows = try rows(SQL.certificates())
    return try reading(try StoreSession.certificates(rows))
  }

  fileprivate func ownersAndMatches(
    _ keys: [PublicKey], _ ids: [MatchID]
  ) throws(StoreError) -> ReaderStore.OwnersAndMatches {
    let asked = ids.isEmpty ? [] : [SQL.matchesByID(.ids(ids))]
    let results = try run([SQL.ownersByKey(keys.blobs(\.bytes)), SQL.now()] + asked)
    let (now, owners) = try reading { () throws(PostgreSQLError) in
      (try results[1].only[0].instant, try StoreSession.owners(results[0]))
    }
    return (now, owners, ids.isEmpty ? [] : try matches(results[2]))
  }

  fileprivate func player(_ name: PlayerName) throws(StoreError) -> ReaderStore.PlayerRow? {
    try players(try rows(SQL.playerByName(.text(name.key)))).first
  }

  fileprivate func players(
    _ ids: [PlayerID]
  ) throws(StoreError) -> [PlayerID: ReaderStore.PlayerRow] {
    try byID(try rows(SQL.playerRows(.ids(ids))))
  }

  private func byID(_ rows: Rows) throws(StoreError) -> [PlayerID: ReaderStore.PlayerRow] {
    Dictionary(try players(rows).map { ($0.id, $0) }) { first, _ in first }
  }

  fileprivate func matches(of ids: [MatchID]) throws(StoreError) -> [Match] {
    try matches(try rows(SQL.matchesByID(.ids(ids))))
  }

  fileprivate func entries(_ id: MatchID) throws(StoreError) -> [Entry] {
    try entries(try rows(SQL.entriesOfMatches(.ids([id]))))[id] ?? []
  }

  fileprivate func recordAndPlayers(
    _ id: MatchID, _ players: [PlayerID]
  ) throws(StoreError) -> ReaderStore.RecordAndPlayers {
    let results = try run([
      SQL.entriesOfMatches(.ids([id])), SQL.playerRows(.ids(players)), SQL.nudgedTurn(.id(id)),
    ])
    let nudged = try reading { () throws(PostgreSQLError) in try results[2].first?[0].int }
    return (try entries(results[0])[id] ?? [], try byID(results[1]), nudged)
  }

  fileprivate func currentMatches(
    _ player: PlayerID, _ limit: Int, _ invitations: Int
  ) throws(StoreError) -> ReaderStore.CurrentMatches {
    let most = Value.int(ReaderStore.CurrentMatches.countLimit)
    let results = try run([
      SQL.currentMatches(.id(player), .bool(false), .int(limit)),
      SQL.currentMatches(.id(player), .bool(true), .int(invitations)),
      SQL.currentMatchCount(.id(player), .bool(false), most),
      SQL.currentMatchCount(.id(player), .bool(true), most),
      SQL.recoveryTime(.id(player)), SQL.departure(.id(player)),
    ])
    let (own, ownDamaged) = try listed(results[0])
    let (invited, invitedDamaged) = try listed(results[1])
    return try reading { () throws(PostgreSQLError) in
      ReaderStore.CurrentMatches(
        matches: own, moreMatches: max(0, try results[2].only[0].int - results[0].count),
        invitations: invited,
        moreInvitations: max(0, try results[3].only[0].int - results[1].count),
        recoveryAt: try results[4].first?[0].instant,
        leavesAt: try results[5].first?[0].ifPresent?.instant
          .adding(seconds: Departure.waitSeconds),
        damaged: ownDamaged + invitedDamaged)
    }
  }

  fileprivate func matchesWithOffer(
    _ player: PlayerID, _ limit: Int
  ) throws(StoreError) -> [Match] {
    try listed(
      try rows(
        SQL.matchesWithOffer(.id(player), .int64(Match.invitationSeconds), .int(limit)))
    ).matches
  }

  fileprivate func match(by code: ShareCode) throws(StoreError) -> MatchID? {
    let rows = try rows(SQL.matchByCode(.text(code.text)))
    return try reading(try rows.first?[0].id())
  }

  fileprivate func shared(by code: ShareCode) throws(StoreError) -> MatchID? {
    let rows = try rows(SQL.sharedMatch(.text(code.text)))
    return try reading(try rows.first?[0].id())
  }

  fileprivate func pastGames(
    _ question: ReaderStore.PastGamesQuestion
  ) throws(StoreError) -> [ReaderStore.PastGameRow] {
    let (page, filter) = (question.page, question.filter)
    let kinds = (filter.kind.map { [$0] } ?? MatchKind.allCases).texts(\.rawValue)
    let results = (filter.result.map { [$0] } ?? Outcome.Result.allCases).texts(\.rawValue)
    let call =
      if let opponent = question.opponent {
        Call(sql: SQL.pastGamesWith, parameters: page + [kinds, results, .id(opponent)])
      } else if filter.kind != nil || filter.result != nil {
        Call(sql: SQL.pastGamesOfKinds, parameters: page + [kinds, results])
      } else {
        Call(sql: SQL.pastGames, parameters: page)
      }
    let rows = try rows(call)
    return try reading(
      try rows.map { row throws(PostgreSQLError) in
        ReaderStore.PastGameRow(
          match: try row[0].id(), terms: try Terms(row), game: try Listing.PastGameRow(row),
          cause: try row["cause"].ifPresent?.bytes)
      })
  }

  func registrationNeedsCode() throws(StoreError) -> Bool {
    let rows = try rows(SQL.registrationMode())
    return try reading(try rows.only[0].bool)
  }
}

extension ReaderStore.PastGamesQuestion {
  /// Player, end and match before which the page begins, its length, and the earliest end.
  fileprivate var page: [Value] {
    // Without a position: before a time that never comes.
    var first = Position(
      endedAt: Instant(microseconds: 0).adding(seconds: 253_402_300_800),
      match: MatchID(rawValue: .max))
    if let before { first = before }
    if let until = filter.until, until <= first.endedAt {
      first = Position(endedAt: until, match: MatchID(rawValue: 0))
    }
    return [
      .id(player), .instant(first.endedAt), .id(first.match), .int(limit),
      .instant(filter.from ?? Instant(microseconds: 0)),
    ]
  }
}

extension Listing.PastGameRow {
  /// Reads player, end, opponent, points, opponent's points, result and reason from the second
  /// column on.
  init(_ row: Rows.Row) throws(PostgreSQLError) {
    self.init(
      player: try row[1].id(), endedAt: try row[2].instant,
      opponent: try row[3].ifPresent?.id(), result: try row[6].case(), reason: try row[7].case(),
      points: try row[4].int, opponentPoints: try row[5].ifPresent?.int)
  }
}
