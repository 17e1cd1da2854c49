internal import LibPQ
internal import MatchCore
internal import MatchInterfaces
internal import MatchWire

extension SQL {
  /// The service's time at the beginning of the statement, looked up once for the statement.
  static let statementTime = "(SELECT now FROM service_clock)"
  static let now = SQL("now", "SELECT \(statementTime)")
  static let time = SQL(
    "time",
    """
    SELECT clock_timestamp(), added_microseconds, jump_microseconds, jumped_at FROM service_time
    """)
  // Another scheduler may have judged meanwhile: then it is asked again in a second.
  static let correctTime = SQL(
    "correctTime",
    """
    UPDATE service_time SET added_microseconds = $2,
      jump_microseconds = coalesce($3, jump_microseconds), jumped_at = coalesce($4, jumped_at)
    WHERE added_microseconds = $1
    """)
  static let nowAndRevocations = SQL(
    "nowAndRevocations",
    "SELECT \(statementTime), (SELECT last_no FROM key_revocations)")
  // LIMIT keeps the planner to one look into the index for each event.
  static let repliesByEvent = SQL(
    "repliesByEvent",
    """
    SELECT u.player, u.id, e.payload_hash, e.reply
    FROM unnest($1, $2) AS u (player, id)
    CROSS JOIN LATERAL (
      SELECT payload_hash, reply FROM events WHERE player = u.player AND id = u.id LIMIT 1
    ) AS e
    """)
  static let ownersByKey = SQL(
    "ownersByKey",
    """
    SELECT k.key, p.id, p.name, k.revoked_at IS NOT NULL
    FROM player_keys AS k JOIN players AS p ON p.id = k.player
    WHERE k.key = ANY($1)
    """)
  // Nobody meets a player who is gone, or for whom no key speaks.
  static let playersByID = SQL(
    "playersByID",
    """
    SELECT p.id, \(isGone("p.id")),
      EXISTS (\(allKeysRevoked(of: "ARRAY[p.id]")))
    FROM players AS p WHERE p.id = ANY($1)
    """)
  static let certificates = SQL("certificates", "SELECT certificates FROM service")
  static let firstEntries = SQL(
    "firstEntries",
    "SELECT match, key, signature, payload FROM entries WHERE match = ANY($1) AND position = 0")
  static let lateRegistrations = SQL(
    "lateRegistrations",
    """
    SELECT count(*), min(registered_at) FROM (
      SELECT registered_at FROM players
      WHERE registered_at > \(statementTime) - interval '1 hour'
      ORDER BY registered_at DESC LIMIT $1) AS p
    """)
  static let dailiesByKey = SQL(
    "dailiesByKey",
    """
    SELECT d.day - DATE '1970-01-01' AS day, d.mode, d.language, d.lexicon, d.letters
    FROM unnest($1, $2, $3) AS u (day, mode, language)
    JOIN daily_challenges AS d
      ON d.day = DATE '1970-01-01' + u.day AND d.mode = u.mode AND d.language = u.language
    """)
}

