internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

extension SQL {
  static let guardVersions = SQL("guardVersions", "SELECT cubist_guard($1, $2, $3)")
  static let insertMatches = SQL(
    "insertMatches",
    """
    INSERT INTO matches (id, version, turn, deadline, due, successor, declined_seat, declined_at,
      state, remind_at, remind_due)
    SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
    """)
  static let updateMatches = SQL(
    "updateMatches",
    """
    UPDATE matches AS m SET version = u.version, turn = u.turn, deadline = u.deadline, due = u.due,
      successor = u.successor, declined_seat = u.declined_seat, declined_at = u.declined_at,
      state = u.state, remind_at = u.remind_at, remind_due = u.remind_due
    FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
      AS u (id, version, turn, deadline, due, successor, declined_seat, declined_at, state,
        remind_at, remind_due)
    WHERE m.id = u.id
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
    INSERT INTO players (id, name, name_key, registered_at) SELECT * FROM unnest($1, $2, $3, $4)
    """)
  static let insertKeys = SQL(
    "insertKeys",
    "INSERT INTO player_keys (key, player, added_at) SELECT * FROM unnest($1, $2, $3)")
  static let useCodes = SQL("useCodes", "SELECT cubist_use_codes($1, $2, $3)")
  static let insertReplies = SQL(
    "insertReplies",
    """
    INSERT INTO events (player, id, payload_hash, reply, handled_at)
    SELECT u.*, $5 FROM unnest($1, $2, $3, $4) AS u
    """)
  static let insertJobs = SQL(
    "insertJobs",
    """
    INSERT INTO outbox (job, player, match, turn, day, kind, created_at)
    SELECT job, player, match, turn, DATE '1970-01-01' + day, kind, clock_timestamp()
    FROM unnest($1, $2, $3, $4, $5, $6) AS u (job, player, match, turn, day, kind)
    ON CONFLICT (job) DO NOTHING
    """)
  // A row that a relay holds is the relay's to delete: nobody waits for it here.
  static let deleteJobs = SQL(
    "deleteJobs",
    """
    DELETE FROM outbox WHERE job IN (
      SELECT job FROM outbox WHERE job = ANY($1) ORDER BY job FOR UPDATE SKIP LOCKED)
    """)
  // A worker that was replaced may still commit what it had: a clock never goes back.
  static let putClocks = SQL(
    "putClocks",
    """
    INSERT INTO queue_clocks AS c (queue, time, credit_microseconds)
    SELECT * FROM unnest($1, $2, $3)
    ON CONFLICT (queue) DO UPDATE
    SET time = excluded.time, credit_microseconds = excluded.credit_microseconds
    WHERE c.time IS NULL OR c.time < excluded.time
    """)
  static let insertCodes = SQL(
    "insertCodes", "INSERT INTO invitation_codes (code, match) SELECT * FROM unnest($1, $2)")
  static let insertShares = SQL(
    "insertShares",
    """
    INSERT INTO shared_games (code, match, shared_at) SELECT u.*, $3 FROM unnest($1, $2) AS u
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
  /// The statements of the batch, as many as there are kinds of rows. The guard comes first, and
  /// everything locks rows in the order of their keys, so that two batches never wait for one
  /// another.
  var calls: [Call] {
    meetingGuardCalls + guardCalls + matchCalls + ListingChanges(changes).calls + playerCalls
      + blockCalls + PlayerChanges(playerChanges).calls(at: now) + eventCalls
  }

  private var guardCalls: [Call] {
    var guarded = Array(unchanged)
    for change in changes {
      if let before = change.before { guarded.append((change.after.id, before.version)) }
    }
    guard !guarded.isEmpty || revocationCount != nil else { return [] }
    return [
      SQL.guardVersions(
        guarded.uuids(\.key), guarded.int64s(\.value), .int64(revocationCount))
    ]
  }

  private var matchCalls: [Call] {
    let changes = changes.sorted { $0.after.id < $1.after.id }
    let (new, old) = (changes.filter { $0.before == nil }, changes.filter { $0.before != nil })
    var calls: [Call] = []
    if !new.isEmpty { calls.append(SQL.insertMatches(new.map(\.after))) }
    if !old.isEmpty { calls.append(SQL.updateMatches(old.map(\.after))) }
    let entries = changes.flatMap { change in
      change.entries.map { (match: change.after.id, entry: $0) }
    }
    if !entries.isEmpty {
      calls.append(
        SQL.insertEntries(
          entries.uuids(\.match), entries.int16s(\.entry.position),
          entries.instants(\.entry.acceptedAt), entries.blobs(\.entry.signed.key.bytes),
          entries.blobs(\.entry.signed.signature), entries.blobs(\.entry.signed.payload),
          entries.blobs(\.entry.hash.bytes)))
    }
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
      let used = usedCodes.sorted { $0.key.text < $1.key.text }
      calls.append(
        SQL.useCodes(used.texts(\.key.text), used.uuids(\.value), .instant(now)))
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
          clocks.int32s(\.key), clocks.instants(\.value.time),
          clocks.int64s(\.value.creditMicroseconds)))
    }
    if !dead.isEmpty {
      calls.append(
        SQL.insertDead(
          dead.uuids(\.player), dead.uuids(\.event), dead.int32s(\.queue), dead.texts(\.reason),
          dead.blobs(\.body), .instant(now)))
    }
    if !shares.isEmpty {
      // In the order of the key, so that two batches never wait for one another.
      let shares = shares.sorted { $0.code.text < $1.code.text }
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
  /// `insertMatches` or `updateMatches` with what it writes.
  func callAsFunction(_ matches: [Match]) -> Call {
    self(
      .ids(matches.map(\.id)), matches.int64s(\.version), matches.int32s(\.dueTurn),
      matches.instants(\.deadline?.at), matches.int32s { $0.deadline?.at.tenMinutes },
      matches.uuids(\.rematch.successor), matches.int16s(\.rematch.declined?.seat),
      matches.instants(\.rematch.declined?.at), matches.blobs { $0.encodedState() },
      matches.instants(\.reminderAt), matches.int32s { $0.reminderAt?.tenMinutes })
  }

  /// Owes push jobs; one that is owed already stays as it is.
  static func insert(_ jobs: [PushJob]) -> Call {
    insertJobs(
      jobs.uuids(\.id), jobs.uuids(\.player), jobs.uuids(\.match), jobs.int32s(\.turn),
      jobs.int32s { $0.day.map { Int($0.number) } }, jobs.texts(\.kind.rawValue))
  }
}

extension Match {
  /// The turn that is due; nil once the match is over.
  var dueTurn: Int? { outcome == nil ? turnNumber : nil }
}
