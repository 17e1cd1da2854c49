import Conformance
import Testing

@Suite("The simulated store and broker")
struct ConformanceTests {
  @Test("The store does what every match store has to do", arguments: StoreCase.all)
  func store(_ example: StoreCase) throws {
    try example.run(SimulatedStores().set())
  }

  @Test(
    "The bus does what every event bus has to do",
    arguments: BusCase.all + BusCase.alarming)
  func bus(_ example: BusCase) throws {
    try example.run(SimulatedBuses(example.limits).set())
  }
}
