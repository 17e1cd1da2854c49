import CubistBasics
import MatchCore
import Testing

@testable import MatchService

/// One queue with its scheduler, its worker and one deadline, in random trouble: each goes away for
/// a while, and others flood the queue. The ticks, clocks and attendance are the real ones, on a
/// clock of their own.
private struct QueueWorld {
  enum Message {
    case begin
    case tick(Instant, since: Instant?)
    case flood
  }

  /// The troubles that may happen.
  struct Trouble {
    var stopsScheduler = false
    var stopsWorker = false
    var floods = false
    /// The first scheduler comes when there are matches already.
    var startsLate = false
  }

  static let limit: Int64 = 40_000_000
  static let step: Int64 = 500_000

  let trouble: Trouble
  var random: SplitMix64
  var now = Instant.noon
  var clock = QueueClock(time: .noon)
  var messages: [Message] = []
  var book: TickSchedule? = TickSchedule()
  var attendance: Attendance?
  var nextRound = Instant.noon
  var schedulerBack: Instant?
  var workerBack: Instant?
  var floodsUntil = Instant.noon

  var setAt: Instant?
  var deadline: Deadline?
  var ended: Instant?
  /// The times without ticks, and the moments when a worker began again after five seconds or more
  /// without one.
  var outages: [(from: Instant, until: Instant)] = []
  var standstills: [Instant] = []
  /// The times when a worker took the queue over, in any state.
  var takeovers: [Instant] = []
  var longestStandstill: Int64 = 0
  private var lastRound = Instant.noon
  private var lastWork = Instant.noon

  init(seed: UInt64, _ trouble: Trouble) {
    self.trouble = trouble
    random = SplitMix64(state: seed &* SplitMix64.increment)
    if trouble.startsLate {
      schedulerBack = now.adding(microseconds: Int64(random.next() % 200) * 700_000)
    }
  }

  mutating func run() {
    for count in 0..<2_000 where ended == nil {
      now = now.adding(microseconds: QueueWorld.step)
      if count == 20 { messages.append(.begin) }
      meet()
      tick()
      if now < floodsUntil { messages += Array(repeating: .flood, count: 90) }
      work()
      // All trouble ends, so that the match can.
      if count == 600 { (schedulerBack, workerBack, floodsUntil) = (nil, nil, now) }
    }
  }

  private mutating func meet() {
    guard setAt != nil, now < Instant.noon.adding(seconds: 300) else { return }
    if trouble.stopsScheduler, schedulerBack == nil, random.next() % 40 == 0 {
      schedulerBack = now.adding(microseconds: Int64(random.next() % 60) * 700_000)
      book = nil
    }
    if trouble.stopsWorker, workerBack == nil, random.next() % 60 == 0 {
      workerBack = now.adding(microseconds: Int64(random.next() % 60) * 700_000)
      attendance = nil
    }
    if trouble.floods, now >= floodsUntil, random.next() % 60 == 0 {
      floodsUntil = now.adding(seconds: Int64(random.next() % 90))
    }
  }

  private mutating func tick() {
    if let back = schedulerBack {
      guard now >= back else { return }
      (schedulerBack, nextRound) = (nil, now)
    }
    guard now >= nextRound else { return }
    nextRound = now.adding(seconds: 1)
    var book = book ?? TickSchedule()
    let clocks = clock.time == nil ? [:] : [0: clock]
    if !book.takeDue(of: 0..<1, clocks: clocks, now: now).isEmpty {
      messages.append(.tick(now, since: book.since(of: 0)))
    }
    // Not every round sends a tick into a queue that nobody takes.
    if now.microseconds(since: lastRound) > 1_500_000 { outages.append((lastRound, now)) }
    lastRound = now
    self.book = book
  }

  private mutating func work() {
    if let back = workerBack {
      guard now >= back else { return }
      workerBack = nil
    }
    if attendance == nil { takeovers.append(now) }
    var attendance = attendance ?? new()
    let batch = messages.prefix(50)
    messages.removeFirst(batch.count)
    guard !batch.isEmpty else {
      self.attendance = attendance
      return
    }
    if attendance.mayHaveLapsed(at: now), attendance.hasLapsed(0, clock, at: now) {
      clock.resumed(at: now)
    }
    // The pause as a player sees it; beyond this limit it is no mere delay.
    let pause = now.microseconds(since: lastWork)
    if pause > Attendance.limitMicroseconds + 1_500_000 { standstills.append(now) }
    longestStandstill = max(longestStandstill, pause)
    lastWork = now
    for message in batch where ended == nil { judge(message) }
    attendance.judged([0], at: now)
    self.attendance = attendance
  }

