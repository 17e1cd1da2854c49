import Chaos
import EventBusLive
import MatchCore
import MatchInterfaces
import PlayerClient
import TestedService
import Testing

extension SenderLog {
  /// Sends everything again that has no answer yet, until it has one.
  func settle(in lab: ServiceLab) throws {
    let bus = PlayerBus.live(
      try BrokerAddress(url: lab.playersURL), clock: .live, log: ServiceLab.log)
    defer { bus.close() }
    try waitUntil("every event is answered") { try settle(over: bus) }
  }

  /// Compares the senders' knowledge with the service's contents; a failure names the seed of the
  /// run.
  ///
  /// - Parameter eachPushOnce: Whether no push job may have been handed over again. If a push
  ///   worker loses its database between handing over and writing that down, it hands over again.
  func verify(in lab: ServiceLab, seed: UInt64, eachPushOnce: Bool = true) throws {
    #expect(try lab.looking { try findings(in: $0) } == [], "seed \(seed)")
    // No push job missing or extra, and none handed over twice.
    #expect(try lab.violations() == [], "seed \(seed)")
    guard eachPushOnce else { return }
    let taken = lab.pushes.taken.map(\.id)
    #expect(taken.count == Set(taken).count, "seed \(seed): a push job was handed over twice")
  }
}
