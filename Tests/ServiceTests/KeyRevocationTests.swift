import LibPQ
import MatchCore
import MatchInterfaces
import MatchStoreLive
import MatchWire
import PlayerClient
import TestedService
import Testing

@testable import cubistd

@Suite("A key that an operator revokes", .serialized)
struct KeyRevocationTests {
  // Failure: Refusal.keyRevoked: ° An operator has revoked the key, the player has removed it, or a
  //   recovery has put another one in its place. Its earlier events stay.
  @Test("Running workers take nothing more from it; its earlier events stay, and others play on")
  func revoked() async throws {
    try await ServiceLab.run { lab in
      let (ann, bob) = (try lab.client("Ann"), try lab.client("Bob"))
      let name = try #require(bob.profile.name)
      let match = try ann.startMatch(against: name, turnLimitSeconds: 3_600).ticket.match
      _ = try bob.accept(match)
      let connection = try lab.connection()
      defer { connection.close() }
      let store = OperatorStore.live(connection)
      let player = try #require(ann.profile.player)
      let key = try #require(try store.account(player).keys.first).key
      let office = KeyRevoker(
        lookup: PlayerLookup(reader: .live(connection), store: .live(connection)), operator: "olga")
      let last = #expect(throws: OperatorFailure.self) { try office.revoke(key, reason: "stolen") }
      #expect(try #require(last).description.contains("Ann has no words"))
      #expect(try store.account(player).keys.first?.revokedAt == nil)
      #expect(try office.revoke(key, reason: "stolen", last: true).left == [])

      for attempt in 1...3 {
        let refused = #expect(throws: ClientError.self, "attempt \(attempt)") {
          _ = try ann.forfeit(match)
        }
        guard case .refused("keyRevoked", _, .keyRevoked) = refused else {
          Issue.record("refused otherwise: \(String(describing: refused))")
          continue
        }
      }
      let query = #expect(throws: ClientError.self) { _ = try ann.home() }
      guard case .queryRefused("keyRevoked", _, _) = query else {
        Issue.record("answered otherwise: \(String(describing: query))")
        return
      }
      #expect(try bob.match(match).stage == .playing)
      _ = try bob.forfeit(match)
      #expect(try store.account(player).keys.first?.revokedAt != nil)
      let act = try #require(try store.acts(1).first)
      #expect(act.act == "key revoked")
      #expect(act.detail == "\(key) of \(player) by olga: stolen")
      let again = #expect(throws: OperatorFailure.self) { try office.revoke(key, reason: "again") }
      #expect(try #require(again).exitCode == 3)
      #expect(try lab.violations() == [])
    }
  }
}
