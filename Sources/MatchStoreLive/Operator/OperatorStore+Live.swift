package import LibPQ
internal import MatchCore
package import MatchInterfaces
internal import MatchWire

extension SQL {
  static let service = SQL("service", "SELECT id, root_key, certificates FROM service")
  static let insertService = SQL(
    "insertService",
    """
    WITH kept AS (
      INSERT INTO service (id, root_key, certificates) VALUES ($1, $2, $3)
      ON CONFLICT DO NOTHING RETURNING id)
    INSERT INTO operator_acts (at, act, detail)
    SELECT clock_timestamp(), 'service set up', id::text || $4 FROM kept
    """)
  static let addCertificate = SQL(
    "addCertificate",
    """
    WITH added AS (
      UPDATE service SET certificates = array_append(certificates, $1)
      WHERE NOT $1 = ANY(certificates) RETURNING id)
    INSERT INTO operator_acts (at, act, detail)
    SELECT clock_timestamp(), 'working key certified', $2 FROM added
    """)
  static let keptPushKey = SQL("keptPushKey", "SELECT push_key FROM service")
  static let keepPushKey = SQL(
    "keepPushKey",
    """
    WITH kept AS (
      UPDATE service SET push_key = $1 WHERE push_key IS DISTINCT FROM $1 RETURNING id)
    INSERT INTO operator_acts (at, act, detail)
    SELECT clock_timestamp(), 'key of Web Push changed', $2 FROM kept
    """)
  static let setRegistration = SQL(
    "setRegistration",
    """
    WITH changed AS (
      UPDATE registration SET mode = $1 WHERE mode <> $1 RETURNING mode)
    INSERT INTO operator_acts (at, act, detail)
    SELECT clock_timestamp(), 'registration', mode || $2 FROM changed
    """)
  static let createCode = SQL(
    "createCode",
    """
    WITH made AS (
      INSERT INTO registration_codes (code, created_at) VALUES ($1, clock_timestamp())
      RETURNING code)
    INSERT INTO operator_acts (at, act, detail)
    SELECT clock_timestamp(), 'registration code', code || $2 FROM made
    """)
  static let registrationCodes = SQL(
    "registrationCodes",
    """
    SELECT code, created_at, used_by, used_at FROM registration_codes
    ORDER BY created_at DESC, code LIMIT $1
    """)
  static let deadEvents = SQL(
    "deadEvents",
    """
    SELECT id, at, queue, player, event, reason, body FROM dead_events
    WHERE at <= coalesce($1, 'infinity') AND (at < coalesce($1, 'infinity') OR id > $2)
    ORDER BY at DESC, id LIMIT $3
    """)
  static let deadEvent = SQL(
    "deadEvent",
    "SELECT id, at, queue, player, event, reason, body FROM dead_events WHERE id = $1")
  static let removeDeadEvent = SQL(
    "removeDeadEvent",
    """
    WITH removed AS (DELETE FROM dead_events WHERE id = $1 RETURNING id)
    INSERT INTO operator_acts (at, act, detail)
    SELECT clock_timestamp(), $2, $3 FROM removed RETURNING id
    """)
  static let deadJobs = SQL(
    "deadJobs",
    """
    SELECT at, reason, body FROM dead_jobs
    WHERE at <= coalesce($1, 'infinity') AND (at < coalesce($1, 'infinity') OR id > $2)
    ORDER BY at DESC, id LIMIT $3
    """)
  static let deadJob = SQL("deadJob", "SELECT at, reason, body FROM dead_jobs WHERE id = $1")
  static let removeDeadJob = SQL(
    "removeDeadJob",
    """
    WITH removed AS (DELETE FROM dead_jobs WHERE id = $1 AND at = $2 RETURNING id)
    INSERT INTO operator_acts (at, act, detail)
    SELECT clock_timestamp(), $3, $4 FROM removed RETURNING id
    """)
  static let actsNaming = SQL(
    "actsNaming",
    """
    SELECT at, act, detail FROM operator_acts WHERE strpos(detail, $1) > 0
    ORDER BY id DESC LIMIT $2
    """)
  static let deliveries = SQL(
    "deliveries",
    """
    SELECT job, kind, player, match, turn, day - DATE '1970-01-01', fate, recorded_at
    FROM deliveries ORDER BY recorded_at DESC, job LIMIT $1
    """)
  static let acts = SQL(
    "acts", "SELECT at, act, detail FROM operator_acts ORDER BY id DESC LIMIT $1")
}

