import Chaos
import LibRabbitMQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import RealServers
import TestedService
import Testing

@Suite("Properties beside senders' messages", .serialized)
struct PropertyAttackTests {
  private static let solo = Event.Action.matchRequested(
    MatchRequest(opponent: .nobody, turnLimitSeconds: nil))

  @Test("A count of deliveries that a sender makes up ends no process and buries nothing")
  func counts() async throws { try await expectHarmless(ForgedProperty.counts) }

  @Test(
    "No property or header changes an event's fate, but for an expiry and a priority above 4")
  func others() async throws { try await expectHarmless(ForgedProperty.others) }

  /// Sends a valid event and a valid query with each property: the roles run on in their processes,
  /// and every event is handled once and on its first delivery.
  private func expectHarmless(_ forgeries: [ForgedProperty]) async throws {
    var options = ServiceLab.Options(workers: 0)
    options.roles = [.relay, .push]
    try await ServiceLab.run(options) { lab in
      let processes = try RoleProcesses(of: lab)
      defer { processes.end() }
      let roles = try [processes.start("worker"), processes.start("reader")]
      let ann = try lab.player("Ann")
      let names = Names()
      var publisher = try RawPublisher(url: lab.playersURL)
      var handled: [(key: EventKey, forgery: ForgedProperty)] = []
      var unhandled: [EventKey] = []
      for forgery in forgeries {
        let sent = try ann.sign(Self.solo)
        let word = try publisher.publish(
          exchange: names.events, routingKey: sent.slot.routingKey, forgery.properties,
          body: sent.envelope)
        let fate = try forgery.expectedFate()
        if case .refused(let code) = fate {
          #expect(word == .closed(code: code), "\(forgery)")
          publisher = try RawPublisher(url: lab.playersURL)
          unhandled.append(sent.key)
          continue
        }
        #expect(
          word == .confirmed || forgery.isReply(word) || forgery.isRefusal(word), "\(forgery)")
        switch fate {
        case .answered:
          let reply = forgery.isReply(word) ? word : try publisher.next(within: 120)
          #expect(reply.map(forgery.isReply) == true, "\(forgery): \(reply as Any)")
          handled.append((sent.key, forgery))
        case .unjudged:
          let reply = forgery.isRefusal(word) ? word : try publisher.next(within: 120)
          #expect(reply.map(forgery.isRefusal) == true, "\(forgery): \(reply as Any)")
          unhandled.append(sent.key)
        // A waiting consumer may get it all the same.
        case .expired: break
        default: handled.append((sent.key, forgery))
        }
        // The reader hears the same.
        _ = try publisher.publish(
          exchange: names.queries, routingKey: names.queries, forgery.properties,
          body: Self.query(ann, lab))
        publisher = try RawPublisher(url: lab.playersURL)
      }
      // Behind all the others in its queue.
      try ann.must(Self.solo)
      let intruder = try Intruder(in: lab)
      guard case .ok = try intruder.query(Self.query(ann, lab)) else {
        Issue.record("the reader does not answer")
        return
      }
      #expect(roles.map(\.isRunning) == [true, true])
      #expect(roles.allSatisfy { !$0.logText.contains("role interrupted") })
      let replies = try lab.replies()
      for (key, forgery) in handled {
        #expect(replies[key] != nil, "\(forgery)")
      }
      #expect(unhandled.allSatisfy { replies[$0] == nil })
      #expect(try lab.deadEventCount() == 0)
      #expect(try lab.violations() == [])
    }
  }

  private static func query(_ asker: LabPlayer, _ lab: ServiceLab) -> [UInt8] {
    let asked = Query(
      service: lab.identity.service,
      id: EventID(at: WallClock.live.now(), random: Randomness.live.next128()), player: asker.id,
      kind: .whoAmI)
    return Envelope.encode(asker.key.signer.sign(asked))
  }
}

extension ForgedProperty {
  /// The fate at the broker of the tests.
  fileprivate func expectedFate() throws -> Fate {
    guard case .refusedBelow(let version, let code) = fate else { return fate }
    return try LabBroker.isBelow(version) ? .refused(code) : .answered
  }

  /// Whether a word is the acceptance of the event, under the name that its sender gave it.
  fileprivate func isReply(_ word: RawPublisher.Word) -> Bool {
    guard case .accepted? = reply(word) else { return false }
    return true
  }

  /// Whether a word is the refusal of the event for its priority.
  fileprivate func isRefusal(_ word: RawPublisher.Word) -> Bool {
    guard case .unjudged = fate, case .refused("malformed", _, .malformed(let text)?) = reply(word)
    else { return false }
    return text.contains("priority \(properties.priority ?? 0)")
  }

  /// The service's reply, under the name that the sender gave it.
  private func reply(_ word: RawPublisher.Word) -> ReceivedReply? {
    guard case .reply(let id, let body) = word else { return nil }
    let name = properties.texts[.correlationID] ?? []
    guard id == Array(String(decoding: name, as: UTF8.self).utf8) else { return nil }
    return try? ReplyCodec.decode(body).reply
  }
}
