package import LibPQ
internal import MatchCore
package import MatchInterfaces

/// The database's side of the claim on its broker.
package enum BrokerClaims {
  /// The claim; nil: none was ever made.
  package static func stored(_ connection: PostgreSQLConnection) throws(StoreError) -> BrokerClaim?
  {
    let session = StoreSession(connection)
    let rows = try session.rows(SQL.brokerClaim())
    return try reading(
      try rows.map { row throws(PostgreSQLError) in
        BrokerClaim(
          mark: try row[0].id(), former: try row[1].ifPresent?.id(), isMade: try row[2].bool,
          isOld: try row[3].bool)
      }.first)
  }

  /// Begins a claim with a new mark. A claim that is not made yet stops nobody.
  package static func begin(
    _ mark: BrokerMark, _ connection: PostgreSQLConnection
  ) throws(StoreError) {
    try StoreSession(connection).run([SQL.beginClaim(.id(mark))])
  }

  /// The broker has the mark.
  package static func finish(
    _ mark: BrokerMark, _ connection: PostgreSQLConnection
  ) throws(StoreError) {
    try StoreSession(connection).run([SQL.finishClaim(.id(mark))])
  }

  /// Changes the mark.
  /// - Returns: false if somebody else has changed it meanwhile.
  package static func renew(
    _ mark: BrokerMark, to new: BrokerMark, _ connection: PostgreSQLConnection
  ) throws(StoreError) -> Bool {
    try !StoreSession(connection).rows(SQL.renewClaim(.id(mark), .id(new))).isEmpty
  }
}

extension SQL {
  fileprivate static let brokerClaim = SQL(
    "brokerClaim",
    """
    SELECT mark, former, claimed_at IS NOT NULL, coalesce(
      clock_timestamp() - claimed_at NOT BETWEEN interval '0' AND interval '1 minute', false)
    FROM broker_claim
    """)
  fileprivate static let beginClaim = SQL(
    "beginClaim",
    """
    INSERT INTO broker_claim (mark) VALUES ($1)
    ON CONFLICT (is_only) DO UPDATE SET mark = excluded.mark, former = NULL, claimed_at = NULL
    """)
  fileprivate static let finishClaim = SQL(
    "finishClaim", "UPDATE broker_claim SET claimed_at = clock_timestamp() WHERE mark = $1")
  fileprivate static let renewClaim = SQL(
    "renewClaim",
    """
    UPDATE broker_claim SET former = mark, mark = $2, claimed_at = clock_timestamp()
    WHERE mark = $1 RETURNING mark
    """)
}
