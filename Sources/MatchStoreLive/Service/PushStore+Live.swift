public import LibPQ
internal import MatchCore
public import MatchInterfaces

extension SQL {
  static let decidedJobs = SQL("decidedJobs", "SELECT job FROM deliveries WHERE job = ANY($1)")
  static let isTurnDue = SQL("isTurnDue", "SELECT turn = $2 FROM matches WHERE id = $1")
  static let playerRows = SQL(
    "playerRows", players(where: "p.id = ANY($1)"))
  static let recordFate = SQL(
    "recordFate",
    """
    INSERT INTO deliveries (job, kind, player, match, turn, day, fate, recorded_at)
    VALUES ($1, $2, $3, $4, $5, DATE '1970-01-01' + $6, $7, clock_timestamp())
    ON CONFLICT (job) DO NOTHING
    """)

  /// What `Session.players` reads.
  static func players(where condition: String) -> String {
    """
    SELECT p.id, p.name, p.registered_at, r.rating, r.deviation, r.volatility, r.rated_at,
      r.match_count
    FROM players AS p LEFT JOIN ratings AS r ON r.player = p.id WHERE \(condition)
    """
  }
}

extension PushStore {
  /// The store on PostgreSQL, over a connection that nobody else uses.
  ///
  /// After `StoreError.unavailable` the connection is closed: make a new one, and a new store of
  /// it. `delivered` gives every job on which there is a word: dropped or failed for good, a job is
  /// as much done with as delivered.
  public static func live(_ connection: Connection) -> PushStore {
    let session = Session(connection)
    return PushStore(
      delivered: session.decided, isDue: session.isDue, name: session.name,
      opponent: session.opponent, record: session.record)
  }
}

extension Session {
  fileprivate func decided(_ jobs: [PushJobID]) throws(StoreError) -> Set<PushJobID> {
    let rows = try rows(SQL.decidedJobs(.ids(jobs)))
    return try reading { () throws(PostgreSQLError) in
      Set(try rows.map { row throws(PostgreSQLError) -> PushJobID in try row[0].id() })
    }
  }

  fileprivate func isDue(_ job: PushJob) throws(StoreError) -> Bool {
    guard job.kind == .yourTurn, let turn = job.turn else { return true }
    let rows = try rows(SQL.isTurnDue(.id(job.match), .int(turn)))
    // The turn of a match that is over is null: no longer due.
    return try reading { () throws(PostgreSQLError) in
      try rows.first?[0].ifPresent?.bool ?? false
    }
  }

  fileprivate func name(_ player: PlayerID) throws(StoreError) -> PlayerName? {
    try playerRows([player]).first?.name
  }

  fileprivate func opponent(of player: PlayerID, in id: MatchID) throws(StoreError) -> PlayerID? {
    try matches(try rows(SQL.matchesByID(.ids([id])))).first?.players.first { $0 != player }
  }

  fileprivate func record(_ job: PushJob, _ fate: PushStore.Fate) throws(StoreError) {
    try run([
      SQL.recordFate(
        .id(job.id), .text(job.kind.rawValue), .id(job.player), .id(job.match),
        .int32(job.turn.map { Int32(clamping: $0) }), .int32(job.day?.number),
        .text(fate.rawValue))
    ])
  }

  func playerRows(_ players: [PlayerID]) throws(StoreError) -> [ReaderStore.PlayerRow] {
    try self.players(try rows(SQL.playerRows(.ids(players))))
  }

  /// Reads id, name, time of registration and rating.
  func players(_ rows: Rows) throws(StoreError) -> [ReaderStore.PlayerRow] {
    try reading { () throws(PostgreSQLError) in
      try rows.map { row throws(PostgreSQLError) in
        try ReaderStore.PlayerRow(row)
      }
    }
  }
}

extension ReaderStore.PlayerRow {
  /// Reads id, name, time of registration and, where there is one, rating.
  init(_ row: Rows.Row) throws(PostgreSQLError) {
    self.init(id: try row[0].id(), name: try row[1].name, registeredAt: try row[2].instant)
    if try row[3].ifPresent != nil { rating = try PlayerRating(row, at: 3) }
  }
}
