internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

extension SQL {
  static let guardVersions = SQL("guardVersions", "SELECT cubist_guard($1, $2, $3)")
  static let insertMatches = SQL(
    "insertMatches",
    """
    INSERT INTO matches (id, version, turn, deadline, due, successor, declined_seat, declined_at,
      remind_at, remind_due, state)
    SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
    """)
  // Raises unless every row still has the version that it was judged by. No row is locked first
  // just to be written afterwards. The plan goes by the array, which is sorted, or by the primary
  // key; a test holds it.
  static let updateMatches = SQL(
    "updateMatches",
    """
    WITH updated AS (
      UPDATE matches AS m SET version = u.version, turn = u.turn, deadline = u.deadline,
        due = u.due, successor = u.successor, declined_seat = u.declined_seat,
        declined_at = u.declined_at, remind_at = u.remind_at, remind_due = u.remind_due,
        state = u.state
      FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
        AS u (id, version, turn, deadline, due, successor, declined_seat, declined_at, remind_at,
          remind_due, state, judged)
      WHERE m.id = u.id AND m.version = u.judged
      RETURNING m.id)
    SELECT cubist_expect('updateMatches', 'matches', count(*), cardinality($1)) FROM updated
    """)
  static let insertEntries = SQL(
    "insertEntries",
    """
    INSERT INTO entries (match, position, accepted_at, key, signature, payload, hash)
    SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7)
    """)
  static let insertPlayers = SQL(
    "insertPlayers",
    """
    INSERT INTO players (id, name, name_key, registered_at)
    SELECT * FROM unnest($1, $2, $3, $4) AS u (id, name, name_key, registered_at)
    ORDER BY name_key
    """)
  static let insertKeys = SQL(
    "insertKeys",
    """
    INSERT INTO player_keys (key, player, added_at)
    SELECT * FROM unnest($1, $2, $3) AS u (key, player, added_at) ORDER BY key
    """)
  static let useCodes = SQL("useCodes", "SELECT cubist_use_codes($1, $2, $3)")
  static let insertReplies = SQL(
    "insertReplies",
    """
    INSERT INTO events (player, id, payload_hash, reply, handled_at)
    SELECT u.*, $5 FROM unnest($1, $2, $3, $4) AS u (player, id, payload_hash, reply)
    ORDER BY u.id, u.player
    """)
  static let insertJobs = SQL(
    "insertJobs",
    """
    WITH noted AS (
      INSERT INTO owed_jobs (job, player, match, turn, day, kind, owed_at)
      SELECT DISTINCT ON (job) job, player, match, turn, DATE '1970-01-01' + day, kind,
        \(statementTime)
      FROM unnest($1, $2, $3, $4, $5, $6, $7)
        AS u (job, player, match, turn, day, kind, is_in_record)
      WHERE NOT is_in_record
      ORDER BY job
      ON CONFLICT (job) DO NOTHING)
    INSERT INTO outbox (job, player, match, turn, day, kind, created_at)
    SELECT DISTINCT ON (job) job, player, match, turn, DATE '1970-01-01' + day, kind,
      clock_timestamp()
    FROM unnest($1, $2, $3, $4, $5, $6) AS u (job, player, match, turn, day, kind)
    WHERE NOT EXISTS (SELECT FROM outbox AS o WHERE o.job = u.job)
    ORDER BY job
    """)
  // A row that a relay holds is the relay's to delete. Nobody waits for it here.
  static let deleteJobs = SQL(
    "deleteJobs",
    """
    DELETE FROM outbox WHERE job IN (
      SELECT job FROM outbox WHERE job = ANY($1) ORDER BY job FOR UPDATE SKIP LOCKED)
    """)
  // Raises unless every clock still is the one that the batch was judged by, or is not stored and
  // was not known.
  static let putClocks = SQL(
    "putClocks",
    """
    WITH changes AS (
      SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9)
        AS u (queue, time, credit_microseconds, held_until, outage_from, outage_until, judged_time,
          judged_credit, judged_hold)),
    locked AS (
      SELECT c.queue FROM queue_clocks AS c JOIN changes AS u ON u.queue = c.queue
      ORDER BY c.queue FOR NO KEY UPDATE OF c),
    updated AS (
      UPDATE queue_clocks AS c
      SET time = u.time, credit_microseconds = u.credit_microseconds, held_until = u.held_until,
        outage_from = u.outage_from, outage_until = u.outage_until
      FROM locked AS l JOIN changes AS u ON u.queue = l.queue
      WHERE c.queue = l.queue AND c.time IS NOT DISTINCT FROM u.judged_time
        AND c.credit_microseconds = u.judged_credit
        AND c.held_until IS NOT DISTINCT FROM u.judged_hold
      RETURNING c.queue),
    inserted AS (
      INSERT INTO queue_clocks (
        queue, time, credit_microseconds, held_until, outage_from, outage_until)
      SELECT queue, time, credit_microseconds, held_until, outage_from, outage_until
      FROM changes WHERE judged_time IS NULL ORDER BY queue
      ON CONFLICT (queue) DO NOTHING
      RETURNING queue)
    SELECT cubist_expect('putClocks', 'queue_clocks',
      (SELECT count(*) FROM updated) + (SELECT count(*) FROM inserted), cardinality($1))
    """)
  static let insertCodes = SQL(
    "insertCodes",
    """
    INSERT INTO invitation_codes (code, match)
    SELECT * FROM unnest($1, $2) AS u (code, match) ORDER BY code
    """)
  static let insertShares = SQL(
    "insertShares",
    """
    INSERT INTO shared_games (code, match, shared_at)
    SELECT u.*, $3 FROM unnest($1, $2) AS u (code, match) ORDER BY u.code
    ON CONFLICT (code) DO NOTHING
    """)
  static let insertDead = SQL(
    "insertDead",
    """
    INSERT INTO dead_events (player, event, queue, reason, body, at)
    SELECT u.*, $6 FROM unnest($1, $2, $3, $4, $5) AS u
    """)
}

