import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import Testing

@Suite("Blocked players, through broker and database", .serialized)
struct BlockScenarios {
  @Test(
    "I block somebody: we do not meet in any way, our match goes on, and nobody is told why",
    .timeLimit(.minutes(15)))
  func block() async throws {
    try await ServiceLab.run { lab in
      let (ann, bob) = try lab.pair()
      let running = try lab.begin(ann, bob)
      try ann.must(.playerBlocked(bob.id))
      #expect(
        try ann.act(.playerBlocked(bob.id)).refusal == nil, "said again, it is as true as before")

      // Not by invitation, not by code, not by a random match.
      func request(_ opponent: MatchRequest.Opponent) -> Event.Action {
        .matchRequested(MatchRequest(opponent: opponent, turnLimitSeconds: 60))
      }
      #expect(try bob.act(request(.player(ann.id))).refusal == .playerUnavailable(ann.id))
      #expect(try ann.act(request(.player(bob.id))).refusal == .blockedByYou(bob.id))
      let open = try #require(try ann.act(request(.open)).ticket)
      #expect(
        try bob.act(.invitationAccepted(open.match, code: open.code)).refusal
          == .playerUnavailable(ann.id))
      let waiting = try #require(try ann.act(request(.random)).ticket)
      let own = try #require(try bob.act(request(.random)).ticket)
      #expect(waiting.match != own.match)
      // A third player meets the one who waited longest.
      let cyd = try lab.player("Cyd")
      #expect(try cyd.act(request(.random)).ticket?.match == waiting.match)

      // The running match goes on, and has no rematch.
      try ann.must(.turnPlayed(running, lab.turn(lab.match(running))))
      try bob.must(.matchForfeited(running))
      #expect(try bob.act(.rematchRequested(running)).refusal == .playerUnavailable(ann.id))

      try ann.must(.playerUnblocked(bob.id))
      #expect(try bob.act(request(.player(ann.id))).ticket != nil)
      #expect(try lab.violations() == [])
    }
  }

  @Test(
    "My program lists the players that I have blocked, and only I see it", .timeLimit(.minutes(15)))
  func list() async throws {
    try await ServiceLab.run { lab in
      let (ann, bob) = (
        try lab.client("Ann"),
        try lab.client("Bob")
      )
      try ann.block(bob.player)
      #expect(try ann.blocks().players.map(\.name.text) == ["Bob"])
      #expect(try bob.blocks().players == [])
      try ann.unblock(bob.player)
      #expect(try ann.blocks().players == [])
    }
  }

  @Test(
    "Block against accept: one comes first, and the other follows from it", .timeLimit(.minutes(15))
  )
  func race() async throws {
    try await ServiceLab.run(.init(workers: 2)) { lab in
      let (ann, bob) = try lab.pair()
      let other = try LabPlayer("Bob", key: bob.key, in: lab)
      for round in 0..<8 {
        let request = MatchRequest(
          opponent: .player(bob.id), turnLimitSeconds: Int64(60 + round))
        let match = try #require(try ann.act(.matchRequested(request)).ticket).match
        let (blocked, joined) = try await atOnce(
          {
            try (round % 2 == 0 ? ann : other).act(.playerBlocked(round % 2 == 0 ? bob.id : ann.id))
          },
          { try bob.act(.invitationAccepted(match, code: nil)) })
        #expect(blocked.refusal == nil)
        let state = try lab.match(match)
        if joined.ticket == nil {
          #expect(
            joined.refusal
              == (round % 2 == 0 ? .playerUnavailable(ann.id) : .blockedByYou(ann.id)))
          #expect(state.stage == .waiting)
          try ann.must(.requestWithdrawn(match))
        } else {
          #expect(state.stage == .playing)
        }
        try ann.must(.playerUnblocked(bob.id))
        try bob.must(.playerUnblocked(ann.id))
      }
      #expect(try lab.violations() == [])
    }
  }
}

