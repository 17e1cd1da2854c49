import CustomDump
import MatchCore
import MatchInterfaces
import Testing

extension BusCase {
  static let breaking: [BusCase] = [
    BusCase("Each failing call tells a worker that its connections broke") { buses in
      try buses.fill(0, 1...3)
      let bus = try buses.worker()
      defer { bus.close() }
      try bus.consume([0])
      let given = try buses.receive(3, bus)
      let idle = try buses.worker()
      defer { idle.close() }
      try buses.cut()
      #expect(try busError { try idle.consume([1]) }.kind == "disconnected")
      #expect(try busError { _ = try bus.receive(1, .seconds(120)) }.kind == "disconnected")
      #expect(try busError { try bus.acknowledge(given[0].tag) }.kind == "disconnected")
      // None of these may fail for want of a connection.
      bus.serveHeartbeats()
      try bus.publish([.outcome(routingKey: "match.1", body: []), .push(.numbered(1))])
      #expect(try bus.confirmed() == [])
      let next = try buses.worker()
      defer { next.close() }
      try next.consume([0])
      let again = try buses.receive(3, next)
      expectNoDifference(again.map { $0.body[0] }, [1, 2, 3])
      #expect(again.allSatisfy { $0.deliveryCount == 2 })
    },
    BusCase("A worker that consumes anew after a break goes on as on a new connection") { buses in
      try buses.fill(0, 1...3)
      let bus = try buses.worker()
      defer { bus.close() }
      try bus.consume([0])
      let given = try buses.receive(3, bus)
      try buses.cut()
      try bus.consume([0, 1])
      let again = try buses.receive(3, bus)
      expectNoDifference(again.map { $0.body[0] }, [1, 2, 3])
      // Tags begin anew: the old ones are of no use any more.
      expectNoDifference(again.map(\.tag), given.map(\.tag))
      try bus.acknowledge(again[2].tag)
      // The worker's jobs are confirmed again after a while.
      let job = PushJob.numbered(1)
      let confirmed = try buses.collect(1) {
        try bus.publish([.push(job)])
        _ = try bus.receive(1, .milliseconds(50))
        return try bus.confirmed()
      }
      #expect(confirmed.first == job.id)
    },
    BusCase("Scheduler and relay publish again after a break") { buses in
      let (scheduler, relay) = (try buses.scheduler(), try buses.relay())
      defer { scheduler.close() }
      defer { relay.close() }
      try scheduler.publish([(buses.slot(0), [1])])
      #expect(try relay.publish([.numbered(1)]).count == 1)
      try buses.cut()
      _ = try buses.collect(1) {
        do {
          try scheduler.publish([(buses.slot(0), [2])])
          return [()]
        } catch BusError.disconnected { return [] }
      }
      let confirmed = try buses.collect(1) {
        do { return try relay.publish([.numbered(2)]) } catch BusError.disconnected { return [] }
      }
      #expect(confirmed == [PushJob.numbered(2).id])
      let bus = try buses.worker()
      defer { bus.close() }
      try bus.consume([0])
      #expect(try buses.receive(2, bus).map(\.body) == [[1], [2]])
    },
    BusCase("A push worker and a reader are told that their connections broke") { buses in
      let relay = try buses.relay()
      defer { relay.close() }
      #expect(try relay.publish([.numbered(1)]).count == 1)
      let (push, reader) = (try buses.push(), try buses.reader())
      defer { push.close() }
      defer { reader.close() }
      let delivery = try #require(try buses.receive(1, push).first)
      try buses.cut()
      #expect(try busError { _ = try push.receive(1, .seconds(120)) }.kind == "disconnected")
      #expect(try busError { try push.acknowledge([delivery.tag]) }.kind == "disconnected")
      #expect(
        try busError { try push.retry([.init(delivery, after: .oneSecond)]) }.kind == "disconnected"
      )
      #expect(try busError { _ = try reader.receive(1, .seconds(120)) }.kind == "disconnected")
      try reader.answer([.init(replyTo: "x", correlationID: "", body: [])])
      let next = try buses.push()
      defer { next.close() }
      #expect(try buses.receive(1, next).map(\.job) == [.numbered(1)])
      #expect(try next.receive(1, .zero) == [])
    },
    BusCase(
      "An event may be there after its sender's connection breaks, and is there once"
    ) { buses in
      let bus = try buses.worker()
      var deliveries: [EventDelivery] = []
      try bus.consume([0])
      let answer = try buses.ask(buses.event([9]), .seconds(120)) {
        deliveries = try buses.receive(1, bus)
        try buses.cut()
      }
      #expect(answer == .confirmed || answer == .unknown)
      #expect(deliveries.map(\.body) == [[9]])
      let next = try buses.worker()
      defer { next.close() }
      try next.consume([0])
      #expect(try buses.receive(1, next).map(\.deliveryCount) == [2])
      #expect(try next.receive(1, .zero) == [])
      bus.close()
    },
  ]
}
