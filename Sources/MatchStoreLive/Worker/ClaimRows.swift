internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

extension SQL {
  // One lock after another in the order of the array.
  static let lockClaims = SQL(
    "lockClaims",
    """
    SELECT pg_advisory_xact_lock(key)
    FROM (SELECT key FROM unnest($1) WITH ORDINALITY AS u (key, place) ORDER BY place OFFSET 0) AS k
    """)
  static let registrationMode = SQL("registrationMode", "SELECT mode = 'code' FROM registration")
  /// The skeleton of a name that is given in lower case; an index of players has it.
  static func skeleton(of key: String) -> String {
    "replace(translate(\(key), '01i', 'oll'), 'm', 'rn')"
  }
  // By skeletons. The names of players who are gone are nobody's for a while.
  static let takenNames = SQL(
    "takenNames",
    """
    SELECT \(skeleton(of: "name_key")), id FROM players WHERE \(skeleton(of: "name_key")) = ANY($1)
    UNION ALL
    SELECT u.name, '00000000-0000-0000-0000-000000000000'::uuid FROM unnest($1) AS u (name)
    JOIN reserved_names AS r ON r.hash = sha256(convert_to(u.name, 'UTF8'))
    WHERE r.until > \(statementTime)
    """)
  static let freeCodes = SQL(
    "freeCodes",
    "SELECT code FROM registration_codes WHERE code = ANY($1) AND used_by IS NULL")
  static let heldPairs = SQL("heldPairs", "SELECT key, match FROM pairs WHERE key = ANY($1)")
}

/// The claims of a batch by their kind, and how things stand.
struct ClaimRows {
  private let claims: [Claim]
  private var names: [(index: Int, name: PlayerName, player: PlayerID, code: ShareCode?)] = []
  private var pairs: [(index: Int, key: String)] = []
  private var loads: [(index: Int, player: PlayerID)] = []
  private var seats: [(index: Int, terms: Terms, player: PlayerID)] = []
  private var inboxes: [(index: Int, player: PlayerID, sender: PlayerID, day: Day)] = []
  private var keys: [(index: Int, player: PlayerID)] = []

  init(_ claims: [Claim]) {
    self.claims = claims
    for (index, claim) in claims.enumerated() {
      switch claim {
      case .name(let name, let player, let code): names.append((index, name, player, code))
      case .pair(let a, let b, let terms, _): pairs.append((index, Claim.pairKey(a, b, terms)))
      case .load(let player): loads.append((index, player))
      case .seat(let terms, let player): seats.append((index, terms, player))
      case .inbox(let player, let sender, let day):
        inboxes.append((index, player, sender, day))
      case .keys(let player): keys.append((index, player))
      }
    }
  }

  /// The numbers of the claims' locks, each once and in the order in which everybody takes them.
  /// Nobody can choose a name with the lock of something else, or find two names with one lock.
  static func locks(of claims: [Claim]) -> [Int64] {
    Set(
      claims.map { claim in
        let hash = Hash(sha256Of: Array(claim.order.utf8)).prefix128
        return Int64(truncatingIfNeeded: hash >> 64)
      }
    ).sorted()
  }

  /// Locks and questions, in the order in which `facts` reads their answers.
  var calls: [Call] {
    var calls = [SQL.lockClaims(ClaimRows.locks(of: claims).int64s(\.self))]
    if !names.isEmpty {
      calls.append(SQL.registrationMode())
      calls.append(SQL.takenNames(names.texts(\.name.skeleton)))
      calls.append(SQL.freeCodes(.textArray(names.compactMap(\.code?.text))))
    }
    if !pairs.isEmpty { calls.append(SQL.heldPairs(pairs.texts(\.key))) }
    if !seats.isEmpty {
      // A batch with n claims on the same terms takes at most n seats. A player who finds nobody
      // among so many is merged with somebody later.
      var wanted: [Terms: Int] = [:]
      for seat in seats { wanted[seat.terms, default: 0] += 1 }
      calls.append(
        SQL.waitingSeats(
          seats.texts(\.terms.language.rawValue), seats.int64s { $0.terms.turnLimitSeconds ?? 0 },
          seats.uuids(\.player),
          seats.int32s { min(wanted[$0.terms] ?? 1, StoreSession.candidateLimit) },
          seats.bools(\.terms.isCasual)))
    }
    if !loads.isEmpty {
      let players = Value.ids(loads.map(\.player))
      calls += [SQL.loads(players), SQL.botLoads(players)]
    }
    if !inboxes.isEmpty {
      calls.append(
        SQL.inboxes(
          inboxes.uuids(\.player), inboxes.uuids(\.sender), inboxes.int32s { Int($0.day.number) },
          .int(Inbox.countLimit)))
    }
    if !keys.isEmpty {
      let players = Value.ids(keys.map(\.player))
      calls += [
        SQL.keysOfPlayers(players), SQL.openInvitations(players), SQL.recoveriesOfPlayers(players),
      ]
    }
    return calls
  }

  /// How things stand, one fact for each claim.
  func facts(_ results: [Rows]) throws(PostgreSQLError) -> [ClaimFacts] {
    var facts: [ClaimFacts] = claims.map { _ in .free }
    var results = results.dropFirst()
    if !names.isEmpty {
      try resolveNames(results.removeFirst(), results.removeFirst(), results.removeFirst(), &facts)
    }
    if !pairs.isEmpty {
      var held: [String: MatchID] = [:]
      for row in results.removeFirst() { held[try row[0].text] = try row[1].id() }
      for pair in pairs {
        if let match = held[pair.key] { facts[pair.index] = .heldBy(match) }
      }
    }
    if !seats.isEmpty {
      let waiters = try StoreSession.waiters(results.removeFirst())
      for (place, seat) in seats.enumerated() {
        if let found = waiters[place + 1] { facts[seat.index] = .waiting(found) }
      }
    }
    if !loads.isEmpty {
      let counted = try StoreSession.loads(
        results.removeFirst(), bots: results.removeFirst())
      for load in loads { facts[load.index] = .load(counted[load.player] ?? PlayerLoad()) }
    }
    if !inboxes.isEmpty {
      let counted = try StoreSession.inboxes(results.removeFirst())
      for (place, inbox) in inboxes.enumerated() {
        facts[inbox.index] = .inbox(counted[place + 1] ?? Inbox())
      }
    }
    if !keys.isEmpty {
      let found = try StoreSession.playerKeys(
        results.removeFirst(), results.removeFirst(), results.removeFirst())
      for claim in keys { facts[claim.index] = .keys(found[claim.player] ?? PlayerKeys()) }
    }
    return facts
  }

  private func resolveNames(
    _ mode: Rows, _ taken: Rows, _ free: Rows, _ facts: inout [ClaimFacts]
  ) throws(PostgreSQLError) {
    let needsCode = try mode.only[0].bool
    // Players of a former build may have names that look alike.
    var owners: [String: Set<PlayerID>] = [:]
    for row in taken { owners[try row[0].text, default: []].insert(try row[1].id()) }
    var codes: Set<String> = []
    for row in free { codes.insert(try row[0].text) }
    for claim in names {
      // A code that is given has to be good, needed or not: it will be used up.
      if let code = claim.code {
        if !codes.contains(code.text) {
          facts[claim.index] = .codeInvalid
          continue
        }
      } else if needsCode {
        facts[claim.index] = .codeRequired
        continue
      }
      let others = owners[claim.name.skeleton]?.subtracting([claim.player]) ?? []
      if !others.isEmpty {
        facts[claim.index] = .nameTaken
      } else if claim.code != nil, !needsCode {
        facts[claim.index] = .admitted
      }
    }
  }
}
