import BrokerManagement
import EventBusLive
import Foundation
import LibPQ
import MatchInterfaces
import MatchService
import MatchWire

/// Everything that a service needs before its first role runs.
struct ServiceSetup: Sendable {
  var settings: ServiceSettings
  var players: BrokerAccount?
  var gateway: BrokerAccount?
  var clock = WallClock.live
  var randomness = Randomness.live
  /// How long a new working key is certified, in seconds.
  var validSeconds = ServiceKeyFile.standardValidity

  /// A setup with the players' and the gateways' account of the settings, if they name them.
  init(_ settings: ServiceSettings) throws(OperatorFailure) {
    self.settings = settings
    players = try settings.playerAccount()
    gateway = try settings.gatewayAccount()
  }

  init(_ settings: ServiceSettings, players: BrokerAccount?, gateway: BrokerAccount? = nil) {
    self.settings = settings
    self.players = players
    self.gateway = gateway
  }

  /// The path of the root key that certifies a new key file.
  var rootKeyPath: String { "\(settings.serviceKeys).root" }

  /// Makes everything that is missing; doing it again changes nothing.
  /// - Parameters:
  ///   - takesBroker: Whether to take the broker from another database.
  ///   - report: Hears of each change once it is done, and of the rest to know.
  /// - Throws: `wrong` where the broker is another database's, or at the end where the certificate of the
  ///   working key has ended.
  func run(
    takingBroker takesBroker: Bool = false, report: (SetupLine) -> Void
  ) throws(OperatorFailure) {
    try checkAccounts()
    if try makeKeys() {
      report(.change("keys made: \(settings.serviceKeys)"))
      report(
        .note(
          "move \(rootKeyPath) to a safe place off this machine: it certifies new working keys"))
    }
    let identity = try settings.identity()
    let database = try database(identity)
    try database.run(report: report)
    let undone = try DatabaseUserSetup(settings).run(report: report)
    try pushKeySetup(database).run(report: report)
    let warning = try database.keyWarning()
    if let warning, !warning.isOver { report(.note(warning.text)) }
    let broker = try brokerSetup()
    let former = try database.unmovedLayouts()
    let claim = claimSetup(database, broker)
    try claim.begin(taking: takesBroker, report: report)
    try broker.run(movingFrom: former, report: report)
    try claim.finish(report: report)
    if !former.isEmpty { try database.finishLayout() }
    for line in summary(of: broker) { report(.note(line)) }
    if let undone { throw undone }
    // All the rest is there then; but no role that signs works.
    if let warning, warning.isOver { throw .wrong(warning.text) }
  }

  /// The addresses and users of the broker, and the things that setup could not look at.
  private func summary(of broker: BrokerSetup) -> [String] {
    let queues = PlainText.count(settings.layout.queueCount, "queue")
    var lines = ["\(queues) of events in \(broker.service.address)"]
    guard broker.administration != nil else {
      lines.append("CUBIST_BROKER_MANAGEMENT is not set: users and their rights were not looked at")
      if settings.capacity != .standard {
        lines.append(
          "CUBIST_CAPACITY_… changes nothing: only \(SettingName.brokerManagement.rawValue) can "
            + "change the limits of queues")
      }
      return lines
    }
    if let gateway { lines.append("gateways connect as \(gateway.user)") }
    lines.append("players connect to gateways, by HTTP")
    if let players {
      lines.append("programs of your own connect to the broker as \(players.user)")
    }
    return lines + broker.accountNotes()
  }

  /// Everything that is missing or wrong, a sentence each; changes nothing.
  func problems() throws(OperatorFailure) -> [String] {
    let found = try examine()
    if let failure = found.failures.first { throw failure }
    return found.problems
  }

  /// The result of a look at everything.
  struct Examination {
    /// Everything that is missing or wrong, a sentence each.
    var problems: [String] = []
    /// Why parts could not be looked at. All the others were.
    var failures: [OperatorFailure] = []

    mutating func look(_ part: () throws(OperatorFailure) -> [String]) {
      do throws(OperatorFailure) { problems += try part() } catch {
        if !failures.contains(error) { failures.append(error) }
      }
    }
  }

  /// Looks at every part, also where another one may not be looked at; changes nothing. Without a key
  /// file in the settings, as on a machine that only looks, keys are left out.
  func examine() throws(OperatorFailure) -> Examination {
    try checkAccounts()
    var found = Examination()
    var identity: ServiceIdentity?
    if !settings.serviceKeys.isEmpty {
      found.look { () throws(OperatorFailure) in
        if Files.exists(settings.serviceKeys) {
          identity = try settings.identity()
          return []
        }
        guard let owner = try self.database(nil).owner() else {
          return ["the key file \(settings.serviceKeys) is missing"]
        }
        return ["\(settings.serviceKeys): \(ServiceSetup.lostKeys(of: owner))"]
      }
    }
    let database = try database(identity)
    found.look { () throws(OperatorFailure) in
      let missing = try database.problems()
      // Without its tables the database cannot say which key it has.
      return try missing + (missing.isEmpty ? pushKeySetup(database).problems() : [])
    }
    found.look { () throws(OperatorFailure) in try DatabaseUserSetup(settings).problems() }
    found.look { () throws(OperatorFailure) in
      guard let warning = try database.keyWarning(), warning.isOver else { return [] }
      return [warning.text]
    }
    let broker = try brokerSetup()
    found.look { () throws(OperatorFailure) in try broker.problems() }
    found.look { () throws(OperatorFailure) in try claimSetup(database, broker).problems() }
    return found
  }

