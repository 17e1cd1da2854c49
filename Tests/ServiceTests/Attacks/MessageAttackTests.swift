import Chaos
import EventBusLive
import Foundation
import LibRabbitMQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import RealServers
import TestedService
import Testing

@Suite("Strangers' messages, through broker and database", .serialized, .sharedService())
struct MessageAttackTests {
  private static let solo = Event.Action.matchRequested(
    MatchRequest(opponent: .nobody, turnLimitSeconds: nil))

  @Test("A reply-to that names a queue, or nobody's address, is answered nowhere")
  func replyTo() async throws {
    try await ServiceLab.shared { lab in
      let ann = try lab.player("Ann")
      let intruder = try Intruder(in: lab)
      let asked = Query(
        service: lab.identity.service, id: EventID(at: WallClock.live.now(), random: 1),
        player: ann.id, kind: .whoAmI)
      let query = Envelope.encode(ann.key.signer.sign(asked))
      // Some addresses that a worker may write to, and some that it may not.
      let connection = try RabbitMQConnection(RabbitMQSettings(url: lab.host.url))
      defer { connection.close() }
      let mine = try connection.declareQueue("").name
      let targets = [
        mine, "amq.gen-JzTY20BRgKO-HjmUJj0wLg", "cubist.jobs", "cubist.jobs.retry.60",
        "cubist.queries",
        "cubist.slots.00", "amq.rabbitmq.reply-to.g1h2AA5yZXBseUAxMjM0NTY3OAAA.AAAAAAAAAAAAAA==",
        "amq.rabbitmq.reply-to.", "", "*", "#",
      ]
      var sent: [LabPlayer.Sent] = []
      for target in targets {
        let event = try ann.sign(Self.solo)
        sent.append(event)
        try intruder.publish(event.envelope, to: event.slot, replyTo: target)
        try intruder.publish(query, replyTo: target)
      }
      // Events with a wrong reply address are handled, and their sender hears nothing of it.
      for event in sent {
        try waitUntil("the event is handled") { try lab.replies()[event.key] != nil }
      }
      // Answered after all the queries before it.
      guard case .ok = try intruder.query(query) else {
        Issue.record("the reader does not answer")
        return
      }
      #expect(try lab.matches(of: ann.id).count == targets.count)
      // The first push queue's consumer would have taken a foreign message: none came.
      _ = try lab.jobs()
      for queue in [mine, "cubist.jobs.retry.60", "cubist.jobs", "cubist.queries"] {
        #expect(try connection.inspectQueue(queue).messageCount == 0, "\(queue)")
      }
      #expect(lab.pushes.taken.filter { $0.player == ann.id } == [])
      #expect(try lab.deadEventCount() == 0)
    }
  }

  @Test("CC and BCC reach no other queue than slots do, and make nothing twice")
  func carbonCopies() async throws {
    try await ServiceLab.shared { lab in
      let ann = try lab.player("Ann")
      let connection = try RabbitMQConnection(RabbitMQSettings(url: lab.host.url))
      defer { connection.close() }
      let copies = Argument.array(
        ["cubist.jobs.retry.1", "cubist.jobs", "cubist.queries", "cubist.slots.01", "#", "match.1"]
          + (0..<Slot.count).map { .string(String($0)) })
      for header in ["CC", "BCC"] {
        let intruder = try Intruder(in: lab)
        let before = try lab.rowCounts()
        let sent = try ann.sign(Self.solo)
        var answers = [try intruder.event(sent.envelope, to: sent.slot, headers: [header: copies])]
        // One answer from each queue: in all but one it is in the wrong slot.
        try intruder.awaitStrayReplies(lab.layout.queueCount - 1)
        #expect(intruder.strayReplyCount == lab.layout.queueCount - 1)
        answers.append(try intruder.event(sent.envelope, to: sent.slot))
        #expect(try lab.matches().filter { $0 == sent.newMatch }.count == 1)
        let after = try lab.rowCounts()
        #expect(after["matches"] == (before["matches"] ?? 0) + 1)
        #expect(after["events"] == (before["events"] ?? 0) + 1)
        #expect(answers[1].reply.ticket?.match == sent.newMatch)
      }
      for queue in ["cubist.jobs.retry.1", "cubist.jobs", "cubist.queries"] {
        #expect(try connection.inspectQueue(queue).messageCount == 0, "\(queue)")
      }
    }
  }

  @Test("A flood from one key is refused to its sender, and others are answered")
  func flood() async throws {
    try await ServiceLab.shared { lab in
      let (ann, bob) = try lab.pair()
      let match = try lab.begin(ann, bob)
      let eve = try LabPlayer("Eve", in: lab)
      // Into the queue that Ann's match is in.
      let slot = Slot(of: match)
      let queue = "cubist.slots.0\(lab.layout.queue(of: slot))"
      // A player's own events go into one queue for ever.
      var key = PlayerKey.make(using: .live)
      while lab.layout.queue(of: Slot(of: key.player)) == lab.layout.queue(of: slot) {
        key = .make(using: .live)
      }
      let dan = try LabPlayer("Dan", key: key, in: lab)
      try dan.must(.playerRegistered(name: dan.name, code: nil))
      let junk = try eve.sign(.turnPlayed(match, lab.turn(lab.match(match))))
      try lab.host.setPolicy(
        "small", pattern: "^\(queue.replacing(".", with: "[.]"))$",
        definition: ["max-length": 500, "overflow": "reject-publish"])
      defer { #expect(throws: Never.self) { try lab.host.removePolicy("small") } }
      try lab.stopWorkers()
      let before = try lab.rowCounts()
      let publisher = try Publisher<Int>(RabbitMQConnection(RabbitMQSettings(url: lab.playersURL)))
      defer { publisher.close() }
      var outcomes: [PublishOutcome] = []
      for number in 0..<3_000 {
        try publisher.publish(
          id: number, exchange: "cubist.events", routingKey: slot.routingKey,
          properties: MessageProperties(), body: junk.envelope)
        outcomes += publisher.takeResults().map(\.outcome)
      }
      try publisher.flush(timeout: waitLimit)
      outcomes += publisher.takeResults().map(\.outcome)
      // A full queue refuses further messages, and keeps the ones it has.
      let taken = outcomes.count { $0 == .confirmed }
      #expect(outcomes.count == 3_000)
      #expect((500..<3_000).contains(taken))
      #expect(outcomes.allSatisfy { $0 == .confirmed || $0 == .refused })
      // Other queues notice nothing; in the same one a turn waits for its place.
      try lab.startWorker()
      #expect(try dan.send(dan.sign(Self.solo)).refusal == nil)
      var receipt: TurnReceipt?
      try waitUntil("the queue takes Ann's turn") {
        do {
          receipt = try ann.act(.turnPlayed(match, lab.turn(lab.match(match)))).receipt
          return true
        } catch BusError.refused {
          return false
        }
      }
      #expect(receipt?.turn == 1)
      // The stranger's messages left nothing behind.
      let after = try lab.rowCounts()
      #expect(after["dead_events"] == before["dead_events"])
      #expect(after["events"] == (before["events"] ?? 0) + 2)
    }
  }
}
