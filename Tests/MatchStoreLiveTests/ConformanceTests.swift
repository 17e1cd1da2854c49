import Conformance
import Testing

@Suite("The store on PostgreSQL")
struct ConformanceTests {
  @Test(
    "The store does what every match store has to do", .timeLimit(.minutes(5)), .serialized,
    arguments: StoreCase.all)
  func conforms(_ example: StoreCase) throws {
    try LiveStores.run { stores in try example.run(stores.set()) }
  }
}
