import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

@Suite("Several inviters of one player in one batch")
struct InboxLimitTests {
  private let tooMany = Refusal.rateLimited(.openRequests, retryAfterSeconds: nil)

  /// Ann and Cyd invite Bob and withdraw the invitation, again and again, in one batch.
  /// - Returns: how many invitations of each were taken, the last refusal of each, and the write
  ///   with the strangers' counts.
  private func flood(
    _ inbox: Inbox, annIsKnown: Bool = false, _ limit: Int?
  ) throws -> (taken: [String: Int], refused: [String: Refusal], write: BatchWrite) {
    let lab = WorkerLab(.lookUp, .resolve, .commit, .acknowledge, .publish, .heartbeats)
    let (ann, bob) = (TestPlayer.ann.id, TestPlayer.bob.id)
    let day = Day(containing: .noon)
    lab.settings.limits = PlayerLimits(
      eventsPerMinute: nil, openRequests: nil, runningMatches: nil, invitations: 1_000,
      strangerInvitations: limit)
    lab.store.resolve.answer { claims in
      claims.map { claim in
        guard case .inbox(bob, let sender, day) = claim else { return .free }
        var inbox = inbox
        inbox.knowsSender = annIsKnown && sender == ann
        return .inbox(inbox)
      }
    }
    try lab.settleIn()
    var sent: [(player: TestPlayer, match: MatchID)] = []
    for number in 0..<8 {
      for player in [TestPlayer.ann, .cyd] {
        let place = UInt128(number * 10) + (player.id == ann ? 1 : 3)
        // One pair has one invitation of the same terms in a batch.
        let request = MatchRequest(opponent: .player(bob), turnLimitSeconds: 60 + Int64(number))
        let asked = player.event(.matchRequested(request), place)
        let match = MatchID(askedBy: player.id, event: asked.id)
        sent.append((player, match))
        lab.deliver(asked, by: player)
        lab.deliver(player.event(.requestWithdrawn(match), place + 1), by: player)
      }
    }
    try lab.step()
    let write = try #require(lab.writes.first)
    #expect(lab.writes.count == 1)
    let begun = Set(write.changes.map(\.after.id))
    var (taken, refused): ([String: Int], [String: Refusal]) = ([:], [:])
    for (player, match) in sent {
      if begun.contains(match) { taken["\(player.name)", default: 0] += 1 }
    }
    for reply in write.replies {
      guard case .refused(_, _, let refusal?) = try ReplyCodec.decode(reply.reply.reply).reply,
        refusal != .unknownMatch
      else { continue }
      let name = reply.key.player == ann ? "Ann" : "Cyd"
      refused[name] = refusal
    }
    return (taken, refused, write)
  }

  @Test("Withdrawn invitations of the batch count, and so do the store's of that day")
  func withdrawn() throws {
    let (taken, refused, write) = try flood(Inbox(strangersToday: 8, senderToday: 4), 50)
    #expect(taken == ["Ann": 1, "Cyd": 1])
    #expect(refused == ["Ann": tooMany, "Cyd": tooMany])
    #expect(
      write.strangerInvitations == [
        .init(of: TestPlayer.bob.id, by: TestPlayer.ann.id): 1,
        .init(of: TestPlayer.bob.id, by: TestPlayer.cyd.id): 1,
      ])
  }

  @Test("Both together send no more than all strangers may in a day")
  func all() throws {
    let (taken, refused, _) = try flood(Inbox(strangersToday: 6), 4)
    let full = Refusal.playerUnavailable(TestPlayer.bob.id)
    #expect(taken == ["Ann": 1, "Cyd": 1])
    #expect(refused == ["Ann": full, "Cyd": full])
  }

  @Test("Known players are not counted, and nobody is counted without a limit")
  func known() throws {
    let (_, _, write) = try flood(Inbox(strangersToday: 99), annIsKnown: true, 50)
    #expect(
      write.strangerInvitations == [.init(of: TestPlayer.bob.id, by: TestPlayer.cyd.id): 1])
    #expect(try flood(Inbox(), nil).write.strangerInvitations == [:])
  }
}
