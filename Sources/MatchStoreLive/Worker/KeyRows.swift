internal import LibPQ
internal import MatchCore
internal import MatchInterfaces
internal import MatchWire

extension SQL {
  static let invitationsByHash = SQL(
    "invitationsByHash",
    """
    SELECT hash, player, used_by IS NULL AND until > \(statementTime)
    FROM device_invitations WHERE hash = ANY($1)
    """)
  // A player without such a key is told, too: a recovery can bring one in.
  static let keysOfPlayers = SQL(
    "keysOfPlayers",
    """
    SELECT p.id, p.name, n.count, k.key, k.added_at, k.revoked_at IS NOT NULL
    FROM players AS p
    JOIN (
      SELECT player, count(*) FROM player_keys WHERE player = ANY($1) GROUP BY player
    ) AS n ON n.player = p.id
    LEFT JOIN player_keys AS k ON k.player = p.id
      AND (k.revoked_at IS NULL OR k.added_at > \(statementTime) - interval '1 day')
    WHERE p.id = ANY($1)
    """)
  static let openInvitations = SQL(
    "openInvitations",
    """
    SELECT player, hash, until, envelope FROM device_invitations
    WHERE player = ANY($1) AND used_by IS NULL AND until > \(statementTime)
    """)
  // The key of a message's sender follows its first byte.
  static let speakingKeys = SQL(
    "speakingKeys",
    """
    SELECT key, added_at, substring(origin[1] FROM 2 FOR 32), origin[2] FROM player_keys
    WHERE player = $1 AND revoked_at IS NULL ORDER BY added_at, key
    """)
  static let usableInvitations = SQL(
    "usableInvitations",
    """
    SELECT i.hash, i.until, k.key FROM device_invitations AS i
    CROSS JOIN LATERAL (
      SELECT key FROM player_keys
      WHERE key = substring(i.envelope FROM 2 FOR 32) AND revoked_at IS NULL LIMIT 1) AS k
    WHERE i.player = $1 AND i.used_by IS NULL AND i.until > \(statementTime)
    ORDER BY i.until, i.hash
    """)
  // Strangers ask. OFFSET keeps the planner to one look into the index for each hash.
  static let invitersByHash = SQL(
    "invitersByHash",
    """
    SELECT i.hash, p.id, p.name FROM (
      SELECT hash, player, until, envelope, used_by FROM device_invitations
      WHERE hash = ANY($1) OFFSET 0) AS i
    JOIN players AS p ON p.id = i.player
    CROSS JOIN LATERAL (
      SELECT FROM player_keys
      WHERE key = substring(i.envelope FROM 2 FOR 32) AND revoked_at IS NULL LIMIT 1) AS k
    WHERE i.used_by IS NULL AND i.until > \(statementTime)
    """)
  static let insertInvitations = SQL(
    "insertInvitations",
    """
    WITH inserted AS (
      INSERT INTO device_invitations (hash, player, until, envelope)
      SELECT * FROM unnest($1, $2, $3, $4) AS u (hash, player, until, envelope) ORDER BY hash
      ON CONFLICT (hash) DO NOTHING
      RETURNING hash)
    SELECT cubist_expect('insertInvitations', 'device_invitations', count(*), cardinality($1))
    FROM inserted
    """)
  // Raises unless nobody has used the invitations.
  static let useInvitations = SQL(
    "useInvitations",
    """
    WITH locked AS (
      SELECT i.hash, u.key FROM device_invitations AS i
      JOIN unnest($1, $2) AS u (hash, key) ON u.hash = i.hash
      WHERE i.hash = ANY($1) AND i.used_by IS NULL ORDER BY i.hash FOR NO KEY UPDATE OF i),
    used AS (
      UPDATE device_invitations AS i SET used_by = l.key FROM locked AS l WHERE i.hash = l.hash
      RETURNING i.hash)
    SELECT cubist_expect('useInvitations', 'device_invitations', count(*), cardinality($1))
    FROM used
    """)
  static let addKeys = SQL(
    "addKeys",
    """
    INSERT INTO player_keys (key, player, added_at, origin)
    SELECT key, player, added_at, ARRAY[invited, added]
    FROM unnest($1, $2, $3, $4, $5) AS u (key, player, added_at, invited, added)
    ORDER BY key
    """)
  // Raises unless the keys still speak. The batch has the lock of `lockKeys` alone, so no other one
  // that was judged before is committed after this.
  static let removeKeys = SQL(
    "removeKeys",
    """
    WITH locked AS (
      SELECT k.key, u.remover, u.at FROM player_keys AS k
      JOIN unnest($1, $2, $3) AS u (key, remover, at) ON u.key = k.key
      WHERE k.key = ANY($1) AND k.revoked_at IS NULL ORDER BY k.key FOR NO KEY UPDATE OF k),
    removed AS (
      UPDATE player_keys AS k SET revoked_at = l.at, removed_by = l.remover
      FROM locked AS l WHERE k.key = l.key
      RETURNING k.key),
    counted AS (
      UPDATE key_revocations SET last_no = last_no + (SELECT count(*) FROM removed))
    SELECT cubist_expect('removeKeys', 'player_keys', count(*), cardinality($1)) FROM removed
    """)
  // The first envelope of an origin is that of the invitation. The inviter's key follows its first
  // byte. LIMIT keeps the planner to one look into the index for each key.
  static let originsOfKeys = SQL(
    "originsOfKeys",
    """
    WITH RECURSIVE needed AS (
      SELECT key, origin FROM player_keys WHERE key = ANY($1) AND origin IS NOT NULL
      UNION
      SELECT k.key, k.origin FROM needed AS n
      CROSS JOIN LATERAL (
        SELECT key, origin FROM player_keys
        WHERE key = substring(n.origin[1] FROM 2 FOR 32) AND origin IS NOT NULL LIMIT 1) AS k)
    SELECT origin FROM needed
    """)
  static let deleteOldInvitations = SQL(
    "deleteOldInvitations",
    """
    DELETE FROM device_invitations WHERE hash IN (
      SELECT hash FROM device_invitations WHERE until < $1 - interval '1 day'
      ORDER BY until LIMIT $2 FOR UPDATE SKIP LOCKED)
    """)
}

