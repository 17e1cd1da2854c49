import Conformance
import Testing

@Suite("The simulated store and broker")
struct ConformanceTests {
  @Test("The store passes the conformance tests of every match store", arguments: StoreCase.all)
  func store(_ example: StoreCase) throws {
    try example.run(SimulatedStores().set())
  }

  @Test(
    "The bus passes the conformance tests of every event bus",
    arguments: BusCase.all + BusCase.alarming)
  func bus(_ example: BusCase) throws {
    try example.run(SimulatedBuses(example.limits).set())
  }
}
