import CustomDump
import MatchCore
import MatchInterfaces
import Testing

extension BusCase {
  static let asking: [BusCase] = [
    BusCase("A reply reaches the asker, and nobody else") { buses in
      let bus = try buses.worker()
      defer { bus.close() }
      try bus.consume([0])
      let answer = try buses.ask(buses.event([7, 8]), .seconds(120)) {
        let delivery = try #require(try buses.receive(1, bus).first)
        let (replyTo, id) = (
          try #require(delivery.replyTo), try #require(delivery.correlationID)
        )
        #expect(replyTo.hasPrefix("amq.rabbitmq.reply-to."))
        try bus.publish([
          .reply(to: "cubist.queries", correlationID: id, body: [1]),
          .reply(to: "amq.rabbitmq.reply-to", correlationID: id, body: [2]),
          .reply(to: "amq.rabbitmq.reply-to.forged", correlationID: id, body: [3]),
          .reply(to: replyTo, correlationID: "another", body: [4]),
          .reply(to: replyTo, correlationID: id, body: delivery.body.reversed()),
        ])
        try bus.acknowledge(delivery.tag)
      }
      #expect(answer == .reply([8, 7]))
      let reader = try buses.reader()
      defer { reader.close() }
      #expect(try reader.receive(1, .milliseconds(100)) == [])
    },
    BusCase("Replies to impossible addresses end no connection that anybody needs") { buses in
      let bus = try buses.worker()
      defer { bus.close() }
      try bus.consume([0])
      let jobs = (UInt8(1)...10).map(PushJob.numbered)
      for job in jobs {
        let body = [UInt8(job.turn ?? 0)]
        let answer = try buses.ask(buses.event(body), .seconds(120)) {
          let delivery = try #require(try buses.receive(1, bus).first)
          #expect(delivery.body == body && delivery.deliveryCount == 1)
          let id = delivery.correlationID ?? ""
          // Somebody was answered before.
          let madeUp =
            job == jobs[0]
            ? []
            : ["made.up", "g1h2.AAAA", "", "."].map {
              WorkerBus.Outgoing.reply(
                to: "amq.rabbitmq.reply-to.\($0)", correlationID: id, body: [1])
            }
          let reply = WorkerBus.Outgoing.reply(
            to: try #require(delivery.replyTo), correlationID: id, body: body)
          try bus.publish(madeUp + [reply] + madeUp + [.push(job)])
          try bus.acknowledge(delivery.tag)
        }
        #expect(answer == .reply(body))
      }
      expectNoDifference(try buses.confirmed(10, bus).sorted(), jobs.map(\.id).sorted())
    },
    BusCase(
      "An event that nobody handles is confirmed, and a reply to a client that is gone is lost"
    ) {
      buses in
      #expect(try buses.confirms(buses.event([1])))
      let bus = try buses.worker()
      defer { bus.close() }
      try bus.consume([0])
      let delivery = try #require(try buses.receive(1, bus).first)
      let late = WorkerBus.Outgoing.reply(
        to: try #require(delivery.replyTo), correlationID: delivery.correlationID ?? "",
        body: [2])
      // The job is confirmed after everything that went before it.
      try bus.publish([late, .push(.numbered(1))])
      #expect(try buses.confirmed(1, bus).count == 1)
      try bus.acknowledge(delivery.tag)
    },
    BusCase("A message beyond the broker's limit is refused") { buses in
      let body = [UInt8](repeating: 0, count: 200_000)
      let error = try busError { _ = try buses.ask(buses.event(body), .seconds(120)) {} }
      #expect(error.kind == "refused")
    },
    BusCase("An outcome reaches every reader that is there, and none that comes later") { buses in
      let worker = try buses.worker()
      defer { worker.close() }
      let (first, second) = (try buses.reader(), try buses.reader())
      defer { first.close() }
      defer { second.close() }
      try worker.publish([
        .outcome(routingKey: "match.17", body: [1, 2]), .outcome(routingKey: "player.4", body: []),
      ])
      let expected: [ReaderBus.Incoming] = [
        .outcome(routingKey: "match.17", body: [1, 2]), .outcome(routingKey: "player.4", body: []),
      ]
      for reader in [first, second] {
        expectNoDifference(try buses.receive(2, reader), expected)
      }
      let third = try buses.reader()
      defer { third.close() }
      try worker.publish([.outcome(routingKey: "match.18", body: [])])
      for reader in [first, second, third] {
        #expect(
          try buses.receive(1, reader) == [.outcome(routingKey: "match.18", body: [])])
      }
    },
    BusCase("A query goes to one reader, and its answer reaches the asker") { buses in
      let (first, second) = (try buses.reader(), try buses.reader())
      defer { first.close() }
      defer { second.close() }
      let query = PlayerMessage(destination: .queries, body: [5])
      let answer = try buses.ask(query, .seconds(120)) {
        var heard: [(ReaderBus, ReaderBus.Incoming)] = []
        heard = try buses.collect(1) {
          try [first, second].flatMap { reader in
            try reader.receive(1, .milliseconds(50)).map { (reader, $0) }
          }
        }
        guard let (reader, incoming) = heard.first,
          case .query([5], let replyTo?, let correlationID?, _) = incoming
        else {
          Issue.record("no query came")
          return
        }
        #expect(heard.count == 1)
        try reader.answer([
          .init(replyTo: "cubist.jobs", correlationID: correlationID, body: [6]),
          .init(replyTo: replyTo, correlationID: correlationID, body: [7]),
        ])
      }
      #expect(answer == .reply([7]))
      for reader in [first, second] { #expect(try reader.receive(1, .zero) == []) }
    },
    BusCase("A query that a reader took and did not live to answer goes to the next one") {
      buses in
      let first = try buses.reader()
      var second: ReaderBus?
      let answer = try buses.ask(PlayerMessage(destination: .queries, body: [5]), .seconds(120)) {
        #expect(try buses.receive(1, first).count == 1)
        first.close()
        let next = try buses.reader()
        second = next
        guard case .query([5], let replyTo?, let id?, _) = try buses.receive(1, next).first else {
          Issue.record("no query came")
          return
        }
        try next.answer([.init(replyTo: replyTo, correlationID: id, body: [6])])
      }
      #expect(answer == .reply([6]))
      second?.close()
    },
    BusCase("The scheduler's query reaches every reader past players' queries, and is answered") {
      buses in
      let (first, second) = (try buses.reader(), try buses.reader())
      defer { first.close() }
      for number in UInt8(1)...20 {
        try buses.send(
          PlayerMessage(destination: .queries, body: [number]), PublisherProperties())
      }
      // One in hand, and more that have arrived behind it.
      let begun = try buses.receive(1, first)
      let scheduler = try buses.scheduler()
      defer { scheduler.close() }
      try scheduler.ask([77])
      for (number, reader) in [first, second].enumerated() {
        guard
          case .query([77], let replyTo?, let id?, _) = try buses.collect(
            1, reader.ownQueries.callAsFunction
          ).first
        else {
          Issue.record("no query came")
          return
        }
        try reader.answer([.init(replyTo: replyTo, correlationID: id, body: [UInt8(number)])])
      }
      #expect(
        try buses.collect(2, scheduler.answers.callAsFunction).sorted { $0[0] < $1[0] } == [
          [0], [1],
        ])
      #expect(scheduler.answers() == [] && first.ownQueries() == [])
      // The scheduler's query also comes first to a reader that asks for more, and no other query
      // is lost.
      try scheduler.ask([78])
      second.close()
      var bodies: [[UInt8]] = []
      for case .query(let body, _, _, _) in begun + (try buses.receive(20, first)) {
        bodies.append(body)
      }
      bodies += try buses.collect(21 - bodies.count) {
        try first.receive(30, .milliseconds(100)).compactMap {
          if case .query(let body, _, _, _) = $0 { body } else { nil }
        }
      }
      expectNoDifference(Set(bodies), Set((UInt8(1)...20).map { [$0] } + [[78]]))
    },
    BusCase("The scheduler asks again after a break") { buses in
      let scheduler = try buses.scheduler()
      defer { scheduler.close() }
      try scheduler.ask([1])
      try buses.cut()
      #expect(scheduler.answers() == [])
      let reader = try buses.reader()
      defer { reader.close() }
      let heard = try buses.collect(1) { () -> [ReaderBus.Incoming] in
        do { try scheduler.ask([2]) } catch BusError.disconnected { return [] }
        buses.tick()
        return reader.ownQueries()
      }
      guard case .query([2], let replyTo?, let id?, _) = heard.first else {
        Issue.record("no query came")
        return
      }
      try reader.answer([.init(replyTo: replyTo, correlationID: id, body: [3])])
      #expect(try buses.collect(1, scheduler.answers.callAsFunction).first == [3])
    },
    BusCase("A query that nobody waits for any more expires") { buses in
      let query = PlayerMessage(destination: .queries, body: [1])
      #expect(try buses.confirms(query))
      // Time enough for it to be gone.
      for _ in 0..<3 { buses.tick() }
      let reader = try buses.reader()
      defer { reader.close() }
      #expect(try reader.receive(1, .milliseconds(200)) == [])
    },
  ]
}