extension BatchWrite {
  /// A batch that removes keys takes the lock alone that others share in their guard. It comes
  /// before the guard, so before any row is locked.
  var keyLockCalls: [Call] { removedKeys.isEmpty ? [] : [SQL.lockKeys()] }

  /// An invitation may be used, and a key removed, in the batch that brings it.
  var keyCalls: [Call] {
    var invited: [DeviceInvitation] = []
    var added: [AddedKey] = []
    var recovered: [RecoveredKey] = []
    for change in keyChanges {
      switch change {
      case .invited(let invitation): invited.append(invitation)
      case .added(let key): added.append(key)
      case .recovered(let key): recovered.append(key)
      case .removed, .recoverySet: break
      }
    }
    let removed = removedKeys
    var calls: [Call] = []
    if !invited.isEmpty {
      calls.append(
        SQL.insertInvitations(
          invited.blobs(\.hash.bytes), invited.uuids(\.player), invited.instants(\.until),
          invited.blobs { Envelope.encode($0.signed) }))
    }
    if !added.isEmpty {
      calls.append(
        SQL.useInvitations(added.blobs(\.invitation.bytes), added.blobs(\.key.bytes)))
      calls.append(
        SQL.addKeys(
          added.blobs(\.key.bytes), added.uuids(\.player), added.instants(\.at),
          added.blobs { $0.origin.first.map(Envelope.encode) },
          added.blobs { $0.origin.last.map(Envelope.encode) }))
    }
    if !recovered.isEmpty { calls.append(SQL.recoverKeys(recovered)) }
    if !removed.isEmpty {
      calls.append(
        SQL.removeKeys(
          removed.blobs(\.key.bytes), removed.blobs(\.remover.bytes), removed.instants(\.at)))
    }
    let recoveries = recoveries.sorted { $0.key < $1.key }
    if !recoveries.isEmpty { calls.append(SQL.put(recoveries)) }
    return calls
  }
}

