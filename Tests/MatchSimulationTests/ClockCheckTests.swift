import MatchCore
import MatchInterfaces
import Testing

@testable import MatchSimulation

@Suite("The check of the time that queues count")
struct ClockCheckTests {
  private func violations(ahead seconds: Int64, credit: Int64 = 0) throws -> [String] {
    let world = try #require(World(seed: 1, options: Simulation.Options()))
    world.clock.advance(microseconds: 60_000_000)
    let before = QueueClock(time: world.beginning)
    let after = QueueClock(
      time: world.clock.now.adding(seconds: seconds), creditMicroseconds: credit * 1_000_000)
    var write = BatchWrite(now: world.clock.now)
    write.clocks[0] = ClockChange(before: before, after: after)
    var check = ClockCheck()
    check.committed(write, world)
    return check.violations
  }

  @Test("A queue that counts an hour in a minute is named, unless it credits the hour")
  func hour() throws {
    #expect(try violations(ahead: 3_600).count == 1)
    #expect(try violations(ahead: 3_600, credit: 3_599) == [])
    #expect(try violations(ahead: 1) == [])
    #expect(try violations(ahead: -3_600) == [])
  }
}
