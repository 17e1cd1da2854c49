import LibPQ
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire

extension ServiceRow {
  /// Why nobody may work with keys on the database of this row, with the remedy; nil: the keys are
  /// this service's.
  /// - Parameter path: The file of the keys.
  func problem(with identity: ServiceIdentity, of path: String? = nil) -> String? {
    difference(from: identity, of: path).map { "\($0.cause): \($0.remedy)" }
  }

  /// The same in its two parts.
  func difference(
    from identity: ServiceIdentity, of path: String?
  ) -> (cause: String, remedy: String)? {
    guard service != identity.service || rootKey != identity.rootKey else { return nil }
    let file = path.map { "the key file \($0)" } ?? "the key file"
    return (
      "the database belongs to service \(service) with root key \(rootKey), \(file) to "
        + "\(identity.service) with \(identity.rootKey)",
      "correct \(SettingName.serviceKeys.rawValue) or \(SettingName.database.rawValue), or bring this "
        + "service's key file back from a backup or from another machine that runs roles; then start "
        + "the roles again"
    )
  }
}

/// The schema, and the row that names this deployment.
struct DatabaseSetup: Sendable {
  var settings: PostgreSQLSettings
  /// Nil where there is no key file yet.
  var identity: ServiceIdentity?
  /// How many queues of events there are to be.
  var layout: QueueLayout

  /// Installs the schema or the migrations that are missing, and stores the service's identity.
  /// - Parameter report: Hears of each change once it is done.
  func run(report: (SetupLine) -> Void) throws(OperatorFailure) {
    var settings = settings
    // A migration may take its time.
    settings.statementTimeout = .seconds(600)
    settings.lockTimeout = .seconds(60)
    let connection = try Wiring.open(settings, as: "cubistd setup")
    try onStore { () throws(StoreError) in
      switch try Schema.install(connection) {
      case nil: report(.change("schema \(Schema.requiredVersion) installed"))
      case .some(let version) where version < Schema.requiredVersion:
        report(.change("schema brought from \(version) to \(Schema.requiredVersion)"))
      default: break
      }
      try Schema.check(connection)
      let store = OperatorStore.live(connection, by: OperatorName.current)
      if let identity { try keep(identity, in: store, report: report) }
      try keepLayout(connection, report: report)
      // Partitions for the days ahead exist before the first event comes.
      let missing = try Partitions.missing(connection)
      let isComplete = try Partitions.add(connection)
      let rest = isComplete ? [] : try Partitions.missing(connection)
      for name in missing where !rest.contains(name) { report(.change("partition \(name) made")) }
      if !isComplete {
        report(
          .note(
            "the partitions of the days ahead are not made yet, since somebody reads the tables: the "
              + "housekeeper of `cubistd run scheduler` makes them"))
      }
    }
  }

  private func keepLayout(
    _ connection: PostgreSQLConnection, report: (SetupLine) -> Void
  ) throws(StoreError) {
    let worker = WorkerStore.live(connection)
    let known = try Layouts.stored(connection)
    let clocks = try worker.queueClocks()
    if let former = try Layouts.keep(layout, connection) {
      report(
        .change(
          PlainText.count(former.queueCount, "queue")
            + " of events became \(layout.queueCount) in the database; every deadline stays where "
            + "it was"))
      return
    }
    let queues = PlainText.count(layout.queueCount, "queue")
    if known == nil { report(.change("\(queues) of events written down in the database")) }
    let begun = (0..<layout.queueCount).count { clocks[$0] == nil }
    if begun > 0 { report(.change("\(PlainText.count(begun, "clock")) of queues begun")) }
  }

  /// The former layouts with queues in which events may still wait.
  func unmovedLayouts() throws(OperatorFailure) -> [QueueLayout] {
    try onDatabase { connection throws(StoreError) in
      try Layouts.stored(connection)?.unmoved ?? []
    }
  }

  /// Notes that they have been moved, so that roles may work.
  func finishLayout() throws(OperatorFailure) {
    try onDatabase { connection throws(StoreError) in try Layouts.finish(layout, connection) }
  }

  private func keep(
    _ identity: ServiceIdentity, in store: OperatorStore, report: (SetupLine) -> Void = { _ in }
  ) throws(StoreError) {
    let known = try store.service()
    let row = try store.keepService(
      ServiceRow(
        service: identity.service, rootKey: identity.rootKey, certificates: identity.certificates))
    if let problem = row.problem(with: identity) { throw .unusable(problem) }
    if known == nil { report(.change("service \(identity.service) written down")) }
    for certificate in identity.certificates where !row.certificates.contains(certificate) {
      try store.addCertificate(certificate)
      report(
        .change("the certificate of working key \(certificate.workingKey) put into the database"))
    }
  }

  /// Missing parts, a sentence each.
  func problems() throws(OperatorFailure) -> [String] {
    let connection = try Wiring.open(settings, as: "cubistd setup --check")
    return try onStore { () throws(StoreError) in
      do throws(StoreError) { try Schema.check(connection) } catch {
        guard case .unusable(let text) = error else { throw error }
        return [text]
      }
      guard let stored = try Layouts.stored(connection) else {
        return ["the database does not say how many queues of events there are: run cubistd setup"]
      }
      if let problem = stored.problem(with: layout) { return [problem] }
      let missing = try Partitions.missing(connection).map {
        "the partition \($0) is missing; of a day that has begun rows are kept in the default partition"
      }
      guard let identity else { return missing }
      guard let row = try OperatorStore.live(connection).service() else {
        return ["the database does not say whose it is: run cubistd setup"]
      }
      if let problem = row.problem(with: identity) { return [problem] }
      return missing
        + identity.certificates.filter { !row.certificates.contains($0) }.map {
          "the certificate of working key \($0.workingKey) is not in the database"
        }
    }
  }

  /// The service that owns the database; nil where it has no owner yet.
  func owner() throws(OperatorFailure) -> ServiceRow? {
    try onDatabase { connection throws(StoreError) in
      guard try Schema.version(of: connection) != nil else { return nil }
      return try OperatorStore.live(connection).service()
    }
  }

  /// Stores the certificates of the service that owns the database; does nothing where it has no
  /// owner yet.
  func keepCertificates() throws(OperatorFailure) {
    guard let identity, try owner() != nil else { return }
    try onDatabase { connection throws(StoreError) in
      let store = OperatorStore.live(connection, by: OperatorName.current)
      try keep(identity, in: store)
      try store.keepAct(
        ActRow(
          act: "working key renewed",
          detail: "\(identity.signer.publicKey) by \(OperatorName.current)"))
    }
  }

  /// A warning about the end of the working key, by the database's clock, and whether it is too
  /// late.
  func keyWarning() throws(OperatorFailure) -> (text: String, isOver: Bool)? {
    guard let term = identity?.term else { return nil }
    let now = try onDatabase { connection throws(StoreError) in
      try SchedulerStore.live(connection).now()
    }
    return term.warning(at: now).map { ($0, term.end.map { $0 <= now } ?? true) }
  }

  /// Does something on a connection of its own.
  func onDatabase<Result>(
    _ body: (PostgreSQLConnection) throws(StoreError) -> Result
  ) throws(OperatorFailure) -> Result {
    let connection = try Wiring.open(settings, as: "cubistd setup")
    return try onStore(try body(connection))
  }
}
