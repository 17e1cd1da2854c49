import MatchCore
import MatchInterfaces
import Testing

@Suite("Calls of operators and checks to a store that nobody implemented")
struct OperatorStoreTests {
  @Test("A failing store reports its use and is unavailable")
  func failing() {
    withKnownIssue {
      #expect(throws: StoreError.self) { try OperatorStore.failing.status() }
    } matching: {
      "\($0)".contains("OperatorStore.status")
    }
    withKnownIssue {
      #expect(throws: StoreError.self) { try CheckStore.failing.matches(nil, 1) }
    } matching: {
      "\($0)".contains("CheckStore.matches")
    }
  }

  @Test("A store that does nothing has nothing, and accepts every row")
  func noop() throws {
    let service = ServiceRow(
      service: ServiceID(rawValue: 1), rootKey: try key(), certificates: [])
    #expect(try OperatorStore.noop.keepService(service) == service)
    #expect(try OperatorStore.noop.service() == nil)
    #expect(try CheckStore.noop.matches(nil, 1) == [])
  }

  private func key() throws -> PublicKey {
    try #require(PublicKey(bytes: Array(repeating: 7, count: 32)))
  }
}
