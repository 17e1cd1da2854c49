import Conformance
import CustomDump
import MatchInterfaces
import MatchStoreLive
import Testing

@Suite("The store on PostgreSQL")
struct ConformanceTests {
  @Test(
    "The store passes the conformance tests of every match store",
    arguments: StoreCase.all)
  func conforms(_ example: StoreCase) async throws {
    try await LiveStores.runAside { stores in try example.run(stores.set()) }
  }

  @Test("No question of an operator, of a rebuild or of a sign of life is left without an answer")
  func answers() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      expectNoDifference(
        OperatorStore.live(connection).unanswered
          + RebuildStore.live(connection, RebuildTally(run: 1, by: "olga")).unanswered
          + RoleStore.live(connection).unanswered, [])
    }
  }
}
