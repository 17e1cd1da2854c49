import CubistBasics
import MatchCore
import MatchInterfaces
import Testing

@testable import MatchService

/// A scheduler that looks at a clock once a second, and a queue that gets its ticks, on a time of
/// their own. The judgement, the ticks and the queue's clock are the real ones.
private struct ClockWorld {
  /// How long a look takes at most, µs.
  static let longestLook: UInt64 = 40_000

  var random = SplitMix64(state: 1)
  /// The true time since the beginning, µs.
  var passed: Int64 = 0
  /// How far the store's clock is from the true time, µs.
  var offset: Int64 = 0
  var time = ServiceTime(shown: .noon)
  var clock = ServiceClock()
  var ticks = TickSchedule()
  var queue = QueueClock(time: .noon)
  var jumps: [Int64] = []
  /// The ticks, each with the true time.
  var told: [(time: Instant, passed: Int64)] = []

  /// The time that the queue has counted, µs.
  var counted: Int64 {
    (queue.time ?? .noon).microseconds(since: .noon) - queue.creditMicroseconds
  }

  var uptime: UInt64 { UInt64(passed) * 1_000 }

  /// Lets a second pass, looks, and ticks.
  mutating func second() {
    let end = passed + 1_000_000
    pass(900_000)
    look()
    passed = end
  }

  mutating func pass(_ microseconds: Int64) { passed += microseconds }

  mutating func look() {
    let asked = uptime
    let way = Int64(random.next() % (ClockWorld.longestLook / 2))
    passed += way
    time.shown = Instant.noon.adding(microseconds: passed + offset)
    passed += way
    let verdict = clock.take(time, newest: queue.time, asked: asked, heard: uptime)
    if let change = verdict.change {
      time.take(change)
      if let jump = change.jump { jumps.append(jump.microseconds) }
    }
    let due = ticks.takeDue(of: 0..<1, clocks: [0: queue], now: verdict.now)
    guard !due.isEmpty else { return }
    queue.ticked(at: verdict.now, since: ticks.since(of: 0))
    told.append((verdict.now, passed))
  }

  /// Another scheduler takes the lead, without any former look.
  mutating func changeLeader() { (clock, ticks) = (ServiceClock(), TickSchedule()) }
}

@Suite("The service's time beside a clock that jumps")
struct ServiceClockTests {
  fileprivate static let hour: Int64 = 3_600_000_000

  @Test(
    "An hour ahead and back is no time of any queue, and neither is an hour back",
    arguments: [hour, -hour, 2_000_000, -2_000_000, 30 * hour, -30 * hour])
  func thereAndBack(jump: Int64) {
    var world = ClockWorld()
    for _ in 0..<60 { world.second() }
    world.offset = jump
    for _ in 0..<3_600 { world.second() }
    world.offset = 0
    for _ in 0..<60 { world.second() }
    #expect(world.jumps.count == 2)
    #expect(world.jumps.allSatisfy { abs(abs($0) - abs(jump)) < 100_000 })
    // A clock that is ahead is waited for, one that is behind is approached by a hundredth.
    let approached = jump < 0 || jump == 2_000_000 ? world.passed / 100 : 0
    #expect(abs(world.counted - world.passed) < 100_000 + approached)
    #expect(world.queue.creditMicroseconds == 0)
    // Every second has a time of its own.
    #expect(zip(world.told, world.told.dropFirst()).allSatisfy { $0.time < $1.time })
  }

  @Test("A clock that is slewed, or set by less than a second, is followed")
  func slewed() {
    var world = ClockWorld()
    for _ in 0..<3_600 {
      world.offset += 500
      world.second()
    }
    world.offset += 900_000
    world.second()
    #expect(world.jumps == [])
    #expect(world.time.addedMicroseconds == 0)
    #expect(abs((world.queue.time ?? .noon).microseconds(since: world.time.shown)) < 100_000)
  }

  @Test("A clock that stays ahead for a day is followed, and all of it is credited")
  func followed() {
    var world = ClockWorld()
    for _ in 0..<60 { world.second() }
    world.offset = ServiceClockTests.hour
    for _ in 0..<86_399 { world.second() }
    #expect(world.time.addedMicroseconds < -ServiceClockTests.hour + 100_000)
    for _ in 0..<120 { world.second() }
    #expect(world.time.addedMicroseconds == 0)
    #expect(abs((world.queue.time ?? .noon).microseconds(since: world.time.shown)) < 100_000)
    #expect(abs(world.queue.creditMicroseconds - ServiceClockTests.hour) < 2_000_000)
    #expect((-200_000..<2_000_000).contains(world.counted - world.passed))
  }

  @Test(
    "A clock that went back for good is reached again, and nothing is later by more than a hundredth"
  )
  func approached() {
    var world = ClockWorld()
    for _ in 0..<60 { world.second() }
    world.offset = -60_000_000
    world.second()
    let (counted, passed) = (world.counted, world.passed)
    for _ in 0..<3_000 { world.second() }
    let late = (world.passed - passed) - (world.counted - counted)
    #expect((25_000_000...(world.passed - passed) / 100 + 100_000).contains(late))
    for _ in 0..<3_600 { world.second() }
    #expect(world.time.addedMicroseconds == 0)
  }

