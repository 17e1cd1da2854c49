import Chaos
import EventBusLive
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import Synchronization
import TestedService

extension LabPlayer {
  /// - Parameters:
  ///   - label: How the test calls the player, unless by the name.
  ///   - url: The broker, unless it is the lab's own.
  convenience init(
    _ name: String, label: String? = nil, key: PlayerKey = .make(using: .live), in lab: ServiceLab,
    at url: String? = nil
  ) throws {
    try self.init(
      name, label: label, key: key, service: lab.identity.service, clock: .live,
      bus: .live(BrokerAddress(url: url ?? lab.playersURL), clock: .live, log: ServiceLab.log))
  }
}

extension ServiceLab: TestedService {
  var clock: WallClock { .live }

  func wait(for what: String, _ isSo: () throws -> Bool) throws { try waitUntil(what, isSo) }

  func client(_ name: String) throws -> Player { try client(name, log: SenderLog()) }

  /// A name that no player of the service has: the same, or with a number behind it.
  func freeName(_ name: String) -> String {
    let count = names.withLock { names in
      names[name, default: 0] += 1
      return names[name] ?? 1
    }
    return count == 1 ? name : "\(name)-\(count)"
  }

  /// A registered player.
  func player(_ name: String) throws -> LabPlayer {
    let player = try LabPlayer(freeName(name), label: name, in: self)
    try player.must(.playerRegistered(name: player.name, code: nil))
    return player
  }

  func inOneBatch(_ messages: [(slot: Slot, body: [UInt8])]) throws {
    try stopWorkers()
    try publish(messages)
    try startWorker()
  }

  func publish(_ messages: [(slot: Slot, body: [UInt8])]) throws {
    let bus = try SchedulerBus.live(context())
    defer { bus.close() }
    for message in messages { try bus.publish([message]) }
  }
}
