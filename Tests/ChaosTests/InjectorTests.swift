import Testing

@testable import Chaos

@Suite("Requests of faults to servers")
struct InjectorTests {
  private struct Restarting: Error {}

  @Test("A server that restarts meanwhile is asked again, and one that never answers is an error")
  func again() throws {
    var (asked, pauses) = (0, 0)
    try Injector.untilAnswered(pause: { pauses += 1 }) {
      asked += 1
      if asked < 3 { throw Restarting() }
    }
    #expect(asked == 3 && pauses == 2)
    asked = 0
    #expect(throws: Restarting.self) {
      try Injector.untilAnswered(pause: {}) {
        asked += 1
        throw Restarting()
      }
    }
    #expect(asked == 241)
  }
}