extension StoreSession {
  /// Reads hash, player and whether the invitation is open.
  static func invitations(_ rows: Rows) throws(PostgreSQLError) -> [Hash: InvitationFacts] {
    var found: [Hash: InvitationFacts] = [:]
    for row in rows {
      found[try row[0].hash] = InvitationFacts(player: try row[1].id(), isOpen: try row[2].bool)
    }
    return found
  }

  /// The origins of keys and of those that they came from. One that somebody has damaged is none.
  func origins(_ keys: [PublicKey]) throws(StoreError) -> [KeyOrigin] {
    let rows = try rows(SQL.originsOfKeys(keys.blobs(\.bytes)))
    return try reading { () throws(PostgreSQLError) in
      var origins: [KeyOrigin] = []
      for row in rows {
        let events = try row[0].bytesArray.compactMap { bytes in
          bytes.flatMap { try? Envelope.decode($0) }
        }
        if let origin = KeyOrigin(events) { origins.append(origin) }
      }
      return origins
    }
  }

  func keyList(of player: PlayerID) throws(StoreError) -> KeyList {
    let results = try run([
      SQL.speakingKeys(.id(player)), SQL.usableInvitations(.id(player)),
      SQL.recoveriesOfPlayers(.ids([player])),
    ])
    let recovery = try recovery(of: player, results[2])
    return try reading { () throws(PostgreSQLError) in
      KeyList(
        keys: try results[0].map { row throws(PostgreSQLError) in
          let added = try row[3].ifPresent?.bytes
          return KeyList.Row(
            key: try row[0].key, addedAt: try row[1].instant, inviter: try row[2].ifPresent?.key,
            device: added.flatMap { try? Envelope.decode($0) }.flatMap { KeyOrigin.device(in: $0) })
        },
        invitations: try StoreSession.usableInvitations(results[1]),
        recovery: recovery.flatMap { KeyList.Recovery($0) })
    }
  }

  /// Reads the rows of `usableInvitations`.
  static func usableInvitations(_ rows: Rows) throws(PostgreSQLError) -> [KeyList.Invitation] {
    try rows.map { row throws(PostgreSQLError) in
      KeyList.Invitation(
        invitation: try row[0].hash, until: try row[1].instant, inviter: try row[2].key)
    }
  }

  func inviters(_ invitations: [Hash]) throws(StoreError) -> [Hash: InvitingPlayer] {
    let rows = try rows(SQL.invitersByHash(invitations.blobs(\.bytes)))
    return try reading { () throws(PostgreSQLError) in
      var found: [Hash: InvitingPlayer] = [:]
      for row in rows {
        found[try row[0].hash] = InvitingPlayer(player: try row[1].id(), name: try row[2].name)
      }
      return found
    }
  }

  /// Reads the rows of `keysOfPlayers`, `openInvitations` and `recoveriesOfPlayers`. An invitation
  /// or a recovery that somebody has damaged is none.
  static func playerKeys(
    _ keys: Rows, _ invitations: Rows, _ recoveries: Rows
  ) throws(PostgreSQLError) -> [PlayerID: PlayerKeys] {
    var found: [PlayerID: PlayerKeys] = [:]
    for row in keys {
      let player: PlayerID = try row[0].id()
      let (name, count) = (try row[1].name, try row[2].int)
      var keys = found[player] ?? PlayerKeys(name: name, lifetimeCount: count)
      if let key = try row[3].ifPresent {
        keys.keys[try key.key] = PlayerKeys.Key(
          addedAt: try row[4].instant, isRemoved: try row[5].bool)
      }
      found[player] = keys
    }
    for row in invitations {
      let (player, hash): (PlayerID, Hash) = (try row[0].id(), try row[1].hash)
      guard let signed = try? Envelope.decode(try row[3].bytes) else { continue }
      found[player]?.invitations[hash] = DeviceInvitation(
        player: player, hash: hash, until: try row[2].instant, signed: signed)
    }
    for row in recoveries { found[try row[0].id()]?.recovery = try PlayerRecovery(row) }
    return found
  }
}