extension OperatorStore {
  /// The store on PostgreSQL, over a connection that nobody else uses.
  ///
  /// After `StoreError.unavailable` the connection is closed: make a new one, and a new store of
  /// it.
  /// - Parameter operator: Stands in the acts that say nothing else of who did them.
  package static func live(
    _ connection: PostgreSQLConnection, by operator: String? = nil
  ) -> OperatorStore {
    let by = `operator`.map { " by \($0)" } ?? ""
    let session = StoreSession(connection)
    var store = OperatorStore.failing
    store.status.answer(with: session.status)
    store.figures.answer(with: session.figures)
    store.account.answer(with: session.account(of:))
    store.reports.answer(with: session.reports(about:limit:))
    store.service.answer(with: session.service)
    store.keepService.answer { new throws(StoreError) in
      try session.keepService(new, by)
    }
    store.addCertificate.answer { new throws(StoreError) in
      try session.addCertificate(new, by)
    }
    store.pushKey.answer(with: session.pushKey)
    store.keepPushKey.answer { new throws(StoreError) in
      try session.keepPushKey(new, by)
    }
    store.registrationNeedsCode.answer(with: session.registrationNeedsCode)
    store.setRegistration.answer { new throws(StoreError) in
      try session.setRegistration(needsCode: new, by)
    }
    store.createCode.answer { new throws(StoreError) in
      try session.createCode(new, by)
    }
    store.registrationCodes.answer(with: session.registrationCodes)
    store.deadEvents.answer(with: session.deadEvents)
    store.deadEvent.answer(with: session.deadEvent)
    store.removeDeadEvent.answer(with: session.removeDeadEvent)
    store.deadJobs.answer(with: session.deadJobs)
    store.deadJob.answer(with: session.deadJob)
    store.removeDeadJob.answer(with: session.removeDeadJob)
    store.reply.answer(with: session.reply)
    store.deliveries.answer(with: session.deliveries)
    store.pushFigures.answer(with: session.pushFigures)
    store.pushStories.answer(with: session.pushStories(in:limit:))
    store.acts.answer(with: session.acts)
    store.actsNaming.answer(with: session.acts(naming:limit:))
    store.setWord.answer(with: session.setWord)
    store.hiddenWords.answer(with: session.hiddenWords)
    store.revokeKey.answer(with: session.revokeKey)
    store.stopRecovery.answer(with: session.stopRecovery)
    store.stopInvitations.answer(with: session.stopInvitations)
    store.removePlayer.answer(with: session.removePlayer)
    store.export.answer(with: session.export(_:_:after:))
    store.annulDamaged.answer(with: session.annulDamaged(_:_:))
    store.restoreRecord.answer(with: session.restoreRecord(_:_:_:))
    store.keepAct.answer { act throws(StoreError) in
      try session.run([SQL.keepAct(.text(act.act), .text(act.detail))])
    }
    return store
  }
}

extension StoreSession {
  func service() throws(StoreError) -> ServiceRow? {
    try service(try rows(SQL.service()))
  }

  fileprivate func keepService(
    _ service: ServiceRow, _ by: String
  ) throws(StoreError) -> ServiceRow {
    let results = try run([
      SQL.insertService(
        .id(service.service), .bytes(service.rootKey.bytes),
        .bytesArray(service.certificates.map(\.columnBytes)), .text(by)),
      SQL.service(),
    ])
    guard let kept = try self.service(results[1]) else {
      throw .unusable("the service's identity was not kept")
    }
    return kept
  }

  func service(_ rows: Rows) throws(StoreError) -> ServiceRow? {
    try reading { () throws(PostgreSQLError) in
      guard let row = rows.first else { return nil }
      var certificates: [KeyCertificate] = []
      for bytes in try row[2].bytesArray {
        guard let bytes, let certificate = KeyCertificate(columnBytes: bytes) else {
          throw PostgreSQLError(.malformedValue, "a value in the database is no certificate")
        }
        certificates.append(certificate)
      }
      return ServiceRow(
        service: try row[0].id(), rootKey: try row[1].key, certificates: certificates)
    }
  }

  fileprivate func addCertificate(
    _ certificate: KeyCertificate, _ by: String
  ) throws(StoreError) {
    try run([
      SQL.addCertificate(
        .bytes(certificate.columnBytes), .text("\(certificate.workingKey)\(by)"))
    ])
  }

  fileprivate func pushKey() throws(StoreError) -> [UInt8]? {
    let rows = try rows(SQL.keptPushKey())
    return try reading { () throws(PostgreSQLError) in try rows.first?[0].ifPresent?.bytes }
  }

  fileprivate func keepPushKey(_ key: [UInt8]?, _ by: String) throws(StoreError) {
    try run([
      SQL.keepPushKey(.bytes(key), .text((key.map { Base64.encodeForURL($0) } ?? "none") + by))
    ])
  }

  fileprivate func setRegistration(needsCode: Bool, _ by: String) throws(StoreError) {
    try run([SQL.setRegistration(.text(needsCode ? "code" : "open"), .text(by))])
  }

  fileprivate func createCode(_ code: ShareCode, _ by: String) throws(StoreError) {
    try run([SQL.createCode(.text(code.text), .text(by))])
  }

