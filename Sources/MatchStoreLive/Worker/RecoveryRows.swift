internal import LibPQ
internal import MatchCore
internal import MatchInterfaces
internal import MatchWire

extension SQL {
  static let recoveryKeysOfPlayers = SQL(
    "recoveryKeysOfPlayers",
    "SELECT player, key, next_key, recovery FROM recoveries WHERE player = ANY($1)")
  static let recoveriesOfPlayers = SQL(
    "recoveriesOfPlayers", recoveries(where: "player = ANY($1)"))
  // Strangers ask for recoveries by names.
  static let playersByNames = SQL(
    "playersByNames", "SELECT id, name FROM players WHERE name_key = ANY($1)")
  static let recoveriesByNames = SQL(
    "recoveriesByNames",
    recoveries(where: "player = ANY(ARRAY(SELECT id FROM players WHERE name_key = ANY($1)))"))
  static let recoveryPage = SQL(
    "recoveryPage", recoveries(where: "player > $1 ORDER BY player LIMIT $2"))
  static let recoveryTime = SQL(
    "recoveryTime", "SELECT due_at FROM recoveries WHERE player = $1 AND recovery IS NOT NULL")
  static let recoveriesDue = SQL(
    "recoveriesDue",
    """
    SELECT player, recovery, new_key, due_at FROM recoveries
    WHERE recovery IS NOT NULL AND due_at < $1 AND (due_at, player) > ($2, $3)
    ORDER BY due_at, player LIMIT $4
    """)
  // The batch has the lock of the players' keys since it read the rows.
  static let putRecoveries = SQL(
    "putRecoveries",
    """
    INSERT INTO recoveries (player, key, naming, next_key, next_naming, next_at, next_credit,
      named_at, recovery, new_key, request, due_at, due_credit, objector, begun_at)
    SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
      AS u (player, key, naming, next_key, next_naming, next_at, next_credit, named_at, recovery,
        new_key, request, due_at, due_credit, objector, begun_at)
    ORDER BY player
    ON CONFLICT (player) DO UPDATE SET key = excluded.key, naming = excluded.naming,
      next_key = excluded.next_key, next_naming = excluded.next_naming,
      next_at = excluded.next_at, next_credit = excluded.next_credit,
      named_at = excluded.named_at, recovery = excluded.recovery, new_key = excluded.new_key,
      request = excluded.request, due_at = excluded.due_at, due_credit = excluded.due_credit,
      objector = excluded.objector, begun_at = excluded.begun_at
    """)
  private static let recoverKeys = SQL(
    "recoverKeys",
    """
    INSERT INTO player_keys (key, player, added_at, origin)
    SELECT key, player, added_at, ARRAY[named, recovered, statement]
    FROM unnest($1, $2, $3, $4, $5, $6) AS u (key, player, added_at, named, recovered, statement)
    ORDER BY key
    """)

  private static func recoveries(where condition: String) -> String {
    """
    SELECT player, key, naming, next_key, next_naming, next_at, next_credit, named_at, recovery,
      new_key, request, due_at, due_credit, objector, begun_at
    FROM recoveries WHERE \(condition)
    """
  }

  /// Writes the recovery keys and recoveries of players who have named a key.
  static func put(_ recoveries: [(key: PlayerID, value: PlayerRecovery)]) -> Call {
    func envelope(_ signed: SignedPayload?) -> [UInt8]? { signed.map(Envelope.encode) }
    return putRecoveries(
      recoveries.uuids(\.key), recoveries.blobs(\.value.named?.key.bytes),
      recoveries.blobs { envelope($0.value.named?.signed) },
      recoveries.blobs(\.value.waiting?.named.key.bytes),
      recoveries.blobs { envelope($0.value.waiting?.named.signed) },
      recoveries.instants(\.value.waiting?.deadline.at),
      recoveries.int64s(\.value.waiting?.deadline.creditMicroseconds),
      recoveries.instants(\.value.namedAt), recoveries.uuids(\.value.pending?.recovery),
      recoveries.blobs(\.value.pending?.key.bytes),
      recoveries.blobs { envelope($0.value.pending?.signed) },
      recoveries.instants(\.value.pending?.deadline.at),
      recoveries.int64s(\.value.pending?.deadline.creditMicroseconds),
      recoveries.blobs(\.value.pending?.objector?.bytes), recoveries.instants(\.value.begunAt))
  }

  /// Writes keys that a recovery brings in.
  static func recoverKeys(_ keys: [RecoveredKey]) -> Call {
    func envelopes(_ place: Int) -> Value {
      keys.blobs { key in
        key.origin.indices.contains(place) ? Envelope.encode(key.origin[place]) : nil
      }
    }
    return recoverKeys(
      keys.blobs(\.key.bytes), keys.uuids(\.player), keys.instants(\.at), envelopes(0),
      envelopes(1), envelopes(2))
  }
}