  private func new() -> Attendance {
    var attendance = Attendance()
    attendance.assigned([0], before: [])
    return attendance
  }

  private mutating func judge(_ message: Message) {
    switch message {
    case .begin:
      let time = max(now, clock.time ?? now)
      setAt = time
      deadline = Deadline(
        at: time.adding(microseconds: QueueWorld.limit),
        creditMicroseconds: clock.creditMicroseconds)
    case .tick(let time, let since): clock.ticked(at: time, since: since)
    case .flood: break
    }
    // Any judged event finds a deadline that has passed.
    if let deadline, clock.hasReached(deadline, setAt: setAt) { ended = clock.time }
  }

  /// How much of the outages lies after the deadline was set and before an instant.
  func outage(until end: Instant) -> Int64 {
    guard let setAt else { return 0 }
    return outages.reduce(0) { sum, outage in
      sum + max(0, min(outage.until, end).microseconds(since: max(outage.from, setAt)))
    }
  }
}

@Suite("Time to play under outages and floods")
struct FairTimeTests {
  private let seeds: ClosedRange<UInt64> = 1...400

  @Test("No outage and no standstill takes more than two seconds from the time to play")
  func nothingIsLost() throws {
    var held = 0
    for seed in seeds {
      var world = QueueWorld(
        seed: seed, .init(stopsScheduler: true, stopsWorker: true, floods: true))
      world.run()
      let (setAt, ended) = (try #require(world.setAt), try #require(world.ended, "seed \(seed)"))
      let outages = world.outages.filter { $0.until > setAt && $0.from < ended }
      let played = ended.microseconds(since: setAt) - world.outage(until: ended)
      #expect(
        played >= QueueWorld.limit - 2_000_000 * Int64(outages.count), "seed \(seed)")
      // After an outage or a standstill a match ends only after ten more seconds in which it could
      // be played.
      let ends =
        outages.filter { $0.until.microseconds(since: $0.from) > 3_000_000 }.map(\.until)
        + world.standstills
      for end in ends where end > setAt && (end <= ended || world.standstills.contains(end)) {
        #expect(ended.microseconds(since: end) >= 10_000_000, "seed \(seed)")
        held += 1
      }
    }
    #expect(held > 200)
  }

  @Test("Nobody gains more than the outage took, and the ten seconds afterwards")
  func nothingIsGained() throws {
    for seed in seeds {
      var world = QueueWorld(
        seed: seed, .init(stopsScheduler: true, stopsWorker: true, floods: true))
      world.run()
      let (setAt, ended) = (try #require(world.setAt), try #require(world.ended, "seed \(seed)"))
      let due = setAt.adding(microseconds: QueueWorld.limit + world.outage(until: ended))
      let holds = (world.outages.map(\.until) + world.standstills + world.takeovers)
        .filter { $0 <= ended }
      let hold = holds.max()?.adding(microseconds: QueueClock.holdMicroseconds) ?? due
      // To the next tick, which comes late in a queue that nobody takes.
      let slack = 2_000_000 + Int64(world.outages.count + 1) * world.longestStandstill / 10
      #expect(ended <= max(due, hold).adding(microseconds: slack), "seed \(seed)")
    }
  }

  @Test("Waiting before the very first tick takes no time to play, and gives none")
  func firstTick() throws {
    var late = 0
    for seed in seeds {
      var world = QueueWorld(seed: seed, .init(startsLate: true))
      world.run()
      let (setAt, ended) = (try #require(world.setAt), try #require(world.ended, "seed \(seed)"))
      let wait = world.outage(until: ended)
      let played = ended.microseconds(since: setAt) - wait
      #expect((-2_000_000...12_000_000).contains(played - QueueWorld.limit), "seed \(seed)")
      if wait > QueueWorld.limit { late += 1 }
    }
    #expect(late > 50)
  }

  @Test("Flooding a queue gains nothing: the deadline passes with its tick")
  func floodsGainNothing() throws {
    var flooded = 0
    for seed in seeds {
      var world = QueueWorld(seed: seed, .init(floods: true))
      world.run()
      let (setAt, ended) = (try #require(world.setAt), try #require(world.ended, "seed \(seed)"))
      let late = ended.microseconds(since: setAt) - QueueWorld.limit
      #expect((0...2_500_000).contains(late), "seed \(seed): \(late)")
      if world.now.microseconds(since: ended) > 5_000_000 { flooded += 1 }
    }
    #expect(flooded > 20)
  }
}