extension BatchWrite {
  /// The statements of the batch, as many as there are kinds of rows. Each locks rows in the order
  /// of their keys, or only rows of matches that the batch has locked. So two batches never wait
  /// for one another.
  var calls: [Call] {
    meetingGuardCalls + keyLockCalls + guardCalls + nudgeCalls + matchCalls
      + ListingChanges(changes).calls + leavingCalls
      + playerCalls + keyCalls + blockCalls + reportCalls + strangerCalls
      + PlayerChanges(playerChanges, removed: removedKeys).calls(at: now) + eventCalls
  }

  private var guardCalls: [Call] {
    guard !unchanged.isEmpty || revocationCount != nil else { return [] }
    var guarded = Array(unchanged)
    // A changed match is guarded by its update. If other matches are guarded too, it is locked
    // together with them, in order.
    for change in changes where !unchanged.isEmpty {
      if let before = change.before { guarded.append((change.after.id, before.version)) }
    }
    return [
      SQL.guardVersions(
        guarded.uuids(\.key), guarded.int64s(\.value), .int64(revocationCount))
    ]
  }

  private var matchCalls: [Call] {
    let changes = changes.sorted { $0.after.id < $1.after.id }
    let new = changes.filter { $0.before == nil }.map(\.after)
    let old = changes.compactMap { change in
      change.before.map { (judged: $0.version, match: change.after) }
    }
    var calls: [Call] = []
    if !new.isEmpty { calls.append(SQL.insert(new)) }
    if !old.isEmpty { calls.append(SQL.update(old)) }
    let entries = changes.flatMap { change in
      change.entries.map { (match: change.after.id, entry: $0) }
    }
    if !entries.isEmpty { calls.append(SQL.insert(entries)) }
    return calls
  }

  private var playerCalls: [Call] {
    var calls: [Call] = []
    if !registrations.isEmpty {
      calls.append(
        SQL.insertPlayers(
          registrations.uuids(\.player), registrations.texts(\.name.text),
          registrations.texts(\.name.key), registrations.instants(\.at)))
      calls.append(
        SQL.insertKeys(
          registrations.blobs(\.key.bytes), registrations.uuids(\.player),
          registrations.instants(\.at)))
    }
    if !usedCodes.isEmpty {
      calls.append(
        SQL.useCodes(usedCodes.texts(\.key.text), usedCodes.uuids(\.value), .instant(now)))
    }
    return calls
  }

