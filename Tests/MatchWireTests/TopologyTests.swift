// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry

import EventExamples
import MatchCore
import MatchWire
import Testing

@Suite("Slots, queues and names")
struct TopologyTests {
  /// Computed apart; docs/protocol.md has the same.
  @Test(
    "Slots are FNV-1a 64 of the raw bytes modulo 1,024, for ever",
    arguments: [
      ("00000000-0000-0000-0000-000000000000", 101),
      ("00000000-0000-0000-0000-000000000001", 690),
      ("0190a6f2-7c00-7abc-8def-0123456789ab", 838),
      ("ffffffff-ffff-ffff-ffff-ffffffffffff", 85),
    ])
  func vectors(id: String, slot: Int) throws {
    #expect(Slot(of: try #require(MatchID(id))).number == slot)
    #expect(Slot(of: try #require(PlayerID(id))).routingKey == String(slot))
  }

  @Test("Events that name a match go by the match, all others by the player, ticks by neither")
  func events() throws {
    let (match, player) = (MatchID(rawValue: 3), PlayerID(rawValue: 2))
    for type in EventType.allCases where type != .ticked {
      let event = Event(
        service: ServiceID(rawValue: 1), id: EventID(rawValue: 4), player: player,
        action: type.example(about: match))
      let isNamed = try JSONReader.object(of: PayloadCodec.encode(event))["match"] != nil
      let about = isNamed ? Slot(of: match) : Slot(of: event.aboutPlayer ?? player)
      #expect(Slot(of: event) == about, "\(type)")
      #expect((event.aboutPlayer != nil) == (type == .recoveryDue))
    }
    let tick = Event(
      service: ServiceID(rawValue: 1), id: EventID(rawValue: 4), player: player,
      action: EventType.ticked.example(about: match))
    #expect(Slot(of: tick) == nil)
  }

  @Test("Every slot has one queue at any number of queues", arguments: [1, 2, 3, 16, 1_000, 1_024])
  func layout(queueCount: Int) throws {
    let layout = try #require(QueueLayout(queueCount: queueCount))
    var seen: [Slot] = []
    for queue in 0..<queueCount {
      for slot in layout.slots(of: queue) {
        #expect(layout.queue(of: slot) == queue)
        seen.append(slot)
      }
    }
    #expect(seen.sorted() == (0..<1_024).compactMap { Slot(number: $0) })
    #expect(layout.slots(of: queueCount).isEmpty && layout.slots(of: -1).isEmpty)
  }

  @Test("Numbers and routing keys out of bounds are none")
  func bounds() {
    #expect(Slot(number: -1) == nil && Slot(number: 1_024) == nil)
    #expect(QueueLayout(queueCount: 0) == nil && QueueLayout(queueCount: 1_025) == nil)
    for key in ["", "-1", "01", "1024", "+1", "1 ", "x"] { #expect(Slot(routingKey: key) == nil) }
    #expect(Slot(routingKey: "1023")?.number == 1_023)
  }

  @Test("Names")
  func names() {
    let names = Names(prefix: "t7.")
    #expect(
      [
        Names().events, names.events, names.events(queue: 3), names.events(queue: 12),
        names.queries, names.outcomes, names.push, names.pushRetry(seconds: 60),
        Names.changedMatches,
      ] == [
        "cubist.events", "t7.cubist.events", "t7.cubist.slots.03", "t7.cubist.slots.12",
        "t7.cubist.queries", "t7.cubist.outcomes", "t7.cubist.jobs", "t7.cubist.jobs.retry.60",
        "matches",
      ])
    #expect(
      [
        names.formerEvents(queue: 3), names.formerPush, names.formerPushRetry(seconds: 60),
        names.formerDead,
      ] == [
        "t7.cubist.events.03", "t7.cubist.push", "t7.cubist.push.retry.60", "t7.cubist.dead",
      ])
    for queue in [names.formerEvents(queue: 12), names.formerPush, names.formerDead] {
      #expect(names.isFormer(queue))
    }
    for queue in [names.events(queue: 12), names.push, names.events, names.queries] {
      #expect(!names.isFormer(queue))
    }
    #expect(names.index(of: names.events(queue: 12)) == 12)
    #expect(names.formerIndex(of: names.formerEvents(queue: 12)) == 12)
    #expect(names.formerIndex(of: names.events(queue: 12)) == nil)
  }
}