extension StoreSession {
  /// One round trip for any batch; another one only for states that have to be folded anew.
  ///
  /// - Parameter begins: Whether it begins a transaction if none is open. A later call ends it.
  func lookUp(_ lookup: Lookup, begins: Bool = false) throws(StoreError) -> LookupResult {
    var calls: [Call] = []
    func ask(_ call: @autoclosure () -> Call, for isWanted: Bool) -> Int? {
      guard isWanted else { return nil }
      calls.append(call())
      return calls.count - 1
    }
    let replies = ask(
      SQL.repliesByEvent(lookup.events.uuids(\.player), lookup.events.uuids(\.event)),
      for: !lookup.events.isEmpty)
    let dailies = ask(SQL.dailies(lookup.dailies), for: !lookup.dailies.isEmpty)
    let blocks = ask(
      SQL.blocksAmong(.ids(lookup.meeting.sorted())), for: !lookup.meeting.isEmpty)
    let changing = lookup.changing.sorted { ($0.player, $0.blocked) < ($1.player, $1.blocked) }
    let standing = ask(
      SQL.blocksStanding(changing.uuids(\.player), changing.uuids(\.blocked)),
      for: !changing.isEmpty)
    let blockCounts = ask(
      SQL.blockCounts(.ids(Set(changing.map(\.player)).sorted()), .int(lookup.blockLimit ?? 0)),
      for: !changing.isEmpty && lookup.blockLimit != nil)
    let reports = ask(
      SQL.reportsOfDay(.ids(lookup.reporting.sorted()), .int(Report.dailyLimit)),
      for: !lookup.reporting.isEmpty)
    let nudges = ask(SQL.nudgeFacts(.ids(lookup.nudging.sorted())), for: !lookup.nudging.isEmpty)
    let formerRoles = ask(
      SQL.formerRoles(.int64(RoleSign.limitSeconds)), for: lookup.leavesSeat)
    let leavings = ask(
      SQL.seatsLeftLately(
        .ids(lookup.leaving.sorted()), .int64(LeavingPause.windowSeconds),
        .int(LeavingPause.countLimit)), for: !lookup.leaving.isEmpty)
    let requests = ask(SQL.firstEntries(.ids(lookup.requests)), for: !lookup.requests.isEmpty)
    let registrations = ask(
      SQL.lateRegistrations(.int(lookup.registrations ?? 0)), for: lookup.registrations != nil)
    let invitations = ask(
      SQL.invitationsByHash(lookup.invitations.blobs(\.bytes)), for: !lookup.invitations.isEmpty)
    let recoveries = ask(
      SQL.recoveryKeysOfPlayers(.ids(lookup.recoveries.sorted())), for: !lookup.recoveries.isEmpty)
    let certificates = ask(SQL.certificates(), for: lookup.certificates)
    let matches = ask(SQL.matchesByID(.ids(lookup.matches)), for: !lookup.matches.isEmpty)
    // The clock is read after them, so that every row was there at the batch's time. Keys and
    // players are read after the count, so that a revocation or the end of an account in between is
    // noticed when the batch is written.
    calls.append(SQL.nowAndRevocations())
    let now = calls.count - 1
    let keys = ask(SQL.ownersByKey(lookup.keys.blobs(\.bytes)), for: !lookup.keys.isEmpty)
    let players = ask(SQL.playersByID(.ids(lookup.players)), for: !lookup.players.isEmpty)
    let results =
      begins && !isInTransaction ? try run(calls, .begins()) : try run(calls)
    var found = try reading { () throws(PostgreSQLError) in
      var found = LookupResult(now: try results[now].only[0].instant)
      found.revocationCount = try results[now].only[1].int64
      if let replies { found.replies = try StoreSession.replies(results[replies]) }
      if let keys { found.keys = try StoreSession.owners(results[keys]) }
      if let players {
        (found.players, found.absences) = try StoreSession.players(results[players])
      }
      if let requests {
        for row in results[requests] {
          found.requests[try row[0].id()] = try SignedPayload(row, from: 1)
        }
      }
      if let registrations {
        let row = try results[registrations].only
        found.registrations = RegistrationLoad(
          count: try row[0].int, oldest: try row[1].ifPresent?.instant)
      }
      if let certificates {
        found.certificates = try StoreSession.certificates(results[certificates])
      }
      if let invitations {
        found.invitations = try StoreSession.invitations(results[invitations])
      }
      if let recoveries {
        found.recoveryKeys = try StoreSession.recoveryKeys(results[recoveries])
        found.pendingRecoveries = try StoreSession.pendingRecoveries(results[recoveries])
      }
      if let blocks { found.blocks = try StoreSession.blocks(results[blocks]) }
      if let standing { found.blocks.formUnion(try StoreSession.blocks(results[standing])) }
      if let blockCounts { found.blockCounts = try StoreSession.blockCounts(results[blockCounts]) }
      if let reports { found.reports = try StoreSession.reports(results[reports]) }
      if let nudges { found.nudges = try StoreSession.nudges(results[nudges]) }
      if let formerRoles { found.maySeatsBeLeft = try !results[formerRoles].only[0].bool }
      if let leavings { found.leavings = try StoreSession.leavings(results[leavings]) }
      if let dailies {
        for daily in try StoreSession.dailies(results[dailies]) { found.dailies[daily.key] = daily }
      }
      return found
    }
    if let matches {
      for match in try self.matches(results[matches]) { found.matches[match.id] = match }
    }
    return found
  }

  /// The certificates of the service's working keys, as far as they can be read. If somebody has
  /// damaged the others, that stops nobody.
  static func certificates(_ rows: Rows) throws(PostgreSQLError) -> [KeyCertificate] {
    try (rows.first?[0].bytesArray ?? []).compactMap { bytes in
      bytes.flatMap { KeyCertificate(columnBytes: $0) }
    }
  }

  private static func replies(
    _ rows: Rows
  ) throws(PostgreSQLError) -> [EventKey: StoredReply] {
    var replies: [EventKey: StoredReply] = [:]
    for row in rows {
      let key = EventKey(player: try row[0].id(), event: try row[1].id())
      replies[key] = StoredReply(payloadHash: try row[2].hash, reply: try row[3].bytes)
    }
    return replies
  }

  /// Reads the columns of `SQL.playersByID`.
  private static func players(
    _ rows: Rows
  ) throws(PostgreSQLError) -> (Set<PlayerID>, [PlayerID: Absence]) {
    var (players, absences): (Set<PlayerID>, [PlayerID: Absence]) = ([], [:])
    for row in rows {
      let player: PlayerID = try row[0].id()
      let (isGone, isSilenced) = (try row[1].bool, try row[2].bool)
      if !isGone { players.insert(player) }
      if isGone || isSilenced { absences[player] = isGone ? .gone : .silenced }
    }
    return (players, absences)
  }

  /// Reads key, player, name and whether the key was revoked.
  static func owners(_ rows: Rows) throws(PostgreSQLError) -> [PublicKey: KeyOwner] {
    var owners: [PublicKey: KeyOwner] = [:]
    for row in rows {
      owners[try row[0].key] = KeyOwner(
        player: try row[1].id(), name: try row[2].name, isRevoked: try row[3].bool)
    }
    return owners
  }

  /// Reads the columns of `SQL.dailiesByKey`.
  static func dailies(_ rows: Rows) throws(PostgreSQLError) -> [DailyChallenge] {
    var dailies: [DailyChallenge] = []
    for row in rows {
      let key = DailyKey(
        day: try row[0].day, mode: try row[1].case(), language: try row[2].case())
      dailies.append(
        DailyChallenge(key: key, lexicon: try row[3].text, letters: try row[4].text))
    }
    return dailies
  }
}

extension SQL {
  /// Those of the challenges that are dealt.
  static func dailies(_ keys: [DailyKey]) -> Call {
    dailiesByKey(
      keys.int32s { Int($0.day.number) }, keys.texts(\.mode.rawValue),
      keys.texts(\.language.rawValue))
  }
}