  /// A warning that the working key has to be renewed soon; nil where there is time, or where it is
  /// too late.
  func warning() throws(OperatorFailure) -> String? {
    guard Files.exists(settings.serviceKeys) else { return nil }
    let warning = try database(settings.identity()).keyWarning()
    return warning.flatMap { $0.isOver ? nil : $0.text }
  }

  /// What an administrator may want to do, though all is there, a sentence each.
  func advice() throws(OperatorFailure) -> [String] { try DatabaseUserSetup(settings).advice() }

  /// Takes a new working key, certified by the root key; the certificates of past ones stay. The
  /// database knows the certificate before any role can sign with the key.
  func renewWorkingKey(
    root path: String, report: (SetupLine) -> Void
  ) throws(OperatorFailure) {
    try renewWorkingKey(root: path, report: report) { identity throws(OperatorFailure) in
      try database(identity).keepCertificates()
    }
  }

  /// The same; `keep` puts the certificate into the database.
  func renewWorkingKey(
    root path: String, report: (SetupLine) -> Void,
    keep: (ServiceIdentity) throws(OperatorFailure) -> Void
  ) throws(OperatorFailure) {
    let new = "\(settings.serviceKeys).new"
    var keys = try onKeys(try ServiceKeyFile.load(settings.serviceKeys))
    do throws(ServiceKeyError) {
      try keys.renew(
        root: .load(path), now: clock.now(), validSeconds: validSeconds, randomness: randomness)
    } catch {
      throw ServiceSetup.wrongRoot(path, error)
    }
    let identity = try onKeys(try keys.identity())
    try keep(identity)
    // Remove the new file of an earlier renewal that was ended here: it was never used.
    Files.remove(new)
    try onKeys(try keys.create(at: new))
    try Files.rename(new, to: settings.serviceKeys)
    let end = identity.term.end.map { "\($0)" } ?? "-"
    report(.change("working key \(identity.signer.publicKey) made, certified until \(end)"))
    report(
      .note(
        "roles that run take it up by themselves; copy \(settings.serviceKeys) to every other "
          + "machine that runs roles"))
  }

  /// A root key file that does not certify a new working key.
  private static func wrongRoot(_ path: String, _ error: ServiceKeyError) -> OperatorFailure {
    let said =
      switch error {
      case .file(_, let reason): "cannot be used: \(reason)"
      case .malformed(let what): "is no root key file: \(what)"
      case .otherRootKey(let key): "has the root key \(key), which is not this service's"
      default: "cannot be used: \(error)"
      }
    return .unreadable(
      "The root key file \(path) \(said). Nothing was renewed. Name the file KEY-FILE.root that "
        + "`cubistd setup` made for this service, from the safe place where it is kept; a key file "
        + "or a new root key will not do.")
  }

  private func database(_ identity: ServiceIdentity?) throws(OperatorFailure) -> DatabaseSetup {
    DatabaseSetup(
      settings: try settings.databaseSettings(), identity: identity, layout: settings.layout)
  }

  private static func lostKeys(of owner: ServiceRow) -> String {
    """
    the key file is not there, and the database belongs to service \(owner.service) with root key \
    \(owner.rootKey): bring the key file back from a backup or from another machine that runs roles; a \
    new one would be another service's
    """
  }

  /// Two accounts of one user would have the rights of the one that is set up last.
  func checkAccounts() throws(OperatorFailure) {
    var users: [String: SettingName] = [try settings.brokerAccount().user: .broker]
    for (account, name) in [(players, SettingName.playerBroker), (gateway, .gatewayBroker)] {
      guard let account else { continue }
      if let other = users.updateValue(name, forKey: account.user) {
        throw .settings([
          "\(other.rawValue) and \(name.rawValue): both name the user \(account.user); the service, "
            + "programs of your own and the gateways each need a user of their own"
        ])
      }
    }
  }

  private func brokerSetup() throws(OperatorFailure) -> BrokerSetup {
    let administration = try settings.administration()
    // Without policies the limits are arguments, and those of a queue stay for ever.
    let limits = administration == nil ? TopologyLimits() : TopologyLimits(settings.capacity)
    return BrokerSetup(
      service: try settings.brokerAccount(), players: players, gateway: gateway,
      administration: administration,
      topology: Topology(layout: settings.layout, limits: limits), clock: clock)
  }

  private func pushKeySetup(_ database: DatabaseSetup) -> PushKeySetup {
    PushKeySetup(settings: settings, database: database, randomness: randomness)
  }

  private func claimSetup(_ database: DatabaseSetup, _ broker: BrokerSetup) -> BrokerClaimSetup {
    BrokerClaimSetup(database: database, broker: broker, randomness: randomness)
  }

  /// Makes the key file unless there is one.
  private func makeKeys() throws(OperatorFailure) -> Bool {
    guard !Files.exists(settings.serviceKeys) else { return false }
    if let owner = try database(nil).owner() {
      throw .file(path: settings.serviceKeys, reason: ServiceSetup.lostKeys(of: owner))
    }
    if Files.exists(rootKeyPath) {
      throw .file(
        path: settings.serviceKeys,
        reason: "the key file is not there, but its root key \(rootKeyPath) is: bring the key file "
          + "back, or move the root key away to make a new service")
    }
    let folder = Files.folder(of: settings.serviceKeys)
    guard Files.exists(folder) else {
      throw .file(
        path: folder,
        reason: "there is no such folder: make it with `mkdir -p -m 700 \(folder)`, or correct "
          + SettingName.serviceKeys.rawValue)
    }
    return try onKeys { () throws(ServiceKeyError) in
      let (keys, root) = try ServiceKeyFile.create(
        now: clock.now(), validSeconds: validSeconds, randomness: randomness)
      // The root key first: without it the key file could never be renewed.
      try root.create(at: rootKeyPath)
      try keys.create(at: settings.serviceKeys)
      return true
    }
  }
}
