import CustomDump
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

extension BusCase {
  static let publishing: [BusCase] = [
    BusCase("A worker's push jobs are confirmed once each, and delivered as they are") { buses in
      let bus = try buses.worker()
      defer { bus.close() }
      let jobs = (UInt8(1)...3).map(PushJob.numbered)
      try bus.publish(jobs.map { .push($0) })
      expectNoDifference(try buses.confirmed(3, bus).sorted(), jobs.map(\.id).sorted())
      #expect(try bus.confirmed() == [])
      let push = try buses.push()
      defer { push.close() }
      let deliveries = try buses.receive(3, push)
      expectNoDifference(deliveries.map(\.job), jobs)
      expectNoDifference(deliveries.map(\.body), jobs.map(PushJobCodec.encode))
      #expect(deliveries.allSatisfy { $0.attempts == 0 })
    },
    BusCase("A relay hears which jobs are confirmed, and a job published twice comes twice") {
      buses in
      let relay = try buses.relay()
      defer { relay.close() }
      #expect(try relay.publish([]) == [])
      let jobs = (UInt8(1)...50).map(PushJob.numbered)
      for _ in 0..<2 {
        expectNoDifference(try relay.publish(jobs).sorted(), jobs.map(\.id).sorted())
      }
      let push = try buses.push()
      defer { push.close() }
      let deliveries = try buses.receive(100, push)
      expectNoDifference(deliveries.map(\.job), jobs + jobs)
    },
    BusCase(
      "A full queue of events refuses, loses nothing, and takes again as soon as there is room",
      limits: BusLimits(events: 5)
    ) { buses in
      let scheduler = try buses.scheduler()
      defer { scheduler.close() }
      var taken: [UInt8] = []
      var refusal: BusError?
      for number in UInt8(1)...100 where refusal == nil {
        do {
          try scheduler.publish([(buses.slot(0), [number])])
          taken.append(number)
        } catch { refusal = error as? BusError }
      }
      #expect(refusal?.kind == "refused")
      #expect(taken.count >= 5)
      // The other queue has room, and a player is told the same.
      try scheduler.publish([(buses.slot(1), [1])])
      let refused = try busError { _ = try buses.ask(buses.event([0]), .seconds(120)) {} }
      #expect(refused.kind == "refused")
      let bus = try buses.worker()
      defer { bus.close() }
      try bus.consume([0])
      let deliveries = try buses.receive(taken.count, bus)
      expectNoDifference(deliveries.map { $0.body[0] }, taken)
      try bus.acknowledge(#require(deliveries.last).tag)
      _ = try buses.collect(1) {
        do {
          try scheduler.publish([(buses.slot(0), [200])])
          return [()]
        } catch BusError.refused { return [] }
      }
      #expect(try buses.receive(1, bus).map(\.body) == [[200]])
    },
    BusCase(
      "A full queue of push jobs confirms nothing that it does not hold", limits: BusLimits(push: 5)
    ) {
      buses in
      let relay = try buses.relay()
      defer { relay.close() }
      var confirmed: [PushJobID] = []
      var refused: PushJob?
      for number in UInt8(1)...100 where refused == nil {
        let job = PushJob.numbered(number)
        let answer = try relay.publish([job])
        if answer.isEmpty { refused = job } else { confirmed += answer }
      }
      #expect(confirmed.count >= 5)
      let last = try #require(refused)
      let bus = try buses.worker()
      defer { bus.close() }
      // A worker's channel may learn of the full queue by its first job only. It is told of no
      // refusal, so that each job gets the time in which one that is taken is confirmed.
      var late: [PushJobID] = []
      var refusals = 0
      for job in (UInt8(101)...120).map(PushJob.numbered) where refusals < 3 {
        try bus.publish([.push(job)])
        let answer = try buses.confirmedSoon(bus)
        refusals += answer.isEmpty ? 1 : 0
        late += answer
      }
      #expect(refusals == 3)
      let push = try buses.push()
      defer { push.close() }
      var deliveries = try buses.receive(confirmed.count + late.count, push)
      // A job whose confirmation was slower than that is there, and is confirmed.
      deliveries += try push.receive(20, .zero)
      late += try buses.confirmed(deliveries.count - confirmed.count - late.count, bus)
      expectNoDifference(deliveries.compactMap { $0.job?.id }, confirmed + late)
      #expect(try push.receive(1, .zero) == [])
      try push.acknowledge(deliveries.map(\.tag))
      #expect(try buses.collect(1) { try relay.publish([last]) } == [last.id])
    },
    BusCase(
      "The events that a worker holds take no room in its queue", limits: BusLimits(events: 5)
    ) {
      buses in
      let scheduler = try buses.scheduler()
      defer { scheduler.close() }
      let bus = try buses.worker()
      defer { bus.close() }
      try bus.consume([0])
      for number in UInt8(1)...20 {
        try scheduler.publish([(buses.slot(0), [number])])
        #expect(try buses.receive(1, bus).map(\.body) == [[number]])
      }
      // Returned to the queue, they take room, and more than the limit is there.
      bus.close()
      let next = try buses.worker()
      defer { next.close() }
      try next.consume([0])
      #expect(try buses.receive(20, next).count == 20)
    },
    BusCase("An event and a push job without their queue are unroutable") { buses in
      let (scheduler, relay) = (try buses.scheduler(), try buses.relay())
      defer { scheduler.close() }
      defer { relay.close() }
      try buses.remove(.events(0))
      let error = try busError { try scheduler.publish([(buses.slot(0), [1])]) }
      #expect(error.kind == "unroutable")
      try scheduler.publish([(buses.slot(1), [1])])
      let asked = try busError { _ = try buses.ask(buses.event([1]), .seconds(120)) {} }
      #expect(asked.kind == "unroutable")
      try buses.remove(.push)
      let pushed = try busError { _ = try relay.publish([.numbered(1)]) }
      #expect(pushed.kind == "unroutable")
      let bus = try buses.worker()
      defer { bus.close() }
      try bus.publish([.push(.numbered(2))])
      _ = try bus.receive(1, .milliseconds(200))
      buses.tick()
      #expect(try bus.confirmed() == [])
    },
    BusCase("All events of a call are tried, also behind one that is refused") { buses in
      let scheduler = try buses.scheduler()
      defer { scheduler.close() }
      try buses.remove(.events(0))
      let error = try busError {
        try scheduler.publish([(buses.slot(0), [1]), (buses.slot(1), [2])])
      }
      #expect(error.kind == "unroutable")
      let bus = try buses.worker()
      defer { bus.close() }
      try bus.consume([1])
      #expect(try buses.receive(1, bus).map(\.body) == [[2]])
    },
    BusCase("A job that is tried again comes back after its delay, with its count") { buses in
      let relay = try buses.relay()
      defer { relay.close() }
      let jobs = (UInt8(1)...2).map(PushJob.numbered)
      #expect(try relay.publish(jobs).count == 2)
      let push = try buses.push()
      defer { push.close() }
      var deliveries = try buses.receive(2, push)
      let (reached, refused) = (
        try #require(DeviceName("phone")), try #require(DeviceName("laptop"))
      )
      for attempts in 1...2 {
        let start = ContinuousClock.now
        // A copy names the devices of all attempts.
        try push.retry(
          deliveries.map {
            .init(
              $0, after: .oneSecond, reached: attempts == 1 ? [reached] : [],
              refused: attempts == 2 ? [refused] : [])
          })
        let early = try push.receive(2, .zero)
        // On a slow machine the second may be over.
        if ContinuousClock.now - start < .seconds(1) { #expect(early == []) }
        deliveries = try early + buses.receive(2 - early.count, push)
        expectNoDifference(deliveries.map(\.job), jobs)
        expectNoDifference(deliveries.map(\.attempts), [attempts, attempts])
        #expect(deliveries.allSatisfy { $0.reached == [reached] })
        #expect(deliveries.allSatisfy { $0.refused == (attempts == 2 ? [refused] : []) })
        expectNoDifference(deliveries.map(\.body), jobs.map(PushJobCodec.encode))
      }
      try push.acknowledge(deliveries.map(\.tag))
      push.close()
      let next = try buses.push()
      defer { next.close() }
      #expect(try next.receive(1, .milliseconds(100)) == [])
    },
    BusCase("A copy keeps the time of its job's publication, and a doubt once there is one") {
      buses in
      let relay = try buses.relay()
      defer { relay.close() }
      #expect(try relay.publish([.numbered(1)]).count == 1)
      let push = try buses.push()
      var deliveries = try buses.receive(1, push)
      let publishedAt = try #require(deliveries.first?.publishedAt)
      for (isAlone, isInDoubt) in [(false, false), (true, true), (false, true)] {
        try push.retry(deliveries.map { .init($0, after: .oneSecond, isInDoubt: isAlone) })
        deliveries = try buses.receive(1, push)
        #expect(deliveries.map(\.publishedAt) == [publishedAt])
        #expect(deliveries.map(\.isInDoubt) == [isInDoubt])
      }
      try push.acknowledge(deliveries.map(\.tag))
      // A delivery that the broker repeats may have ended its worker.
      #expect(try relay.publish([.numbered(2)]).count == 1)
      #expect(try buses.receive(1, push).map(\.deliveryCount) == [1])
      push.close()
      let second = try buses.push()
      defer { second.close() }
      try second.retry(buses.receive(1, second).map { .init($0, after: .oneSecond) })
      #expect(try buses.receive(1, second).map(\.isInDoubt) == [true])
    },
    BusCase("Jobs that were not acknowledged come again in order, as often tried as before") {
      buses in
      let relay = try buses.relay()
      defer { relay.close() }
      let jobs = (UInt8(1)...4).map(PushJob.numbered)
      for job in jobs { #expect(try relay.publish([job]).count == 1) }
      let first = try buses.push()
      let given = try buses.receive(4, first)
      try first.acknowledge([given[1].tag])
      first.close()
      let second = try buses.push()
      defer { second.close() }
      let again = try buses.receive(3, second)
      expectNoDifference(again.map(\.job), [jobs[0], jobs[2], jobs[3]])
      #expect(again.allSatisfy { $0.attempts == 0 })
    },
    BusCase("Jobs that were owed together are delivered and tried again each by itself") {
      buses in
      let relay = try buses.relay()
      defer { relay.close() }
      let jobs = (UInt8(1)...5).map(PushJob.numbered)
      #expect(try relay.publish(jobs).count == 5)
      let push = try buses.push()
      defer { push.close() }
      // Not more than is asked for, although they may have come as one.
      let first = try buses.receive(2, push)
      let given = try first + buses.receive(3, push)
      expectNoDifference(given.map(\.job), jobs)
      expectNoDifference(given.map(\.body), jobs.map(PushJobCodec.encode))
      #expect(Set(given.map(\.tag)).count == 5)
      try push.acknowledge([given[0].tag])
      try push.retry([.init(given[1], after: .oneSecond)])
      try push.acknowledge([given[4].tag, given[2].tag, given[3].tag])
      let again = try buses.receive(1, push)
      expectNoDifference(again.map(\.job), [jobs[1]])
      expectNoDifference(again.map(\.attempts), [1])
      try push.acknowledge(again.map(\.tag))
      push.close()
      let next = try buses.push()
      defer { next.close() }
      #expect(try next.receive(1, .milliseconds(100)) == [])
    },
    BusCase(
      "None of the jobs that were owed together is lost while one is not acknowledged"
    ) { buses in
      let relay = try buses.relay()
      defer { relay.close() }
      let jobs = (UInt8(1)...40).map(PushJob.numbered)
      #expect(try relay.publish(jobs).count == 40)
      let first = try buses.push()
      let given = try buses.receive(40, first)
      let open = 24
      try first.acknowledge(given.map(\.tag).enumerated().filter { $0.0 != open }.map(\.1))
      first.close()
      let second = try buses.push()
      defer { second.close() }
      let again = try buses.collect(40) { try second.receive(40, .milliseconds(100)) }
      #expect(again.map(\.job).contains(jobs[open]))
      // The jobs that shared its message come with it, and no others.
      #expect(again.count <= PushJobMessage.jobLimit)
      expectNoDifference(
        again.compactMap(\.job), jobs.filter { again.map(\.job).contains($0) })
    },
    BusCase("A queue keeps a push job that comes back any number of times, and counts") { buses in
      try buses.putPush([5])
      for count in 1...23 {
        let push = try buses.push()
        #expect(try buses.receive(1, push).map(\.deliveryCount) == [count])
        push.close()
      }
    },
    BusCase(
      "A message that is no push job is delivered as none, and can be acknowledged"
    ) { buses in
      for body: [UInt8] in [[0xff], [], Array("{}".utf8)] { try buses.putPush(body) }
      let push = try buses.push()
      defer { push.close() }
      let deliveries = try buses.receive(3, push)
      expectNoDifference(deliveries.map(\.body), [[0xff], [], Array("{}".utf8)])
      #expect(deliveries.allSatisfy { $0.job == nil && $0.attempts == 0 })
      try push.acknowledge(deliveries.map(\.tag))
    },
  ]
}
