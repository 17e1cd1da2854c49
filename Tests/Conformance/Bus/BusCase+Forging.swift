import CustomDump
import MatchInterfaces
import Testing

extension BusCase {
  static let forging: [BusCase] = [
    BusCase("A publisher's count of deliveries is none, on the first delivery or a later one") {
      buses in
      let forged: [PublisherProperties] = [
        PublisherProperties(), .counts(.number(2)), .counts(.number(9)), .counts(.number(-1)),
        .counts(.number(.max)), .counts(.number(.min)), .counts(.text("9")),
        .counts(.number(1), .number(.max)), .counts(.number(.max), .number(1)),
        .counts(.text("9"), .number(9)),
      ]
      for (number, properties) in forged.enumerated() {
        try buses.send(buses.event([UInt8(number)]), properties)
      }
      for count in 1...4 {
        let bus = try buses.worker()
        try bus.consume([0])
        let deliveries = try buses.receive(forged.count, bus)
        expectNoDifference(deliveries.map { Int($0.body[0]) }, Array(forged.indices))
        expectNoDifference(deliveries.map(\.deliveryCount), forged.map { _ in count })
        bus.close()
      }
    },
    BusCase("A publisher's reply address is handed over as it was written") { buses in
      let long = String(repeating: "x", count: 255)
      let written: [(replyTo: String?, correlationID: String?)] = [
        (nil, nil), ("", ""), ("cubist.push", long), (long, nil), (nil, "é"),
      ]
      for (replyTo, correlationID) in written {
        try buses.send(
          buses.event([]),
          PublisherProperties(replyTo: replyTo, correlationID: correlationID))
      }
      let bus = try buses.worker()
      defer { bus.close() }
      try bus.consume([0])
      let deliveries = try buses.receive(written.count, bus)
      expectNoDifference(deliveries.map(\.replyTo), written.map(\.replyTo))
      expectNoDifference(deliveries.map(\.correlationID), written.map(\.correlationID))
    },
    BusCase("A publisher's priority is handed over, and no other event loses its place") { buses in
      let written: [UInt8?] = [nil, 4, 9, nil, 255, 4, 5]
      for (number, priority) in written.enumerated() {
        try buses.send(buses.event([UInt8(number)]), PublisherProperties(priority: priority))
      }
      let bus = try buses.worker()
      defer { bus.close() }
      try bus.consume([0])
      let deliveries = try buses.receive(written.count, bus)
      expectNoDifference(
        deliveries.sorted { $0.body[0] < $1.body[0] }.map(\.priority), written)
      expectNoDifference(
        deliveries.filter { !$0.mayHaveOvertaken }.map { Int($0.body[0]) }, [0, 1, 3, 5])
    },
    BusCase(
      "An event that has expired when its turn comes is not delivered, and holds up nothing"
    ) {
      buses in
      for (body, expiration) in [1: nil, 2: "1", 3: nil, 4: "0", 5: "86400000"].sorted(by: {
        $0.key < $1.key
      }) {
        try buses.send(
          buses.event([UInt8(body)]), PublisherProperties(expiration: expiration))
      }
      buses.tick()
      let bus = try buses.worker()
      defer { bus.close() }
      try bus.consume([0])
      #expect(try buses.receive(3, bus).map(\.body) == [[1], [3], [5]])
      #expect(try bus.receive(1, .zero) == [])
    },
  ]
}
