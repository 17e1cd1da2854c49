import BrokerManagement
import EventBusLive
import LibPQ
import MatchInterfaces
import MatchService
import MatchStoreLive

/// Sees that the broker serves this database and no other one.
struct BrokerClaimSetup: Sendable {
  var database: DatabaseSetup
  var broker: BrokerSetup
  var randomness: Randomness

  private var marks: BrokerMarks {
    BrokerMarks(at: broker.service.address, names: broker.topology.names)
  }

  /// Begins to claim the broker, before anything is made on it.
  /// - Parameters:
  ///   - takes: Whether to take it from another database whose roles have ended.
  ///   - report: Hears of each change once it is done, and of the rest to be done by hand.
  /// - Throws: `wrong` where it is another database's.
  func begin(taking takes: Bool, report: (SetupLine) -> Void) throws(OperatorFailure) {
    guard takes else {
      let claim = try stored()
      if try isForeign(claim) { throw .wrong(BrokerWatch.complaint(broker.service.address)) }
      if claim == nil { try renew() }
      return
    }
    try checkIdle()
    let others = try present()
    try renew()
    guard let others else {
      report(
        .note(
          "CUBIST_BROKER_MANAGEMENT is not set: marks of other databases are not seen; delete by "
            + "hand those exchanges cubist.database.* that were there before"))
      return
    }
    try onBroker(try marks.put(nil, removing: Array(others)))
    if !others.isEmpty {
      report(
        .change("\(PlainText.count(others.count, "former mark")) removed from the broker"))
    }
  }

  /// Gives the broker the mark.
  func finish(report: (SetupLine) -> Void) throws(OperatorFailure) {
    guard let claim = try stored() else { return }
    let marks = marks
    let wasThere = try onBroker(try marks.has(claim.mark))
    try onBroker(try marks.put(claim.mark, removing: []))
    if !wasThere { report(.change("the broker has the mark of this database")) }
    guard !claim.isMade else { return }
    try database.onDatabase { connection throws(StoreError) in
      try BrokerClaims.finish(claim.mark, connection)
    }
  }

  /// Its faults, a sentence each; none where the schema is an older one.
  func problems() throws(OperatorFailure) -> [String] {
    let isKnown = try database.onDatabase { connection throws(StoreError) in
      try Schema.version(of: connection) ?? 0 >= Schema.requiredVersion
    }
    guard isKnown else { return [] }
    let claim = try stored()
    if try isForeign(claim) { return [BrokerWatch.complaint(broker.service.address)] }
    return claim?.isMade == true
      ? [] : ["the broker has no mark of the database: run cubistd setup"]
  }

  private func stored() throws(OperatorFailure) -> BrokerClaim? {
    try database.onDatabase { connection throws(StoreError) in
      try BrokerClaims.stored(connection)
    }
  }

  private func renew() throws(OperatorFailure) {
    let mark = BrokerMark(rawValue: randomness.next128())
    try database.onDatabase { connection throws(StoreError) in
      try BrokerClaims.begin(mark, connection)
    }
  }

  /// All marks on the broker; nil where there is no management API.
  private func present() throws(OperatorFailure) -> Set<BrokerMark>? {
    guard let administration = broker.administration else { return nil }
    return try onManagement { () throws(ManagementError) in
      let host = broker.service.virtualHost
      // Before the first setup it may have no rights there.
      guard try administration.rights(of: administration.user, in: host) != nil else { return [] }
      return try administration.marks(of: broker.topology.names, in: host)
    }
  }

  private func isForeign(_ claim: BrokerClaim?) throws(OperatorFailure) -> Bool {
    if let present = try present() {
      // The mark may be changed between two looks. Beside it there may be marks of former states:
      // an import of definitions into the broker brings them back.
      let own = try (claim?.marks ?? []) + (stored()?.marks ?? [])
      return !present.isEmpty && present.isDisjoint(with: own)
    }
    let marks = marks
    return try onBroker(try !marks.serve(claim))
  }

  private func checkIdle() throws(OperatorFailure) {
    let counts = try onBroker(
      try QueueCount.of(
        broker.topology.queueNames, at: broker.service.address, within: .seconds(30)))
    guard let used = counts.first(where: { $0.consumers > 0 }) else { return }
    throw .wrong(
      "roles still work on \(broker.service.address), \(used.consumers) on \(used.name): end every role "
        + "first, whichever database it has; nothing has been changed")
  }
}
