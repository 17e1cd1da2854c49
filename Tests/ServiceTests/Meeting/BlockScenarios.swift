import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import TestedService
import Testing

@Suite("Blocked players, through broker and database", .serialized)
struct BlockScenarios {
  @Test("Block against accept: one comes first, and the other follows from it")
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
  @Test("I block more players than I may: I am told so, also where one batch has them all")
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

  @Test("Requests at the same moment, through two workers, do not get past a limit")
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
}
