internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

extension SQL {
  static let pushCounts = SQL(
    "pushCounts",
    """
    SELECT \(statementTime),
      (SELECT count(*) FROM (SELECT FROM outbox LIMIT 1000000) AS a),
      (SELECT min(created_at) + (\(statementTime) - statement_timestamp()) FROM outbox),
      (SELECT min(held_at) FROM held_jobs), (SELECT min(until) FROM held_jobs),
      (SELECT count(*) FROM (SELECT FROM dead_jobs LIMIT 1000000) AS a)
    """)
  static let heldCounts = SQL(
    "heldCounts", "SELECT reason, count(*) FROM held_jobs GROUP BY reason ORDER BY reason")
  static let lateAnswers = SQL(
    "lateAnswers",
    """
    SELECT provider, answer, sum(count)::bigint AS n FROM push_answers
    WHERE minute > \(statementTime) - interval '1 hour'
    GROUP BY provider, answer ORDER BY provider, n DESC, answer LIMIT 200
    """)
  static let lateEndings = SQL(
    "lateEndings",
    """
    SELECT kind, fate, reason, count(*) AS n FROM deliveries
    WHERE recorded_at > \(statementTime) - interval '1 hour'
    GROUP BY kind, fate, reason ORDER BY n DESC, kind, fate, reason LIMIT 200
    """)
  static let pushStories = SQL(
    "pushStories",
    """
    SELECT job, coalesce(o.kind, h.kind, d.kind), coalesce(o.player, h.player, d.player),
      coalesce(o.match, h.match, d.match), coalesce(o.turn, h.turn, d.turn),
      coalesce(o.day, h.day, d.day) - DATE '1970-01-01', o.created_at,
      h.held_at, h.until, h.reason, d.recorded_at, d.fate, d.reason, d.seen_at
    FROM (
      (SELECT job FROM outbox WHERE job >= $1 AND job <= $2 ORDER BY job LIMIT $3)
      UNION (SELECT job FROM held_jobs WHERE job >= $1 AND job <= $2 ORDER BY job LIMIT $3)
      UNION (SELECT job FROM deliveries WHERE job >= $1 AND job <= $2 ORDER BY job LIMIT $3)
    ) AS j
    LEFT JOIN outbox AS o USING (job) LEFT JOIN held_jobs AS h USING (job)
    LEFT JOIN deliveries AS d USING (job)
    ORDER BY job LIMIT $3
    """)
  static let devicesReached = SQL(
    "devicesReached",
    """
    SELECT name, service, permission, arrived_at, answer, answered_at FROM devices
    WHERE player = $1 ORDER BY name
    """)
  static let deadJobsHolding = SQL(
    "deadJobsHolding",
    """
    SELECT id, at, reason FROM dead_jobs WHERE position($1 IN body) > 0
    ORDER BY at DESC, id LIMIT 5
    """)
}

extension StoreSession {
  func pushFigures() throws(StoreError) -> PushFigures {
    let results = try run([
      SQL.pushCounts(), SQL.heldCounts(), SQL.lateAnswers(), SQL.lateEndings(),
    ])
    return try reading { () throws(PostgreSQLError) in
      let counts = try results[0].only
      var figures = PushFigures(now: try counts[0].instant)
      figures.outboxCount = try counts[1].int
      figures.outboxOldestAt = try counts[2].ifPresent?.instant
      figures.heldOldestAt = try counts[3].ifPresent?.instant
      figures.heldNextAt = try counts[4].ifPresent?.instant
      figures.deadJobCount = try counts[5].int
      for row in results[1] { figures.heldCounts[try row[0].text] = try row[1].int64 }
      figures.answers = try results[2].map { row throws(PostgreSQLError) in
        PushFigures.Answer(
          provider: try row[0].text, answer: try row[1].text, count: try row[2].int64)
      }
      figures.endings = try results[3].map { row throws(PostgreSQLError) in
        PushFigures.Ending(
          kind: try row[0].text, fate: try row[1].text, reason: try row[2].ifPresent?.text,
          count: try row[3].int64)
      }
      return figures
    }
  }

  /// A single job comes with its dead letters and its player's devices.
  func pushStories(
    in range: ClosedRange<PushJobID>, limit: Int
  ) throws(StoreError) -> [PushStory] {
    let rows = try rows(
      SQL.pushStories(.id(range.lowerBound), .id(range.upperBound), .int(limit)))
    var stories = try reading(
      try rows.map { row throws(PostgreSQLError) in try PushStory(row) })
    guard stories.count == 1 else { return stories }
    let results = try run([
      SQL.devicesReached(.id(stories[0].player)),
      SQL.deadJobsHolding(.bytes(Array(stories[0].id.description.utf8))),
    ])
    try reading { () throws(PostgreSQLError) in
      stories[0].devices = try results[0].map { row throws(PostgreSQLError) in
        PushStory.Reached(
          name: try row[0].text, service: try row[1].text, permission: try row[2].text,
          arrivedAt: try row[3].ifPresent?.instant, answer: try row[4].ifPresent?.text,
          answeredAt: try row[5].ifPresent?.instant)
      }
      stories[0].letters = try results[1].map { row throws(PostgreSQLError) in
        PushStory.Letter(id: try row[0].id(), at: try row[1].instant, reason: try row[2].text)
      }
    }
    return stories
  }
}

extension PushStory {
  fileprivate init(_ row: Rows.Row) throws(PostgreSQLError) {
    self.init(
      id: try row[0].id(), kind: try row[1].text, player: try row[2].id(),
      match: try row[3].ifPresent?.id(), turn: try row[4].ifPresent?.int,
      day: try row[5].ifPresent?.day)
    owedAt = try row[6].ifPresent?.instant
    if let since = try row[7].ifPresent?.instant {
      hold = Hold(since: since, until: try row[8].instant, reason: try row[9].text)
    }
    if let at = try row[10].ifPresent?.instant {
      end = End(
        at: at, fate: try row[11].text, reason: try row[12].ifPresent?.text,
        seenAt: try row[13].ifPresent?.instant)
    }
  }
}
