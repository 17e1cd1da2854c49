import Chaos
import EventBusLive
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import TestedService
import Testing

@Suite("Inviting and withdrawing again and again harms nobody", .serialized)
struct InvitationAttackTests {
  private static func invite(_ player: PlayerID, limit: Int = 60) -> Event.Action {
    .matchRequested(MatchRequest(opponent: .player(player), turnLimitSeconds: Int64(limit)))
  }

  /// All players invite at once, so many times each, and withdraw every invitation.
  /// - Returns: the matches that were begun.
  private static func flood(
    _ senders: some Sequence<LabPlayer>, _ victim: PlayerID, _ count: Int
  ) async throws -> Set<MatchID> {
    try await withThrowingTaskGroup(of: Set<MatchID>.self) { group in
      for sender in senders {
        group.addTask {
          var begun: Set<MatchID> = []
          for _ in 0..<count {
            guard let match = try sender.act(invite(victim, limit: 90)).ticket?.match else {
              continue
            }
            begun.insert(match)
            try sender.must(.requestWithdrawn(match))
          }
          return begun
        }
      }
      return try await group.reduce(into: []) { $0.formUnion($1) }
    }
  }

  @Test(
    "Four accounts, through two workers: twenty notifications at most, as five; a friend comes first"
  )
  func fourAccounts() async throws {
    var options = ServiceLab.Options(workers: 2)
    options.limits = .standard
    try await ServiceLab.run(options) { lab in
      let (victim, friend) = (try lab.client("Victim"), try lab.player("Friend"))
      // They have met.
      let asked = try friend.sign(Self.invite(victim.player, limit: 3_600))
      _ = try friend.send(asked)
      _ = try victim.accept(asked.newMatch)
      let crowd = try (0..<4).map { try lab.player("crowd-\($0)") }
      let begun = try await Self.flood(crowd, victim.player, 12)
      #expect(begun.count == 4 * Inbox.dailyStrangerLimit)
      for sender in crowd {
        let refusal = try sender.act(Self.invite(victim.player)).refusal
        #expect(refusal == .rateLimited(.openRequests, retryAfterSeconds: nil))
      }
      let newest = try #require(try friend.act(Self.invite(victim.player)).ticket).match
      // A notification of a request that was withdrawn before is not sent.
      let connection = try lab.connection()
      defer { connection.close() }
      try waitUntil("all that was begun was told of, or is over") {
        let count = try connection.query(
          "SELECT count(*) FROM deliveries WHERE kind = 'invited'"
        ).only[0].int64
        // And that of their first match.
        return count == begun.count + 2
      }
      #expect(lab.pushes.taken.contains { $0.match == newest })
      let strangers = lab.pushes.notifications.filter {
        $0.job.player == victim.player && $0.job.kind == .invited
          && ![asked.newMatch, newest].contains($0.job.match)
      }
      #expect(strangers.count <= begun.count)
      #expect(
        Set(strangers.map(\.collapseKey))
          .isSubset(of: crowd.map { "invited-\($0.id)" } + ["invitations"]))
      try waitUntil("the friend's invitation is in the inbox") {
        try !victim.inbox().items.isEmpty
      }
      let items = try victim.inbox().items
      #expect(items.first?.match == newest)
      #expect(items.count { $0.kind == PushJob.Kind.invited.rawValue } == 1)
      // A player who has met the victim invites as before.
      #expect(try await Self.flood([friend], victim.player, 8).count == 8)
      #expect(try lab.violations() == [])
    }
  }

  @Test(
    "All that strangers may send in a day: exactly so many, through two workers and over a restart")
  func everybody() async throws {
    var options = ServiceLab.Options(workers: 2)
    options.limits.strangerInvitations = 9
    try await ServiceLab.run(options) { lab in
      let (ann, bob) = try lab.pair()
      _ = try lab.begin(ann, bob)
      let crowd = try (0..<8).map { try lab.player("crowd-\($0)") }
      #expect(try await Self.flood(crowd.prefix(4), ann.id, 3).count == 12)
      try lab.stopWorkers()
      for _ in 0..<2 { try lab.start(.worker) }
      #expect(try await Self.flood(crowd.dropFirst(4), ann.id, 3).count == 6)
      let refusal = try lab.player("late").act(Self.invite(ann.id)).refusal
      #expect(refusal == .playerUnavailable(ann.id))
      // Others are invited as before, and a player whom Ann has met can invite her.
      #expect(try await Self.flood(crowd.prefix(1), crowd[1].id, 1).count == 1)
      #expect(try await Self.flood([bob], ann.id, 8).count == 8)
      #expect(try lab.violations() == [])
    }
  }
}
