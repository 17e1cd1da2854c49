package import LibPQ
internal import MatchCore
package import MatchInterfaces
package import MatchWire

/// The number of event queues: the database's word on it, and how to change it.
package enum Layouts {
  /// The layout that is written down; nil: none is.
  package static func stored(_ connection: PostgreSQLConnection) throws(StoreError) -> StoredLayout?
  {
    try StoreSession(connection).layout()
  }

  /// Throws if a role was told another layout than the database has.
  package static func check(
    _ layout: QueueLayout, _ connection: PostgreSQLConnection
  ) throws(StoreError) {
    try stored(connection)?.check(layout)
  }

  /// Writes a layout down. If another one was in use, clocks and credits are moved with it, so that
  /// every deadline stays where it was. Nobody may judge or tick meanwhile, nor before
  /// ``finish(_:_:)`` is told that the events in the queues have been moved too.
  ///
  /// If the database has no layout written down, its clocks tell the layout. A queue without a
  /// clock gets one that begins now.
  /// - Returns: the layout that was in use, if it was another one.
  @discardableResult
  package static func keep(
    _ layout: QueueLayout, _ connection: PostgreSQLConnection
  ) throws(StoreError) -> QueueLayout? {
    let session = StoreSession(connection)
    // The time before the first tick is time without ticks like any other.
    let begin = SQL.beginClocks(.int32(Int32(clamping: layout.queueCount)))
    try session.run([SQL.lockLayout()], .begins())
    do throws(StoreError) {
      let written = try session.layout()
      let clocks = try session.queueClocks()
      guard let former = written ?? StoredLayout(of: clocks), former.layout != layout else {
        let call = SQL.keepLayout(
          .int(layout.queueCount), .int64Array([]), .int32Array([]))
        try session.run((written == nil ? [call] : []) + [begin], .ends)
        return nil
      }
      try checkIdle(session, former.layout, layout)
      let moved = former.moved(to: layout, clocks)
      let unmoved = Set((former.unmoved + [former.layout]).map(\.queueCount)).sorted()
      let rows = moved.clocks.sorted { $0.key < $1.key }
      try session.run(
        [
          SQL.keepLayout(
            .int(layout.queueCount), .int64Array(moved.layout.slotCredits),
            .int32Array(unmoved.map { Int32(clamping: $0) })),
          SQL.deleteClocks(),
          SQL.insertClocks(
            rows.int32s(\.key), rows.instants(\.value.time),
            rows.int64s(\.value.creditMicroseconds), rows.instants(\.value.heldUntil),
            rows.instants(\.value.outage?.from), rows.instants(\.value.outage?.until)),
          begin,
        ], .ends)
      return former.layout
    } catch {
      session.rollBack()
      throw error
    }
  }

  /// Writes down that no event waits any more in a queue that served its slot before.
  package static func finish(
    _ layout: QueueLayout, _ connection: PostgreSQLConnection
  ) throws(StoreError) {
    try StoreSession(connection).run([SQL.finishLayout(.int(layout.queueCount))])
  }

  /// A role that runs goes by the former layout.
  private static func checkIdle(
    _ session: StoreSession, _ former: QueueLayout, _ layout: QueueLayout
  ) throws(StoreError) {
    let workers = try session.rows(
      SQL.livingWorkers(.int64(WorkerStore.heartbeatLimitSeconds))
    ).count
    let lock = try session.rows(SQL.replaceScheduler())
    let isAlone = try reading(try lock.only[0].bool)
    guard workers > 0 || !isAlone else { return }
    throw .unusable(
      "the database has \(former.queueCount) queues of events, CUBIST_QUEUES is "
        + "\(layout.queueCount), and \(workers) worker\(workers == 1 ? "" : "s") and "
        + "\(isAlone ? "no" : "a") scheduler "
        + "run: stop every worker and scheduler, wait 10 s, and run cubistd setup again; nothing has "
        + "been changed")
  }
}

extension SQL {
  fileprivate static let lockLayout = SQL(
    "lockLayout", "SELECT pg_advisory_xact_lock(hashtextextended('cubist/layout', 0))")
  // Until the layout has changed nobody else leads: no scheduler, not even one of the former build,
  // and no steward.
  fileprivate static let replaceScheduler = SQL(
    "replaceScheduler",
    """
    SELECT pg_try_advisory_xact_lock(hashtextextended('cubist/scheduler', 0))
      AND pg_try_advisory_xact_lock(hashtext('cubist'), hashtext('scheduler'))
      AND pg_try_advisory_xact_lock(hashtext('cubist'), hashtext('steward'))
    """)
  fileprivate static let keepLayout = SQL(
    "keepLayout",
    """
    INSERT INTO queue_layout (queues, slot_credits, unmoved) VALUES ($1, $2, $3)
    ON CONFLICT (is_only) DO UPDATE
    SET queues = excluded.queues, slot_credits = excluded.slot_credits, unmoved = excluded.unmoved
    """)
  fileprivate static let finishLayout = SQL(
    "finishLayout", "UPDATE queue_layout SET unmoved = '{}' WHERE queues = $1 AND unmoved <> '{}'")
  fileprivate static let deleteClocks = SQL("deleteClocks", "DELETE FROM queue_clocks")
  fileprivate static let beginClocks = SQL(
    "beginClocks",
    """
    INSERT INTO queue_clocks (queue, time, credit_microseconds)
    SELECT n, \(statementTime), 0 FROM generate_series(0, $1::integer - 1) AS n
    ON CONFLICT DO NOTHING
    """)
  fileprivate static let insertClocks = SQL(
    "insertClocks",
    """
    INSERT INTO queue_clocks (
      queue, time, credit_microseconds, held_until, outage_from, outage_until)
    SELECT * FROM unnest($1, $2, $3, $4, $5, $6)
    """)
}