  private var eventCalls: [Call] {
    var calls: [Call] = []
    if !replies.isEmpty {
      calls.append(
        SQL.insertReplies(
          replies.uuids(\.key.player), replies.uuids(\.key.event),
          replies.blobs(\.reply.payloadHash.bytes), replies.blobs(\.reply.reply), .instant(now)))
    }
    if !outbox.isEmpty { calls.append(SQL.insert(outbox)) }
    if !published.isEmpty { calls.append(SQL.deleteJobs(.ids(published))) }
    if !clocks.isEmpty {
      let clocks = clocks.sorted { $0.key < $1.key }
      calls.append(
        SQL.putClocks(
          clocks.int32s(\.key), clocks.instants(\.value.after.time),
          clocks.int64s(\.value.after.creditMicroseconds),
          clocks.instants(\.value.after.heldUntil), clocks.instants(\.value.after.outage?.from),
          clocks.instants(\.value.after.outage?.until), clocks.instants(\.value.before.time),
          clocks.int64s(\.value.before.creditMicroseconds),
          clocks.instants(\.value.before.heldUntil)))
    }
    if !dead.isEmpty {
      calls.append(
        SQL.insertDead(
          dead.uuids(\.player), dead.uuids(\.event), dead.int32s(\.queue), dead.texts(\.reason),
          dead.blobs(\.body), .instant(now)))
    }
    if !shares.isEmpty {
      calls.append(
        SQL.insertShares(shares.texts(\.code.text), shares.uuids(\.match), .instant(now)))
    }
    if !codes.isEmpty {
      calls.append(SQL.insertCodes(codes.texts(\.code.text), codes.uuids(\.match)))
    }
    return calls
  }
}

extension SQL {
  /// Writes matches for the first time.
  static func insert(_ matches: [Match]) -> Call { insertMatches.with(columns(matches)) }

  /// Writes matches that had these versions when they were judged.
  static func update(_ changes: [(judged: Int64, match: Match)]) -> Call {
    updateMatches.with(columns(changes.map(\.match)) + [changes.int64s(\.judged)])
  }

  /// Writes entries.
  static func insert(_ entries: [(match: MatchID, entry: Entry)]) -> Call {
    insertEntries(
      entries.uuids(\.match), entries.int16s(\.entry.position),
      entries.instants(\.entry.acceptedAt), entries.blobs(\.entry.signed.key.bytes),
      entries.blobs(\.entry.signed.signature), entries.blobs(\.entry.signed.payload),
      entries.blobs(\.entry.hash.bytes))
  }

  private static func columns(_ matches: [Match]) -> [Value] {
    [
      .ids(matches.map(\.id)), matches.int64s(\.version), matches.int32s(\.dueTurn),
      matches.instants(\.deadline?.at), matches.int32s { $0.deadline?.at.tenMinutes },
      matches.uuids(\.rematch.successor), matches.int16s(\.rematch.declined?.seat),
      matches.instants(\.rematch.declined?.at), matches.instants(\.reminderAt),
      matches.int32s { $0.reminderAt?.tenMinutes }, matches.blobs { $0.encodedState() },
    ]
  }

  /// Owes push jobs, and notes those that no record shows; one that is owed already stays as it is.
  static func insert(_ jobs: [PushJob]) -> Call {
    insertJobs(
      jobs.uuids(\.id), jobs.uuids(\.player), jobs.uuids(\.match), jobs.int32s(\.turn),
      jobs.int32s { $0.day.map { Int($0.number) } }, jobs.texts(\.kind.rawValue),
      jobs.bools(\.kind.isInRecord))
  }
}

extension Match {
  /// The turn that is due; nil once the match is over.
  var dueTurn: Int? { outcome == nil ? turnNumber : nil }
}