  fileprivate func registrationCodes(
    _ limit: Int
  ) throws(StoreError) -> [RegistrationCodeRow] {
    let rows = try rows(SQL.registrationCodes(.int(limit)))
    return try reading(
      try rows.map { row throws(PostgreSQLError) in
        RegistrationCodeRow(
          code: try row[0].code, createdAt: try row[1].instant,
          usedBy: try row[2].ifPresent?.id(), usedAt: try row[3].ifPresent?.instant)
      })
  }

  fileprivate func deadEvents(
    _ after: DeadLetterPlace?, _ limit: Int
  ) throws(StoreError) -> [DeadEventRow] {
    try deadEvents(
      try rows(SQL.deadEvents(.instant(after?.at), .id(after?.id), .int(limit))))
  }

  fileprivate func deadEvent(_ id: DeadEventID) throws(StoreError) -> DeadEventRow? {
    try deadEvents(try rows(SQL.deadEvent(.id(id)))).first
  }

  private func deadEvents(_ rows: Rows) throws(StoreError) -> [DeadEventRow] {
    try reading(
      try rows.map { row throws(PostgreSQLError) in
        DeadEventRow(
          id: try row[0].id(), at: try row[1].instant,
          event: DeadEvent(
            queue: try row[2].int, player: try row[3].id(), event: try row[4].id(),
            reason: try row[5].text, body: try row[6].bytes))
      })
  }

  fileprivate func deadJobs(
    _ after: DeadLetterPlace?, _ limit: Int
  ) throws(StoreError) -> [DeadJobRow] {
    try deadJobs(try rows(SQL.deadJobs(.instant(after?.at), .id(after?.id), .int(limit))))
  }

  fileprivate func deadJob(_ id: DeadEventID) throws(StoreError) -> DeadJobRow? {
    try deadJobs(try rows(SQL.deadJob(.id(id)))).first
  }

  private func deadJobs(_ rows: Rows) throws(StoreError) -> [DeadJobRow] {
    try reading(
      try rows.map { row throws(PostgreSQLError) in
        DeadJobRow(
          at: try row[0].instant,
          job: DeadJob(reason: try row[1].text, body: try row[2].bytes))
      })
  }

  fileprivate func removeDeadJob(
    _ row: DeadJobRow, _ act: ActRow
  ) throws(StoreError) -> Bool {
    try !rows(
      SQL.removeDeadJob(
        .id(row.job.id), .instant(row.at), .text(act.act), .text(act.detail))
    ).isEmpty
  }

  fileprivate func deliveries(_ limit: Int) throws(StoreError) -> [DeliveryRow] {
    let rows = try rows(SQL.deliveries(.int(limit)))
    return try reading(
      try rows.map { row throws(PostgreSQLError) in
        DeliveryRow(
          job: try PushJob(row), fate: try row[6].case(), at: try row[7].instant)
      })
  }

  fileprivate func removeDeadEvent(
    _ id: DeadEventID, _ act: ActRow
  ) throws(StoreError) -> Bool {
    try !rows(SQL.removeDeadEvent(.id(id), .text(act.act), .text(act.detail))).isEmpty
  }

  fileprivate func reply(_ event: EventKey) throws(StoreError) -> StoredReply? {
    var lookup = Lookup()
    lookup.events = [event]
    return try lookUp(lookup).replies[event]
  }

  fileprivate func acts(_ limit: Int) throws(StoreError) -> [ActRow] {
    try acts(try rows(SQL.acts(.int(limit))))
  }

  fileprivate func acts(naming name: String, limit: Int) throws(StoreError) -> [ActRow] {
    try acts(try rows(SQL.actsNaming(.text(name), .int(limit))))
  }

  private func acts(_ rows: Rows) throws(StoreError) -> [ActRow] {
    try reading(
      try rows.map { row throws(PostgreSQLError) in
        ActRow(at: try row[0].instant, act: try row[1].text, detail: try row[2].text)
      })
  }
}

extension KeyCertificate {
  /// The stored form: key, valid from, valid until (µs, eight big-endian bytes each), signature.
  fileprivate var columnBytes: [UInt8] {
    workingKey.bytes
      + [validFrom, validUntil].flatMap { time in
        withUnsafeBytes(of: time.microseconds.bigEndian) { Array($0) }
      } + signature
  }

  init?(columnBytes bytes: [UInt8]) {
    guard bytes.count > 48, let key = PublicKey(bytes: bytes[..<32]) else { return nil }
    func time(_ range: Range<Int>) -> Instant {
      Instant(microseconds: bytes[range].reduce(0) { $0 << 8 | Int64($1) })
    }
    self.init(
      workingKey: key, validFrom: time(32..<40), validUntil: time(40..<48),
      signature: Array(bytes[48...]))
  }
}