@Suite("Limits of one player, through broker and database", .serialized)
struct LimitScenarios {
  @Test(
    "I ask for more than I may have: I am told which limit, and my matches are as they were",
    .timeLimit(.minutes(15)))
  func matches() async throws {
    var options = ServiceLab.Options(workers: 2)
    options.limits = PlayerLimits(eventsPerMinute: nil, openRequests: 3, runningMatches: 5)
    try await ServiceLab.run(options) { lab in
      let ann = try lab.player("Ann")
      let asked = try (0..<5).map { number in
        try ann.sign(
          .matchRequested(
            MatchRequest(opponent: .open, turnLimitSeconds: Int64(60 + number))))
      }
      let refusals = try asked.map { try ann.send($0).refusal }
      let limit = Refusal.rateLimited(.openRequests, retryAfterSeconds: nil)
      #expect(refusals == [nil, nil, nil, limit, limit])
      try ann.must(.requestWithdrawn(asked[0].newMatch))
      // A refused request stays refused however often it is sent; there is room for a new one.
      #expect(try ann.send(asked[3]).refusal == limit)
      #expect(try ann.act(asked[4].event.action).refusal == nil)
      let solo = Event.Action.matchRequested(
        MatchRequest(opponent: .nobody, turnLimitSeconds: nil))
      #expect(try ann.act(solo).refusal == nil)
      #expect(try ann.act(solo).refusal == nil)
      #expect(
        try ann.act(solo).refusal == .rateLimited(.runningMatches, retryAfterSeconds: nil))
      #expect(try lab.violations() == [])
    }
  }

  @Test(
    "I block more players than I may: I am told so, also where one batch has them all",
    .timeLimit(.minutes(15)))
  func blocks() async throws {
    var options = ServiceLab.Options()
    options.limits.blocks = 2
    try await ServiceLab.run(options) { lab in
      let ann = try lab.player("Ann")
      let crowd = try (0..<5).map { try lab.player("player-\($0)").id }
      let full = Refusal.rateLimited(.blocks, retryAfterSeconds: nil)
      try lab.stopWorkers()
      let first = try [
        .playerBlocked(crowd[0]), .playerBlocked(crowd[1]), .playerBlocked(crowd[1]),
        .playerBlocked(crowd[2]), .playerUnblocked(crowd[0]), .playerBlocked(crowd[3]),
        .playerBlocked(crowd[4]),
      ].map { try ann.sign($0) }
      try lab.publish(first.map { ($0.slot, $0.envelope) })
      try lab.startWorker()
      // Sent again, each gets the same reply.
      #expect(
        try first.map { try ann.send($0).refusal } == [nil, nil, nil, full, nil, nil, full])
      for (other, refusal) in zip(crowd, [full, nil, full, nil, full]) {
        #expect(try ann.act(.playerBlocked(other)).refusal == refusal)
      }
      // No other player's room is smaller for it.
      #expect(try lab.player("Bob").act(.playerBlocked(crowd[0])).refusal == nil)
      let connection = try lab.connection()
      defer { connection.close() }
      let count = try connection.query(
        "SELECT count(*) FROM blocks WHERE player = $1", [.uuid(ann.id.rawValue)])
      #expect(try count.only[0].int64 == 2)
    }
  }

  @Test(
    "Requests at the same moment, through two workers, do not get past a limit",
    .timeLimit(.minutes(15)))
  func atTheSameMoment() async throws {
    var options = ServiceLab.Options(workers: 2)
    options.limits = PlayerLimits(eventsPerMinute: nil, openRequests: 4, runningMatches: 4)
    try await ServiceLab.run(options) { lab in
      let crowd = try (0..<6).map { try lab.player("player-\($0)") }
      let ann = try lab.player("Ann")
      let invitations = try crowd.map { player in
        try #require(
          try player.act(
            .matchRequested(MatchRequest(opponent: .player(ann.id), turnLimitSeconds: 60))
          ).ticket
        ).match
      }
      // Each is a match of its own, so that several queues have them.
      let sent = try invitations.map { try ann.sign(.invitationAccepted($0, code: nil)) }
      try lab.publish(sent.map { ($0.slot, $0.envelope) })
      // Sent again, each gets the same reply.
      let refusals = try sent.compactMap { try ann.send($0).refusal }
      let limit = Refusal.rateLimited(.runningMatches, retryAfterSeconds: nil)
      #expect(refusals == [limit, limit])
      #expect(try invitations.count { try lab.match($0).stage == .playing } == 4)
      #expect(try lab.violations() == [])
    }
  }

  @Test(
    "I do too much within a minute: I am told when to go on, and the service says its limits",
    .timeLimit(.minutes(15)))
  func events() async throws {
    var options = ServiceLab.Options()
    options.limits = PlayerLimits(eventsPerMinute: 1, openRequests: 20, runningMatches: 100)
    try await ServiceLab.run(options) { lab in
      let ann = try lab.player("Ann")
      let sent = try ann.sign(.requestWithdrawn(MatchID(rawValue: 1)))
      // Repeating an answered event is free.
      for _ in 0..<6 { #expect(try ann.send(sent).refusal == .unknownMatch) }
      guard
        case .rateLimited(.eventsPerMinute, let seconds?)? =
          try ann.act(.requestWithdrawn(MatchID(rawValue: 2))).refusal
      else {
        Issue.record("not limited")
        return
      }
      #expect((1...60).contains(seconds))
      let info = try lab.client("Bob").serviceInfo()
      #expect(info.limits.eventsPerMinute == 1)
      #expect(info.limits.openRequests == 20)
      #expect(info.limits.runningMatches == 100)
    }
  }
}
