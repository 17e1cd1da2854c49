import CustomDump
import MatchCore
import MatchInterfaces
import MatchWire
import SystemCalls
import Testing

extension BusCase {
  static let gateways: [BusCase] = [
    BusCase("A gateway's messages are answered by their numbers, in any order") { buses in
      let (worker, gateway) = (try buses.worker(), try buses.gateway(Wakeup()))
      defer {
        worker.close()
        gateway.close()
      }
      try worker.consume([0])
      try gateway.send([buses.outgoing(7, .events(buses.slot(0)), [1, 2])])
      try gateway.send([
        buses.outgoing(3, .events(buses.slot(0)), [3, 4]),
        buses.outgoing(9, .events(buses.slot(0)), [5, 6]),
      ])
      let deliveries = try buses.receive(3, worker)
      #expect(deliveries.map(\.body) == [[1, 2], [3, 4], [5, 6]])
      let confirmed = try buses.receive(3, gateway)
      expectNoDifference(Set(confirmed), [.confirmed(7), .confirmed(3), .confirmed(9)])
      try worker.acknowledge(deliveries[2].tag)
      for (index, reply) in [(1, [43]), (0, [21]), (2, [65])] as [(Int, [UInt8])] {
        try worker.publish([deliveries[index].reply(reply)])
      }
      expectNoDifference(
        try buses.receive(3, gateway), [.reply(3, [43]), .reply(7, [21]), .reply(9, [65])])
      // A second reply to the same message is nobody's.
      try worker.publish([deliveries[0].reply([0])])
      try gateway.send([buses.outgoing(10, .events(buses.slot(0)), [7])])
      #expect(try buses.receive(1, gateway) == [.confirmed(10)])
    },
    BusCase(
      "A gateway's message that no queue takes, or that is too large, fails alone"
    ) { buses in
      let gateway = try buses.gateway(Wakeup())
      defer { gateway.close() }
      try buses.remove(.events(1))
      try buses.remove(.gatewayQueries)
      try gateway.send([
        buses.outgoing(1, .events(buses.slot(1)), [1]),
        buses.outgoing(2, .events(buses.slot(0)), Array(repeating: 0, count: 200_000)),
        buses.outgoing(3, .gatewayQueries, [3]), buses.outgoing(4, .events(buses.slot(0)), [4]),
      ])
      let fates = try buses.receive(4, gateway)
      expectNoDifference(
        Set(fates.map(\.short)), ["1 unroutable", "2 refused", "3 unroutable", "4 confirmed"])
    },
    BusCase(
      "A gateway's message to a full queue is refused, and others are not",
      limits: BusLimits(events: 1)
    ) { buses in
      let gateway = try buses.gateway(Wakeup())
      defer { gateway.close() }
      var refusal: String?
      for number in UInt64(1)...200 where refusal == nil {
        try gateway.send([buses.outgoing(number, .events(buses.slot(0)), [1])])
        let fate = try buses.receive(1, gateway).first?.short
        if fate != "\(number) confirmed" { refusal = fate }
      }
      #expect(refusal?.hasSuffix(" refused") == true)
      try gateway.send([buses.outgoing(1_000, .events(buses.slot(1)), [1])])
      #expect(try buses.receive(1, gateway) == [.confirmed(1_000)])
    },
    BusCase("The reply to a message that a gateway has forgotten is dropped") { buses in
      let (worker, gateway) = (try buses.worker(), try buses.gateway(Wakeup()))
      defer {
        worker.close()
        gateway.close()
      }
      try worker.consume([0])
      try gateway.send([
        buses.outgoing(1, .events(buses.slot(0)), [1]),
        buses.outgoing(2, .events(buses.slot(0)), [2]),
      ])
      let deliveries = try buses.receive(2, worker)
      #expect(try buses.receive(2, gateway).count == 2)
      gateway.forget([1, 77])
      try worker.publish(deliveries.map { $0.reply([9]) })
      #expect(try buses.receive(1, gateway) == [.reply(2, [9])])
      #expect(try gateway.receive(.milliseconds(100)) == [])
    },
    BusCase("A wake ends a gateway's wait") { buses in
      let wakeup = try Wakeup()
      let gateway = try buses.gateway(wakeup)
      defer { gateway.close() }
      for _ in 0..<2 {
        let began = ContinuousClock.now
        wakeup.wake()
        #expect(try gateway.receive(.seconds(60)) == [])
        #expect(ContinuousClock.now - began < .seconds(120))
      }
    },
    BusCase("A gateway's question goes to one reader, and to the next one if that one dies") {
      buses in
      let gateway = try buses.gateway(Wakeup())
      let first = try buses.reader()
      defer { gateway.close() }
      try gateway.send([
        buses.outgoing(1, .gatewayQueries, [5]), buses.outgoing(2, .queries, [6]),
      ])
      // The broker gives a connection up that is silent for long.
      var replies: [GatewayBus.Incoming] = []
      func listen(_ wait: Duration) throws -> [GatewayBus.Incoming] {
        try gateway.receive(wait).filter { if case .confirmed = $0 { false } else { true } }
      }
      #expect(try buses.receive(2, first).count == 2)
      first.close()
      replies += try listen(.zero)
      let second = try buses.reader()
      defer { second.close() }
      replies += try listen(.zero)
      for incoming in try buses.receive(2, second) {
        switch incoming {
        case .gatewayQuery(let body, let replyTo?, let id?, _):
          #expect(body == [5])
          try second.answer([.init(replyTo: replyTo, correlationID: id, body: [50])])
        case .query(let body, let replyTo?, let id?, _):
          #expect(body == [6])
          try second.answer([.init(replyTo: replyTo, correlationID: id, body: [60])])
        default: Issue.record("\(incoming) came")
        }
      }
      _ = try buses.collect(2) {
        let fates = try listen(.milliseconds(100))
        replies += fates
        return fates
      }
      expectNoDifference(Set(replies), [.reply(1, [50]), .reply(2, [60])])
      #expect(try second.receive(1, .milliseconds(100)) == [])
    },
    BusCase("A gateway's questions that nobody answers expire") { buses in
      let gateway = try buses.gateway(Wakeup())
      defer { gateway.close() }
      try gateway.send([
        buses.outgoing(1, .gatewayQueries, [5], life: .milliseconds(100)),
        buses.outgoing(2, .queries, [6], life: .milliseconds(100)),
      ])
      #expect(try buses.receive(2, gateway).count == 2)
      for _ in 0..<5 { buses.tick() }
      let reader = try buses.reader()
      defer { reader.close() }
      #expect(try reader.receive(2, .milliseconds(200)) == [])
    },
    BusCase("Notices of workers and push workers reach every listener and reader that is there") {
      buses in
      let (worker, push) = (try buses.worker(), try buses.push())
      let (first, second) = (try buses.notices(), try buses.notices())
      let reader = try buses.reader()
      defer {
        worker.close()
        push.close()
        first.close()
        second.close()
        reader.close()
      }
      try worker.publish([
        .outcome(routingKey: "other", body: [0]),
        .outcome(routingKey: Names.changedMatches, body: [1]),
      ])
      for listener in [first, second] { #expect(try buses.receive(1, listener) == [[1]]) }
      try push.announce([2])
      for listener in [first, second] { #expect(try buses.receive(1, listener) == [[2]]) }
      expectNoDifference(
        try buses.receive(3, reader),
        [
          .outcome(routingKey: "other", body: [0]),
          .outcome(routingKey: Names.changedMatches, body: [1]),
          .outcome(routingKey: Names.changedMatches, body: [2]),
        ])
      let third = try buses.notices()
      defer { third.close() }
      try push.announce([3])
      for listener in [first, second, third] { #expect(try buses.receive(1, listener) == [[3]]) }
    },
    // Failure: GatewayBus.send: The gateway makes a new bus. A message that nobody has fails alone,
    //   by name.
    // Failure: GatewayBus.receive: The gateway makes a new bus.
    // Failure: NoticeBus.receive: The gateway makes a new bus and asks for overviews.
    BusCase("A gateway is told that its connections broke") { buses in
      let (gateway, notices) = (try buses.gateway(Wakeup()), try buses.notices())
      defer {
        gateway.close()
        notices.close()
      }
      try gateway.send([buses.outgoing(1, .events(buses.slot(0)), [1])])
      #expect(try buses.receive(1, gateway) == [.confirmed(1)])
      try buses.cut()
      #expect(try busError { _ = try gateway.receive(.seconds(120)) }.kind == "disconnected")
      #expect(
        try busError {
          try gateway.send([buses.outgoing(2, .events(buses.slot(0)), [1])])
        }.kind == "disconnected")
      #expect(try busError { _ = try notices.receive(1, .seconds(120)) }.kind == "disconnected")
      let (next, listener) = (try buses.gateway(Wakeup()), try buses.notices())
      defer {
        next.close()
        listener.close()
      }
      try next.send([buses.outgoing(1, .events(buses.slot(0)), [2])])
      #expect(try buses.receive(1, next) == [.confirmed(1)])
    },
    BusCase("The marks of a request arrive with an event, a query and a gateway's question") {
      buses in
      let (worker, reader) = (try buses.worker(), try buses.reader())
      let gateway = try buses.gateway(Wakeup())
      defer {
        worker.close()
        reader.close()
        gateway.close()
      }
      try worker.consume([0])
      let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
      let traces = [
        RequestTrace(requestID: "a-1", parent: parent), RequestTrace(requestID: "b.2", parent: nil),
        nil,
      ]
      for (index, trace) in traces.enumerated() {
        let number = UInt64(index)
        try gateway.send([
          buses.outgoing(number, .events(buses.slot(0)), [], trace),
          buses.outgoing(10 + number, .queries, [], trace),
          buses.outgoing(20 + number, .gatewayQueries, [], trace),
        ])
      }
      expectNoDifference(try buses.receive(3, worker).map(\.trace), traces)
      var (queries, questions): ([RequestTrace?], [RequestTrace?]) = ([], [])
      for incoming in try buses.receive(6, reader) {
        switch incoming {
        case .query(_, _, _, let trace): queries.append(trace)
        case .gatewayQuery(_, _, _, let trace): questions.append(trace)
        case .outcome: break
        }
      }
      expectNoDifference(queries, traces)
      expectNoDifference(questions, traces)
    },
    BusCase("Marks of another form are none") { buses in
      let long = String(repeating: "x", count: 65)
      let odd: [[PublisherProperties.Header]] = [
        [.mark(.number(7))], [.mark(.text(""))], [.mark(.text("a b"))], [.mark(.text("é"))],
        [.mark(.text(long))], [.mark(.number(7)), .mark(.text("a"))],
        [.init(name: RequestTrace.parentHeader, value: .text("00"))],
      ]
      for headers in odd {
        try buses.send(buses.event([]), PublisherProperties(headers: headers))
      }
      let parents = ["", "00-0-0-00", long, "00-\(String(repeating: "0", count: 32))-1-01"]
      for parent in parents {
        try buses.send(
          buses.event([]),
          PublisherProperties(headers: [
            .mark(.text("a")), .init(name: RequestTrace.parentHeader, value: .text(parent)),
            .mark(.text("b")),
          ]))
      }
      let worker = try buses.worker()
      defer { worker.close() }
      try worker.consume([0])
      expectNoDifference(
        try buses.receive(odd.count + parents.count, worker).map(\.trace),
        odd.map { _ in nil } + parents.map { _ in RequestTrace(requestID: "a", parent: nil) })
    },
  ]
}

extension BusSet {
  fileprivate func outgoing(
    _ number: UInt64, _ destination: GatewayBus.Outgoing.Destination, _ body: [UInt8],
    _ trace: RequestTrace? = nil, life: Duration = .seconds(30)
  ) -> GatewayBus.Outgoing {
    GatewayBus.Outgoing(
      number: number, destination: destination, body: body, trace: trace, life: life)
  }
}

extension EventDelivery {
  fileprivate func reply(_ body: [UInt8]) -> WorkerBus.Outgoing {
    .reply(to: replyTo ?? "", correlationID: correlationID ?? "", body: body)
  }
}

extension GatewayBus.Incoming {
  /// The number and the kind of fate.
  fileprivate var short: String {
    switch self {
    case .confirmed(let number): "\(number) confirmed"
    case .reply(let number, _): "\(number) reply"
    case .failed(let number, let error): "\(number) \(error.kind)"
    }
  }
}

extension PublisherProperties.Header {
  fileprivate static func mark(_ value: PublisherProperties.Value) -> Self {
    Self(name: RequestTrace.requestIDHeader, value: value)
  }
}
