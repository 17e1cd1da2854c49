internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

extension SQL {
  static let beginTrial = SQL(
    "beginTrial",
    """
    INSERT INTO trials AS t (message, lives, at) VALUES ($1, 1, \(statementTime))
    ON CONFLICT (message) DO UPDATE SET lives = t.lives + 1, at = excluded.at
    RETURNING lives
    """)
  static let endTrial = SQL("endTrial", "DELETE FROM trials WHERE message = $1")
}

extension StoreSession {
  /// Notes that a message is about to be read alone, or that this has ended no worker.
  func trial(_ step: TrialStep, of message: Hash) throws(StoreError) -> Int {
    switch step {
    case .survived:
      try run([SQL.endTrial(.bytes(message.bytes))])
      return 0
    case .begins:
      let rows = try rows(SQL.beginTrial(.bytes(message.bytes)))
      return try reading(try rows.only[0].int)
    }
  }
}
