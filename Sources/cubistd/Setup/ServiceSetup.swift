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
  var clock = WallClock.live
  var randomness = Randomness.live

  /// A setup with the players' account that the settings name, if they name one.
  init(_ settings: ServiceSettings) throws(OperatorFailure) {
    self.settings = settings
    players = try settings.playerBroker.map { url throws(OperatorFailure) in
      try BrokerAccount(url: url, setting: SettingName.playerBroker.rawValue)
    }
  }

  /// A setup for one account of players.
  init(_ settings: ServiceSettings, players: BrokerAccount?) {
    self.settings = settings
    self.players = players
  }

  /// Where the root key is put that a new key file is certified by.
  var rootKeyPath: String { "\(settings.serviceKeys).root" }

  /// Makes what is missing; doing it again changes nothing.
  /// - Parameter report: is told what was done, a sentence each.
  func run(report: (String) -> Void) throws(OperatorFailure) {
    if try makeKeys() {
      report("keys made: \(settings.serviceKeys)")
      report(
        "move \(rootKeyPath) to a safe place off this machine: it certifies new working keys")
    }
    let identity = try settings.identity(now: clock.now())
    let database = DatabaseSetup(
      settings: try settings.databaseSettings(), identity: identity, layout: settings.layout)
    for done in try database.run() { report(done) }
    let broker = try brokerSetup()
    let moved = try broker.run()
    report("\(settings.layout.queueCount) queues of events in \(broker.service.address)")
    for sentence in moved { report(sentence) }
    if broker.administration == nil {
      report(
        "CUBIST_BROKER_MANAGEMENT is not set: users and their rights were not looked at")
    } else if let players {
      report("players connect as \(players.user)")
    } else {
      report(
        "\(SettingName.playerBroker.rawValue) is not set: the players' user was not looked at")
    }
  }

  /// What is missing, a sentence each; changes nothing.
  func problems() throws(OperatorFailure) -> [String] {
    var problems: [String] = []
    var identity: ServiceIdentity?
    if Files.exists(settings.serviceKeys) {
      identity = try settings.identity(now: clock.now())
    } else {
      problems.append("the key file \(settings.serviceKeys) is missing")
    }
    problems += try DatabaseSetup(
      settings: try settings.databaseSettings(), identity: identity, layout: settings.layout
    ).problems()
    problems += try brokerSetup().problems()
    return problems
  }

  /// Takes a new working key, certified by the root key; the certificates of past ones stay.
  func renewWorkingKey(root path: String) throws(OperatorFailure) {
    let new = "\(settings.serviceKeys).new"
    try onKeys { () throws(ServiceKeyError) in
      var keys = try ServiceKeyFile.load(settings.serviceKeys)
      try keys.renew(root: .load(path), now: clock.now(), randomness: randomness)
      try keys.create(at: new)
    }
    try Files.rename(new, to: settings.serviceKeys)
  }

  private func brokerSetup() throws(OperatorFailure) -> BrokerSetup {
    BrokerSetup(
      service: try settings.brokerAccount(), players: players,
      administration: try settings.administration(),
      topology: Topology(layout: settings.layout), clock: clock)
  }

  /// Makes the key file unless there is one.
  private func makeKeys() throws(OperatorFailure) -> Bool {
    guard !Files.exists(settings.serviceKeys) else { return false }
    return try onKeys { () throws(ServiceKeyError) in
      let (keys, root) = try ServiceKeyFile.create(now: clock.now(), randomness: randomness)
      // The root key first: without it the key file could never be renewed.
      try root.create(at: rootKeyPath)
      try keys.create(at: settings.serviceKeys)
      return true
    }
  }
}
