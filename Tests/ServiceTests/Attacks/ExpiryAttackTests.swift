import Chaos
import Foundation
import LibRabbitMQ
import MatchCore
import MatchInterfaces
import MatchWire
import RealServers
import TestedService
import Testing

@Suite("Strangers' messages that expire", .serialized)
struct ExpiryAttackTests {
  /// More than the queues hold, which the policies of these tests make small.
  static let floodCount = 5_000

  @Test(
    "A flood of messages that expire stops nobody: all are served, and nothing of theirs is gone")
  func flood() async throws {
    try await ServiceLab.run { lab in
      let (ann, bob) = try lab.pair()
      let match = try lab.begin(ann, bob)
      try lab.host.setPolicy(
        "events", pattern: "^cubist[.].*[.][0-9]{2}$",
        definition: ["max-length": 1_000, "overflow": "reject-publish"])
      try lab.host.setPolicy(
        "dead", pattern: "^cubist[.]dead$",
        definition: ["max-length": 100, "overflow": "reject-publish"])
      // Into the queue of the match: while it is consumed, and while nobody consumes.
      try ExpiryAttackTests.flood(Slot(of: match), lab)
      try ExpiryAttackTests.play(4, in: match, [ann, bob], lab)
      try lab.stopWorkers()
      let kept = try ann.sign(.turnPlayed(match, lab.turn(lab.match(match))))
      try Intruder(in: lab).publish(kept.envelope, to: kept.slot, replyTo: "")
      try ExpiryAttackTests.flood(kept.slot, lab)
      try lab.startWorker()
      try waitUntil("the turn that waited counts") { try lab.match(match).turnNumber == 6 }
      try ExpiryAttackTests.play(2, in: match, [bob, ann], lab)
      #expect(try lab.violations() == [])
      #expect(try lab.deadEventCount() == 0)
    }
  }

  /// The broker's URL of a service that runs, as `cubistd up --amqp` prints it.
  private static let target = ProcessInfo.processInfo.environment["CUBIST_TEST_FLOOD"]

  /// Half of them go to one queue, which holds fewer, the others to all. A person who runs this
  /// checks with `cubist` whether players are served.
  @Test(
    "Each of 200,000 expiring messages at a service that runs is taken or refused",
    .enabled(if: target != nil))
  func runningService() throws {
    let url = try #require(ExpiryAttackTests.target)
    for _ in 0..<50 {
      let slots = (0..<Slot.count).compactMap { Slot(number: $0) }
      try ExpiryAttackTests.flood([slots[0]], url, count: 2_000)
      try ExpiryAttackTests.flood(slots, url, count: 2_000)
    }
  }

  static func flood(_ slot: Slot, _ lab: ServiceLab, count: Int = floodCount) throws {
    try flood([slot], lab.playersURL, count: count)
  }

  /// Publishes messages that live for a millisecond, with a player's rights; a refused one is not
  /// published again.
  private static func flood(_ slots: [Slot], _ url: String, count: Int) throws {
    let publisher = try Publisher<Int>(RabbitMQConnection(RabbitMQSettings(url: url)))
    defer { publisher.close() }
    var properties = MessageProperties()
    properties.expiration = "1"
    for number in 0..<count {
      try publisher.publish(
        id: number, exchange: Names().events, routingKey: slots[number % slots.count].routingKey,
        properties: properties, body: [1, 2, 3])
    }
    try publisher.flush(timeout: .seconds(60))
    let outcomes = publisher.takeResults().map(\.outcome)
    #expect(outcomes.count == count)
    #expect(outcomes.allSatisfy { $0 == .confirmed || $0 == .refused })
  }

  /// Plays turns one after another; a player tries again if the queue is full.
  private static func play(
    _ count: Int, in match: MatchID, _ players: [LabPlayer], _ lab: ServiceLab
  ) throws {
    for number in 0..<count {
      let state = try lab.match(match)
      let turn = try players[number % 2].sign(.turnPlayed(match, lab.turn(state)))
      try waitUntil("turn \(state.turnNumber) is taken") {
        do {
          return try players[number % 2].send(turn).receipt?.turn == state.turnNumber
        } catch BusError.refused {
          return false
        }
      }
    }
  }
}
