import CustomDump
import MatchInterfaces
import Testing

extension BusCase {
  static let consuming: [BusCase] = [
    BusCase("Events come in the order of their queue, and are gone once acknowledged") { buses in
      try buses.fill(0, 1...40)
      try buses.fill(1, 101...140)
      let bus = try buses.worker()
      try bus.consume([0, 1])
      let deliveries = try buses.receive(80, bus)
      for queue in 0...1 {
        let bodies = deliveries.filter { $0.queue == queue }.map { $0.body[0] }
        expectNoDifference(bodies, Array(queue == 0 ? 1...40 : 101...140))
      }
      #expect(zip(deliveries, deliveries.dropFirst()).allSatisfy { $0.tag < $1.tag })
      #expect(deliveries.allSatisfy { $0.deliveryCount == 1 && $0.replyTo == nil })
      try bus.acknowledge(#require(deliveries.last).tag)
      bus.close()
      for queue in 0...1 { try buses.fill(queue, 200...200) }
      let next = try buses.worker()
      defer { next.close() }
      try next.consume([0, 1])
      let rest = try buses.receive(2, next)
      #expect(rest.map { $0.body[0] } == [200, 200])
      #expect(rest.allSatisfy { $0.deliveryCount == 1 })
    },
    BusCase("No more is given than asked for") { buses in
      try buses.fill(0, 1...20)
      let bus = try buses.worker()
      defer { bus.close() }
      try bus.consume([0])
      var sizes: [Int] = []
      let bodies = try buses.collect(20) {
        let deliveries = try bus.receive(7, .milliseconds(100))
        sizes.append(deliveries.count)
        return deliveries.map { $0.body[0] }
      }
      #expect(bodies == Array(1...20))
      #expect(sizes.allSatisfy { $0 <= 7 })
    },
    BusCase("Unacknowledged events come again in order, counted, after a close") { buses in
      try buses.fill(0, 1...100)
      let first = try buses.worker()
      try first.consume([0])
      let given = try buses.receive(100, first)
      try first.acknowledge(given[9].tag)
      first.close()
      let second = try buses.worker()
      defer { second.close() }
      try second.consume([0])
      let again = try buses.receive(90, second)
      expectNoDifference(again.map { $0.body[0] }, Array(11...100))
      #expect(again.allSatisfy { $0.deliveryCount == 2 })
    },
    BusCase("Consuming other queues gives everything back first; consuming none too") { buses in
      try buses.fill(0, 1...3)
      try buses.fill(1, 4...4)
      let bus = try buses.worker()
      defer { bus.close() }
      try bus.consume([0])
      #expect(try buses.receive(3, bus).count == 3)
      try bus.consume([1])
      #expect(try buses.receive(1, bus).map(\.body) == [[4]])
      try bus.consume([])
      #expect(try bus.receive(1, .zero) == [])
      try bus.consume([0])
      let again = try buses.receive(3, bus)
      #expect(again.map { $0.body[0] } == [1, 2, 3])
      #expect(again.allSatisfy { $0.deliveryCount == 2 && $0.queue == 0 })
    },
    BusCase("A queue has one consumer; the next one begins where it stopped") { buses in
      let first = try buses.worker()
      try first.consume([0])
      let second = try buses.worker()
      defer { second.close() }
      try second.consume([0, 1])
      try buses.fill(0, 1...10)
      // The event in the other queue shows that the second worker listens.
      try buses.fill(1, 99...99)
      #expect(try buses.receive(1, second).map(\.body) == [[99]])
      #expect(try second.receive(10, .zero) == [])
      let given = try buses.receive(10, first)
      try first.acknowledge(given[3].tag)
      first.close()
      let rest = try buses.receive(6, second)
      expectNoDifference(rest.map { $0.body[0] }, Array(5...10))
      #expect(rest.allSatisfy { $0.deliveryCount == 2 })
    },
    BusCase(
      "An event that a worker was handed and did not read counts as delivered when it goes"
    ) { buses in
      try buses.fill(0, 1...5)
      let first = try buses.worker()
      try first.consume([0])
      #expect(try buses.receive(1, first).map(\.body) == [[1]])
      first.close()
      let second = try buses.worker()
      defer { second.close() }
      try second.consume([0])
      let again = try buses.receive(5, second)
      expectNoDifference(again.map { $0.body[0] }, Array(1...5))
      #expect(again.allSatisfy { $0.deliveryCount == 2 })
    },
    BusCase("Later events stand behind those that were given back") { buses in
      try buses.fill(0, 1...2)
      let first = try buses.worker()
      try first.consume([0])
      #expect(try buses.receive(2, first).count == 2)
      try buses.fill(0, 3...4)
      first.close()
      let second = try buses.worker()
      defer { second.close() }
      try second.consume([0])
      #expect(try buses.receive(4, second).map { $0.body[0] } == [1, 2, 3, 4])
    },
    BusCase("A queue keeps an event that comes back any number of times, and those behind it") {
      buses in
      try buses.fill(0, 7...8)
      for count in 1...23 {
        let bus = try buses.worker()
        try bus.consume([0])
        let given = try buses.receive(2, bus)
        #expect(given.map { $0.body[0] } == [7, 8])
        #expect(given.map(\.deliveryCount) == [count, count])
        bus.close()
      }
    },
    BusCase("Any bytes are delivered as they are") { buses in
      let bodies: [[UInt8]] = [[], [0xff], Array(repeating: 0x7b, count: 5_000), [0, 0]]
      let scheduler = try buses.scheduler()
      defer { scheduler.close() }
      try scheduler.publish(bodies.map { (buses.slot(0), $0) })
      let bus = try buses.worker()
      defer { bus.close() }
      try bus.consume([0])
      expectNoDifference(try buses.receive(4, bus).map(\.body), bodies)
    },
  ]
}
