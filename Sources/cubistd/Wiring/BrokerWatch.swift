import EventBusLive
import LibPQ
import Logging
import MatchInterfaces
import MatchService
import MatchStoreLive

/// Holds a role to the broker that serves its database: roles of a copy would take the service's
/// events and write the results into the copy. Confined to the role's thread.
final class BrokerWatch {
  /// How often a role that works looks again.
  static let interval: Duration = .seconds(30)

  private let connection: PostgreSQLConnection
  private let context: BusContext
  private let marks: BrokerMarks
  /// Whether this role changes the mark.
  private let renews: Bool
  private var lookedAt: UInt64 = 0
  private var doubt = Incident(
    Incident.Messages(
      began: "the broker's mark is not known", lasts: "the broker's mark is still not known",
      ended: "the broker's mark is known again"))

  /// - Parameter connection: The role's own connection.
  init(_ connection: PostgreSQLConnection, _ context: BusContext, renews: Bool) {
    self.connection = connection
    self.context = context
    self.renews = renews
    marks = BrokerMarks(at: context.address, names: context.names)
  }

  /// Looks. A role must look before it opens its bus.
  func look(within limit: Duration = .seconds(10)) throws(Interruption) {
    lookedAt = context.clock.uptimeNanoseconds()
    let claim = try interruptingStore(try BrokerClaims.stored(connection))
    guard try isServed(claim, within: limit) else {
      throw .store(.unusable(BrokerWatch.complaint(context.address)))
    }
    if renews, let claim, claim.isMade, claim.isOld { try renew(claim) }
  }

  /// Whether the broker is known to serve another database. A broker without an answer, or without
  /// a mark yet, does not count.
  var isForeign: Bool {
    guard let claim = try? BrokerClaims.stored(connection) else { return false }
    return (try? isServed(claim, within: .seconds(10))) == false
  }

  private func isServed(
    _ claim: BrokerClaim?, within limit: Duration
  ) throws(Interruption) -> Bool {
    try interruptingBus(try marks.serve(claim, within: limit))
  }

  /// Looks where it is time. A broker or a table that does not answer now proves nothing. The role
  /// that changes the mark waits longer for an answer.
  func lookIfDue() throws(Interruption) {
    let uptime = context.clock.uptimeNanoseconds()
    guard uptime &- lookedAt >= UInt64(BrokerWatch.interval / .nanoseconds(1)) else { return }
    do throws(Interruption) {
      try look(within: .seconds(renews ? 10 : 1))
      context.log.write(doubt.wentWell(at: context.clock.uptimeNanoseconds()))
    } catch {
      if case .store(.unusable) = error { throw error }
      guard renews else { return }
      context.log.write(
        doubt.failed(at: context.clock.uptimeNanoseconds()), metadata: ["reason": "\(error)"])
    }
  }

  /// Looks for an operator's command; does nothing where its settings name no broker.
  static func look(_ settings: ServiceSettings, as command: String) throws(OperatorFailure) {
    guard !settings.broker.isEmpty else { return }
    let address = try settings.brokerAccount().address
    let connection = try OperatorConnection.open(settings, as: command)
    defer { connection.close() }
    let claim = try onStore(try BrokerClaims.stored(connection))
    let isOurs = try onBroker(try BrokerMarks(at: address).serve(claim))
    guard isOurs else { throw .wrong(complaint(address)) }
  }

  /// Gives the broker another mark. A role that dies in between leaves it a known one.
  private func renew(_ claim: BrokerClaim) throws(Interruption) {
    try interruptingBus(try marks.put(claim.mark, removing: claim.former.map { [$0] } ?? []))
    let new = BrokerMark(rawValue: context.randomness.next128())
    let isRenewed = try interruptingStore(try BrokerClaims.renew(claim.mark, to: new, connection))
    guard isRenewed else { return }
    try interruptingBus(try marks.put(new, removing: []))
  }

  /// The message about a broker that has another database's mark.
  static func complaint(_ address: BrokerAddress) -> String {
    "the broker at \(address) serves another database: correct CUBIST_DATABASE or CUBIST_BROKER; where "
      + "one of the two was brought back to a former state, run `cubistd setup --take-broker`"
  }
}
