import CustomDump
import MatchCore
import MatchInterfaces
import Testing

extension BusCase {
  /// Cases that raise an alarm, which stops every publisher of the broker.
  package static let alarming: [BusCase] = [
    BusCase("A worker goes on during an alarm, and is not heard") { buses in
      try buses.fill(0, 1...3)
      let bus = try buses.worker()
      try bus.consume([0])
      #expect(try buses.receive(1, bus).count == 1)
      try bus.publish([.push(.numbered(1))])
      #expect(try buses.confirmed(1, bus).count == 1)
      try buses.alarm(true)
      var heard: [Any] = []
      for number in UInt8(2)...20 {
        try bus.publish([.push(.numbered(number)), .outcome(routingKey: "match.1", body: [])])
        heard += try bus.confirmed()
        if number == 5 {
          let rest = try buses.receive(2, bus)
          #expect(rest.map(\.body) == [[2], [3]])
          try bus.acknowledge(#require(rest.last).tag)
        }
      }
      #expect(heard.isEmpty)
      try buses.alarm(false)
      let job = PushJob.numbered(30)
      let confirmed = try buses.collect(1) {
        try bus.publish([.push(job)])
        _ = try bus.receive(1, .milliseconds(50))
        return try bus.confirmed().filter { $0 == job.id }
      }
      #expect(confirmed.first == job.id)
      bus.close()
      // The events that were acknowledged during the alarm are gone.
      try buses.fill(0, 4...4)
      let next = try buses.worker()
      defer { next.close() }
      try next.consume([0])
      #expect(try buses.receive(1, next).map(\.body) == [[4]])
    },
    BusCase("Nothing is confirmed during an alarm, and afterwards everything is as before") {
      buses in
      let (scheduler, relay) = (try buses.scheduler(), try buses.relay())
      defer { scheduler.close() }
      defer { relay.close() }
      try scheduler.publish([(buses.slot(0), [1])])
      try buses.alarm(true)
      let silent = ["refused", "timed out"]
      let late = try busError { try scheduler.publish([(buses.slot(0), [2])]) }
      #expect(silent.contains(late.kind), "\(late)")
      let owed = try busError { _ = try relay.publish([.numbered(1)]) }
      #expect(silent.contains(owed.kind), "\(owed)")
      do {
        #expect(try buses.ask(buses.event([3]), .seconds(2)) {} == .unknown)
      } catch let error as BusError { #expect(silent.contains(error.kind)) }
      try buses.alarm(false)
      try scheduler.publish([(buses.slot(0), [4])])
      #expect(try relay.publish([.numbered(2)]).count == 1)
      #expect(try buses.ask(buses.event([5]), .seconds(3)) {} == .confirmed)
      let bus = try buses.worker()
      defer { bus.close() }
      try bus.consume([0])
      var bodies: [UInt8] = []
      _ = try buses.collect(1) {
        let more = try bus.receive(10, .milliseconds(100)).map { $0.body[0] }
        bodies += more
        return more.filter { $0 == 5 }
      }
      // Some of the unconfirmed messages may be there, late but only once.
      expectNoDifference(bodies.filter { [1, 4, 5].contains($0) }, [1, 4, 5])
      #expect(Set(bodies).count == bodies.count)
    },
  ]
}
