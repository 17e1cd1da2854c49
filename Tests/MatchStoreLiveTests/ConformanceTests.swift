import Testing

@Suite("The store on PostgreSQL")
struct ConformanceTests {
  @Test(
    "The store does what every match store has to do", .timeLimit(.minutes(1)),
    arguments: ConformanceCase.all)
  func conforms(_ example: ConformanceCase) throws {
    try LiveStores.run { stores in try example.run(stores.set()) }
  }
}
