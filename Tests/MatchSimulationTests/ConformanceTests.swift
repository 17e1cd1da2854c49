import Conformance
import Testing

@Suite("The simulated store and broker")
struct ConformanceTests {
  @Test("The store does what every match store has to do", arguments: StoreCase.all)
  func store(_ example: StoreCase) throws {
    try example.run(SimulatedStores().set())
  }
}