extension PlayerRecovery {
  /// Reads a row of `recoveriesOfPlayers`.
  init(_ row: Rows.Row) throws(PostgreSQLError) {
    self.init(namedAt: try row[7].ifPresent?.instant, begunAt: try row[14].ifPresent?.instant)
    if let key = try row[1].ifPresent {
      guard let naming = try? Envelope.decode(try row[2].bytes) else { return }
      named = Named(key: try key.key, signed: naming)
    }
    if let next = try row[3].ifPresent, let naming = try? Envelope.decode(try row[4].bytes) {
      waiting = Waiting(
        named: Named(key: try next.key, signed: naming),
        deadline: Deadline(at: try row[5].instant, creditMicroseconds: try row[6].int64))
    }
    if let recovery = try row[8].ifPresent, let begunAt,
      let request = try? Envelope.decode(try row[10].bytes)
    {
      pending = Pending(
        recovery: try recovery.id(), key: try row[9].key, signed: request, begunAt: begunAt,
        deadline: Deadline(at: try row[11].instant, creditMicroseconds: try row[12].int64),
        objector: try row[13].ifPresent?.key)
    }
  }

  /// Whether this has all that its row says. A message that somebody has damaged leaves its part out.
  fileprivate func isWhole(_ row: Rows.Row) throws(PostgreSQLError) -> Bool {
    let isStored = (
      named: try row[1].ifPresent != nil, waiting: try row[3].ifPresent != nil,
      pending: try row[8].ifPresent != nil
    )
    return isStored.named == (named != nil) && isStored.waiting == (waiting != nil)
      && isStored.pending == (pending != nil)
  }
}

extension StoreSession {
  /// Reads player, the recovery key that counts and the one that waits.
  static func recoveryKeys(_ rows: Rows) throws(PostgreSQLError) -> [PlayerID: [PublicKey]] {
    var found: [PlayerID: [PublicKey]] = [:]
    for row in rows {
      for place in 1...2 {
        guard let key = try row[place].ifPresent else { continue }
        found[try row[0].id(), default: []].append(try key.key)
      }
    }
    return found
  }

  /// Reads the columns of `SQL.recoveryKeysOfPlayers`.
  static func pendingRecoveries(
    _ rows: Rows
  ) throws(PostgreSQLError) -> [PlayerID: PendingRecovery] {
    var found: [PlayerID: PendingRecovery] = [:]
    for row in rows {
      guard let key = try row[1].ifPresent, let recovery = try row[3].ifPresent else { continue }
      found[try row[0].id()] = PendingRecovery(recovery: try recovery.id(), key: try key.key)
    }
    return found
  }

  /// The recoveries of players, by the keys of their names. One that somebody has damaged is none.
  func recoveries(of names: [String]) throws(StoreError) -> [ReaderStore.RecoveryRow] {
    let results = try run([
      SQL.playersByNames(names.texts { $0 }), SQL.recoveriesByNames(names.texts { $0 }),
    ])
    var found = try reading { () throws(PostgreSQLError) in
      var names: [PlayerID: PlayerName] = [:]
      for row in results[0] { names[try row[0].id()] = try row[1].name }
      var found: [ReaderStore.RecoveryRow] = []
      for row in results[1] {
        let player: PlayerID = try row[0].id()
        guard let name = names[player] else { continue }
        found.append(
          ReaderStore.RecoveryRow(player: player, name: name, recovery: try PlayerRecovery(row)))
      }
      return found
    }
    let settled = try settled(found.map { ($0.player, $0.recovery) })
    for (index, recovery) in zip(found.indices, settled) { found[index].recovery = recovery }
    return found
  }

  /// Reads a row of `recoveriesOfPlayers`, as it stands by the clock of the player's queue.
  func recovery(of player: PlayerID, _ rows: Rows) throws(StoreError) -> PlayerRecovery? {
    let found = try reading(
      try rows.map { row throws(PostgreSQLError) in
        (player: player, recovery: try PlayerRecovery(row))
      })
    return try settled(found).first
  }

  /// Recoveries by the clocks of their players' queues. These are read only where a key waits.
  private func settled(
    _ recoveries: [(player: PlayerID, recovery: PlayerRecovery)]
  ) throws(StoreError) -> [PlayerRecovery] {
    guard recoveries.contains(where: { $0.recovery.waiting != nil }) else {
      return recoveries.map(\.recovery)
    }
    let clocks = try queueClocks()
    let layout = try layout() ?? StoredLayout(of: clocks)
    return recoveries.map { layout?.settled($0.recovery, of: $0.player, clocks) ?? $0.recovery }
  }

  func recoveryPage(
    _ after: PlayerID?, _ limit: Int
  ) throws(StoreError) -> [StoredRecovery] {
    let rows = try rows(
      SQL.recoveryPage(.id(after ?? PlayerID(rawValue: 0)), .int(limit)))
    return try reading(
      try rows.map { row throws(PostgreSQLError) -> StoredRecovery in
        let recovery = try PlayerRecovery(row)
        return StoredRecovery(
          player: try row[0].id(), recovery: recovery, isReadable: try recovery.isWhole(row))
      })
  }

  func recoveriesDue(
    _ before: Instant, _ after: SchedulerStore.DueRecovery?, _ limit: Int
  ) throws(StoreError) -> [SchedulerStore.DueRecovery] {
    let rows = try rows(
      SQL.recoveriesDue(
        .instant(before), .instant(after?.due ?? Instant(microseconds: 0)),
        .id(after?.player ?? PlayerID(rawValue: 0)), .int(limit)))
    return try reading(
      try rows.map { row throws(PostgreSQLError) in
        SchedulerStore.DueRecovery(
          player: try row[0].id(), recovery: try row[1].id(), key: try row[2].key,
          due: try row[3].instant)
      })
  }
}
