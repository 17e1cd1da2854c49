import EventBusLive
import EventExamples
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import TestedService
import Testing

@Suite("Crowding, asking and guessing harm nobody, through broker and database", .serialized)
struct ReadingAttackTests {
  private static func invite(_ player: LabPlayer, limit: Int) -> Event.Action {
    .matchRequested(
      MatchRequest(opponent: .player(player.id), turnLimitSeconds: Int64(limit)))
  }

  @Test(
    "500 invitations from 25 accounts: a player still sees the running match and the newest invitation"
  )
  func invitations() async throws {
    try await ServiceLab.run { lab in
      let (ann, bob) = try lab.pair()
      let crowd = try (0..<25).map { try lab.player("crowd-\($0)") }
      for player in crowd {
        try lab.publish(
          (0..<20).map { number in
            let sent = try player.sign(Self.invite(ann, limit: 100 + number))
            return (sent.slot, sent.envelope)
          })
      }
      // These events came to the queue after the invitations. Their replies show that it is done.
      for player in crowd { try player.must(.playerUnblocked(ann.id)) }
      let running = try lab.begin(bob, ann)
      let newest = try #require(try bob.act(Self.invite(ann, limit: 99)).ticket).match
      let home = try ann.client(in: lab).home()
      #expect(home.matches.map(\.id) == [running])
      #expect(home.invitations.first?.id == newest)
      #expect(home.invitations.count == 50)
      #expect(home.moreInvitations == 451)
    }
  }

  @Test("Strangers at the same moment, through two workers, invite no more often than may be")
  func invitationLimits() async throws {
    var options = ServiceLab.Options(workers: 2)
    options.limits.invitations = 6
    options.limits.strangerInvitations = 4
    try await ServiceLab.run(options) { lab in
      let (ann, bob) = try lab.pair()
      let running = try lab.begin(ann, bob)
      let crowd = try (0..<8).map { try lab.player("crowd-\($0)") }
      let sent = try crowd.map { try $0.sign(Self.invite(ann, limit: 60)) }
      try lab.publish(sent.map { ($0.slot, $0.envelope) })
      // Sent again, each gets the same reply.
      let refusals = try zip(crowd, sent).compactMap { try $0.send($1).refusal }
      let full = Refusal.playerUnavailable(ann.id)
      #expect(refusals == Array(repeating: full, count: 4))
      // Bob, whom she has met, has room left, until there is none at all.
      let more = try (0..<3).map { try bob.act(Self.invite(ann, limit: 70 + $0)).refusal }
      #expect(more == [nil, nil, full])
      let home = try ann.client(in: lab).home()
      #expect(home.matches.map(\.id) == [running])
      #expect(home.invitations.count == 6)
      #expect(try lab.violations() == [])
    }
  }

  @Test(
    "Only so many register in an hour; the next one is told when, and registered players play on")
  func registrations() async throws {
    var options = ServiceLab.Options()
    options.limits.registrationsPerHour = 2
    try await ServiceLab.run(options) { lab in
      let (ann, bob) = try lab.pair()
      let third = try LabPlayer("Third", in: lab)
      let event = try third.sign(.playerRegistered(name: third.name, code: nil))
      for _ in 0..<2 {
        guard
          case .rateLimited(.registrationsPerHour, let seconds?)? = try third.send(event).refusal
        else {
          Issue.record("not limited")
          return
        }
        #expect((1...3_600).contains(seconds))
      }
      _ = try lab.begin(ann, bob)
      #expect(try lab.violations() == [])
    }
  }

  @Test("A player asking without end is told when to go on, and others are answered")
  func queries() async throws {
    var options = ServiceLab.Options()
    options.limits.queriesPerMinute = 20
    try await ServiceLab.run(options) { lab in
      let (ann, bob) = try lab.pair()
      let client = try ann.client(in: lab)
      _ = try client.review()
      _ = try client.review()
      let error = #expect(throws: ClientError.self) { _ = try client.review() }
      guard case .queryRefused("rateLimited", _, .rateLimited(let seconds)?)? = error else {
        Issue.record("not limited: \(String(describing: error))")
        return
      }
      #expect((6...60).contains(seconds))
      _ = try bob.client(in: lab).review()
      #expect(try client.serviceInfo().limits.queriesPerMinute == 20)
    }
  }

  @Test("A stranger cannot tell a match of others from none")
  func guesses() async throws {
    try await ServiceLab.run { lab in
      let (ann, bob) = try lab.pair()
      let eve = try lab.player("Eve")
      let running = try lab.begin(ann, bob)
      let waiting = try #require(try ann.act(Self.invite(bob, limit: 60)).ticket).match
      let open = try #require(
        try ann.act(.matchRequested(MatchRequest(opponent: .open, turnLimitSeconds: 60))).ticket
      ).match
      let over = try lab.begin(bob, ann)
      try ann.must(.matchForfeited(over))
      let none = MatchID(rawValue: running.rawValue ^ 1)
      let turn = try lab.turn(lab.match(running))
      let code = ShareCode("ABCD1234")
      func refusals(_ id: MatchID) throws -> [String] {
        let withCode = Event.Action.invitationAccepted(id, code: code)
        return try (Event.Action.ofPlayers(about: id, turn: turn) + [withCode]).map { action in
          guard case .refused(let name, let message, _) = try eve.act(action) else {
            return "accepted"
          }
          return "\(name): \(message)"
        }
      }
      let client = try eve.client(in: lab)
      func answers(_ id: MatchID) -> [String] {
        func told<Value>(_ ask: () throws(ClientError) -> Value) -> String {
          do throws(ClientError) {
            _ = try ask()
            return "answered"
          } catch {
            return "\(error)"
          }
        }
        return [
          told { () throws(ClientError) in try client.match(id) },
          told { () throws(ClientError) in try client.match(id, newerThan: 0) },
          told { () throws(ClientError) in try client.record(of: id) },
        ]
      }
      let (expectedRefusals, expectedAnswers) = (try refusals(none), answers(none))
      for id in [running, waiting, open, over, MatchID(successorOf: over)] {
        #expect(try refusals(id) == expectedRefusals)
        #expect(answers(id) == expectedAnswers)
      }
      // Waiting for a version that there is, or not.
      func waited(_ id: MatchID) -> String {
        do throws(ClientError) {
          _ = try client.match(id, atLeast: 1)
          return "answered"
        } catch {
          return "\(error)"
        }
      }
      #expect(waited(running) == waited(none))
      #expect(try lab.violations() == [])
    }
  }
}

extension LabPlayer {
  /// The shipped player with this player's key.
  fileprivate func client(in lab: ServiceLab) throws -> Player {
    let player = try Player.open(
      ProfileMemory(key: key).store,
      bus: .live(BrokerAddress(url: lab.playersURL), clock: .live, log: ServiceLab.log),
      clock: .live, randomness: .live, makingKey: false)
    player.waitLong()
    return player
  }
}
