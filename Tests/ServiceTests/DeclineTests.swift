import Chaos
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import Testing

@Suite("Declined requests", .serialized)
struct DeclineTests {
  @Test(
    "A declined asker reads the other player's name, unless that is switched off",
    .timeLimit(.minutes(15)))
  func told() async throws {
    try await ServiceLab.run { lab in
      let (ann, bob) = (try lab.client("Ann"), try lab.client("Bob"))
      func bodies() -> [String] {
        lab.pushes.notifications.filter { $0.job.player == ann.player }.map(\.body)
      }
      let name = try #require(bob.profile.name)
      let invitation = try ann.startMatch(against: name, turnLimitSeconds: 3_600).ticket.match
      _ = try bob.decline(invitation)
      let declined = "Bob declined your invitation."
      try waitUntil("Ann is told of the invitation") { bodies().contains(declined) }

      let match = try RulingTests.begin(ann, bob)
      try ann.removeTwoCubes(in: match)
      _ = try bob.forfeit(match)
      _ = ann.rematch(of: match)
      _ = try bob.declineRematch(match)
      let refused = "Bob declined the rematch."
      try waitUntil("Ann is told of the rematch") { bodies().contains(refused) }
      try waitUntil("both are in her inbox") {
        Set(try ann.inbox().items.map(\.body)).isSuperset(of: [declined, refused])
      }

      try ann.change(SettingsChange(kinds: [.rematchDeclined: false]))
      let second = try RulingTests.begin(ann, bob)
      _ = try bob.forfeit(second)
      _ = ann.rematch(of: second)
      _ = try bob.declineRematch(second)
      try waitUntil("every job is decided") { try lab.jobs().allSatisfy { $0.fate != nil } }
      // A slow push worker also drops a "your turn" that was answered meanwhile.
      let dropped = try lab.jobs()
        .filter { $0.fate == .dropped && $0.job.kind == .rematchDeclined }
      #expect(dropped.map(\.job.match) == [second])
      #expect(bodies().count { $0 == refused } == 1)
      #expect(try lab.violations() == [])
    }
  }
}
