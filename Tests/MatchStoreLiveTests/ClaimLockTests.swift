import Conformance
import LibPQ
import MatchCore
import MatchInterfaces
import Testing

@testable import MatchStoreLive

@Suite("The locks of claims")
struct ClaimLockTests {
  private static let claims: [Claim] = (0..<40).map {
    .name(TestPlayer.member($0).name, TestPlayer.member($0).id, code: nil)
  }

  @Test("They are taken in ascending order, each once, in any order of the claims")
  func order() {
    let locks = ClaimRows.locks(of: Self.claims)
    #expect(locks == locks.sorted())
    #expect(Set(locks).count == Self.claims.count)
    #expect(ClaimRows.locks(of: Self.claims.reversed() + Self.claims) == locks)
  }

  @Test("No name has the lock that something else of the service holds")
  func chosenNames() throws {
    try LiveStores.run { stores in
      // PostgreSQL's hash can be reversed: a name could be chosen for the number of any such lock.
      // Here it is the other way round.
      let other = try stores.connect()
      for claim in Self.claims.prefix(3) {
        try other.script(
          "SELECT pg_advisory_lock(hashtextextended('\(claim.order)', 0))")
      }
      let store = WorkerStore.live(try stores.connect { $0.lockTimeout = .milliseconds(200) })
      #expect(try store.resolve(Array(Self.claims.prefix(3))) == [.free, .free, .free])
      store.abandon()
    }
  }
}
