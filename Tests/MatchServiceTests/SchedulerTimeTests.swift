import InMemoryLogging
import Logging
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

@Suite("The time in the scheduler's ticks to queues")
struct SchedulerTimeTests {
  @Test("A tick says since when the queue has been ticked without a break")
  func sinceWhen() throws {
    let lab = SchedulerLab()
    func since() throws -> [Instant?] {
      lab.consume()
      lab.forget()
      try lab.second()
      return lab.events.compactMap { event in
        if case .ticked(let tick) = event.action { .some(tick.since) } else { nil }
      }
    }
    #expect(try since() == Array(repeating: .noon, count: 4))
    #expect(try since() == Array(repeating: .noon, count: 4))
    // A round that is late.
    lab.now = lab.now.adding(seconds: 2)
    let late = lab.now
    #expect(try since() == Array(repeating: late, count: 4))
    #expect(try since() == Array(repeating: late, count: 4))
    // A queue that refused its tick.
    lab.troubles = [required(Slot(number: 2)): .refused("full")]
    let refused = lab.now
    #expect(try since() == [late, late, refused, late])
    // A queue without a confirm gets no tick.
    lab.troubles = [required(Slot(number: 2)): .timedOut("no confirm")]
    #expect(try since() == Array(repeating: late, count: 3))
    lab.troubles = [:]
    let taken = lab.now
    #expect(try since() == [late, late, taken, late])
    #expect(try since() == [late, late, taken, late])
  }

  @Test(
    "Ticks go on as time does while the database's clock jumps, and the log has a line for each jump",
    arguments: [3_600_000_000, -3_600_000_000, 2_000_000, -2_000_000] as [Int64])
  func jumps(jump: Int64) throws {
    let lab = SchedulerLab()
    func times() throws -> Set<Instant> {
      lab.consume()
      lab.forget()
      try lab.second()
      return Set(
        lab.events.compactMap { event in
          if case .ticked(let tick) = event.action { tick.time } else { nil }
        })
    }
    for second: Int64 in 0..<20 {
      if second == 5 { lab.offset = jump }
      if second == 12 { lab.offset = 0 }
      #expect(try times() == [.noon.adding(seconds: second)])
      #expect(
        lab.correction.addedMicroseconds == ((5..<12).contains(second) ? -jump : 0))
    }
    let lines = lab.logs.entries.filter { "\($0.message)".contains("clock has jumped") }
    #expect(
      lines.compactMap { $0.metadata["jumpedBySeconds"].map { "\($0)" } }
        == [jump, -jump].map { "\($0 / 1_000_000)" })
    #expect(lines.allSatisfy { $0.level == .warning })
    #expect(lab.correction.lastJump?.at == .noon.adding(seconds: 12))
  }

  @Test("A scheduler that connects to another database remembers the time of the former one")
  func failover() throws {
    let lab = SchedulerLab()
    for _ in 0..<5 {
      lab.consume()
      try lab.second()
    }
    let other = SchedulerLab()
    other.memory = lab.memory
    (other.now, other.offset, other.clocks) = (lab.now, 30_000_000, lab.clocks)
    try other.second()
    #expect(other.correction.addedMicroseconds == -30_000_000)
  }

  @Test("A scheduler with another number of queues than the database's says which command to use")
  func otherLayout() throws {
    let lab = SchedulerLab()
    lab.layout = StoredLayout(required(QueueLayout(queueCount: 8)))
    do {
      try lab.second()
      Issue.record("it leads")
    } catch Interruption.store(.unusable(let text)) {
      #expect(text.contains("CUBIST_QUEUES=8") && text.contains("cubistd setup"))
    }
    #expect(lab.published.isEmpty)
  }

  @Test("A queue that is far behind but goes on is ticked every other second at least")
  func floodedPace() {
    var book = TickSchedule()
    var now = Instant.noon
    var reached = Instant.noon
    var last = Instant.noon
    for _ in 0..<1_000 {
      let due = book.takeDue(of: 0..<1, clocks: [0: QueueClock(time: reached)], now: now)
      if !due.isEmpty { last = now }
      #expect(now.microseconds(since: last) <= 1_000_000)
      now = now.adding(seconds: 1)
      reached = reached.adding(microseconds: 100_000)
    }
    #expect(book.since(of: 0) == .noon)
  }

  @Test("A deadline is sent as it passes, behind any number of overdue ones with credit")
  func deadlinesWithCredit() throws {
    let lab = SchedulerLab()
    lab.settings.deadlineLimit = 10
    func row(_ number: Int, _ deadline: Instant) -> SchedulerStore.Overdue {
      .init(match: MatchID(rawValue: UInt128(number)), turn: 3, deadline: deadline)
    }
    lab.overdue = (1...35).map { row($0, .noon.adding(seconds: Int64($0) - 100)) }
    lab.overdue.append(row(99, .noon.adding(microseconds: 3_500_000)))
    var sent: [MatchID: Int] = [:]
    for second in 0..<8 {
      lab.consume()
      lab.forget()
      try lab.second()
      for case .deadlinePassed(let passed) in lab.events.map(\.action)
      where sent[passed.match] == nil {
        sent[passed.match] = second
      }
      if second == 4 { #expect(sent[MatchID(rawValue: 99)] == 4) }
    }
    #expect(sent.count == 36)
  }
}