  @Test(
    "A scheduler without a former look goes by queues that are ahead, and credits what it cannot know"
  )
  func otherLeader() {
    var back = ClockWorld()
    for _ in 0..<60 { back.second() }
    back.offset = -ServiceClockTests.hour
    back.changeLeader()
    for _ in 0..<60 { back.second() }
    #expect(back.jumps.count == 1)
    #expect(abs(back.counted - back.passed) < 2_000_000)

    var ahead = ClockWorld()
    for _ in 0..<60 { ahead.second() }
    ahead.offset = ServiceClockTests.hour
    ahead.changeLeader()
    for _ in 0..<60 { ahead.second() }
    #expect(ahead.jumps == [])
    #expect(abs(ahead.counted - ahead.passed) < 2_000_000)
    #expect(ahead.queue.creditMicroseconds > ServiceClockTests.hour - 2_000_000)
    ahead.offset = 0
    for _ in 0..<600 { ahead.second() }
    #expect(ahead.jumps.count == 1)
    #expect(abs(ahead.counted - ahead.passed) < 10_000_000)

    // What somebody has written for next year is no time.
    var nonsense = ClockWorld()
    nonsense.queue = QueueClock(time: .noon.adding(seconds: 366 * 86_400))
    for _ in 0..<60 { nonsense.second() }
    #expect(nonsense.jumps == [])
  }

  @Test("A former leader goes by queues that have followed the clock meanwhile")
  func formerLeader() {
    var world = ClockWorld()
    for _ in 0..<60 { world.second() }
    let former = world.clock
    world.offset = ServiceClockTests.hour
    world.changeLeader()
    for _ in 0..<60 { world.second() }
    world.clock = former
    let counted = world.counted
    for _ in 0..<60 { world.second() }
    #expect(world.jumps == [])
    #expect(world.counted - counted > 59_000_000)
  }

  @Test("A look that takes long, and a pause between two, are no jumps")
  func pauses() {
    var world = ClockWorld()
    world.second()
    world.pass(600_000_000)
    world.second()
    let before = world.uptime
    world.pass(30_000_000)
    world.time.shown = Instant.noon.adding(microseconds: world.passed)
    world.pass(30_000_000)
    let verdict = world.clock.take(
      world.time, newest: world.queue.time, asked: before, heard: world.uptime)
    #expect(verdict.change == nil)
    world.second()
    #expect(world.jumps == [])
    #expect(world.queue.creditMicroseconds > 590_000_000)
  }

  @Test("Whatever the clock does, a queue counts the time that passes: seeds")
  func seeds() {
    var jumps = 0
    for seed in UInt64(1)...200 {
      var world = ClockWorld(random: SplitMix64(state: SplitMix64.mix(seed)))
      var (steps, paused): (Int64, Int64) = (0, 0)
      for _ in 0..<4_000 {
        switch world.random.next() % 400 {
        case 0:
          let sizes: [Int64] = [900_000, 2_000_000, 40_000_000, 3_600_000_000]
          let size = sizes[Int(world.random.next() % 4)]
          world.offset += world.random.next() % 2 == 0 ? size : -size
          steps += 1
        case 1:
          world.offset = 0
          steps += 1
        case 2:
          let pause = Int64(world.random.next() % 30_000_000)
          world.pass(pause)
          paused += pause
          steps += 1
        case 3:
          world.changeLeader()
          steps += 1
        default: break
        }
        world.second()
        let ahead = world.counted - world.passed
        // Each step takes two seconds from the time to play at most. It gives no more, but for a
        // hundredth, and for a pause, in which no tick came.
        let most = 2_000_000 * (steps + 1)
        let isFair = (-most - paused - world.passed / 100...most).contains(ahead)
        #expect(isFair, "seed \(seed): \(ahead) µs after \(steps) steps")
        guard isFair else { break }
      }
      jumps += world.jumps.count
    }
    #expect(jumps > 500)
  }

  @Test("A role goes on by its own machine for ten seconds, and then by the store again")
  func steady() {
    func look(_ time: inout SteadyTime, _ second: Int64, ahead: Int64) -> Int64 {
      let uptime = UInt64(second) * 1_000_000_000
      let now = time.take(.noon.adding(seconds: second + ahead), asked: uptime, heard: uptime)
      return now.microseconds(since: .noon) / 1_000_000
    }
    for jump in [Int64(3_600), -3_600] {
      var time = SteadyTime()
      #expect(look(&time, 0, ahead: 0) == 0)
      #expect(look(&time, 1, ahead: jump) == 1)
      #expect(look(&time, 5, ahead: jump) == 5)
      // The scheduler has judged.
      #expect(look(&time, 6, ahead: 0) == 6)
      #expect(look(&time, 20, ahead: jump) == 20)
      #expect(look(&time, 29, ahead: jump) == 29)
      #expect(look(&time, 30, ahead: jump) == 30 + jump)
      #expect(look(&time, 31, ahead: jump) == 31 + jump)
    }
  }
}
