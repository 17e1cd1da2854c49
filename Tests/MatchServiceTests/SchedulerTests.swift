import CubeLexicon
import CustomDump
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

@Suite("The scheduler")
struct SchedulerTests {
  @Test(
    "Each second a signed tick with the store's time goes into every queue, by one of its slots")
  func ticks() throws {
    let lab = SchedulerLab()
    try lab.second()
    let layout = required(QueueLayout(queueCount: 4))
    #expect(lab.published.map { layout.queue(of: $0.slot) } == [0, 1, 2, 3])
    expectNoDifference(
      lab.events.map(\.action), (0..<4).map { .ticked(queue: $0, time: .noon, since: .noon) })
    #expect(Set(lab.events.map(\.id)).count == 4)
    lab.consume()
    lab.forget()
    try lab.second()
    #expect(
      lab.events.map(\.action).first
        == .ticked(queue: 0, time: .noon.adding(seconds: 1), since: .noon))
    #expect(lab.events.count == 4)
  }

  @Test("A scheduler waits between two rounds and publishes nothing")
  func waiting() throws {
    let lab = SchedulerLab()
    try lab.second()
    while try lab.scheduler.step() > 0 {}
    lab.forget()
    let before = lab.clock.uptime
    // The round that is due, then the wait.
    try lab.scheduler.step()
    lab.forget()
    #expect(try lab.scheduler.step() == 0)
    #expect(lab.clock.uptime > before)
    #expect(lab.published.isEmpty)
  }

  @Test("A scheduler without the lead does nothing at all")
  func notLeading() throws {
    let lab = SchedulerLab()
    lab.leads = false
    (lab.store.time, lab.store.queueClocks) = (
      SchedulerStore.failing.time, SchedulerStore.failing.queueClocks
    )
    lab.bus = .failing
    try lab.second()
    #expect(lab.published.isEmpty)
  }

  @Test("A scheduler that loses the lead stops, and begins afresh with it")
  func losesLead() throws {
    let lab = SchedulerLab()
    try lab.second()
    lab.leads = false
    lab.forget()
    try lab.second()
    #expect(lab.published.isEmpty)
    lab.leads = true
    try lab.second()
    #expect(lab.events.count == 4)
  }

  @Test("A day without workers leaves fewer than 200 ticks in a queue")
  func pacing() {
    var book = TickSchedule()
    var count = 0
    var now = Instant.noon
    for _ in 0..<86_400 {
      count += book.takeDue(of: 0..<1, clocks: [:], now: now).count
      now = now.adding(seconds: 1)
    }
    #expect(count < 200)
    #expect(count > 50)
    // The first worker catches up: the next second ticks again.
    let clocks = [0: QueueClock(time: now)]
    _ = book.takeDue(of: 0..<1, clocks: clocks, now: now)
    #expect(book.takeDue(of: 0..<1, clocks: clocks, now: now.adding(seconds: 1)) == [0])
  }

  @Test(
    "A punctual queue is ticked each second, also when a round comes a little early")
  func steadyPace() {
    var book = TickSchedule()
    var now = Instant.noon
    for _ in 0..<100 {
      #expect(book.takeDue(of: 0..<1, clocks: [0: QueueClock(time: now)], now: now) == [0])
      now = now.adding(microseconds: 950_000)
    }
  }

  @Test("Setting the store's clock back does not silence a queue")
  func clockSetBack() {
    var book = TickSchedule()
    _ = book.takeDue(of: 0..<1, clocks: [:], now: .noon)
    let earlier = Instant.noon.adding(seconds: -3_600)
    #expect(book.takeDue(of: 0..<1, clocks: [0: QueueClock(time: .noon)], now: earlier) == [0])
  }

  @Test("An overdue match gets its deadline in its own slot, and not again within ten seconds")
  func deadlines() throws {
    let lab = SchedulerLab()
    let match = MatchID(rawValue: 99)
    let row = SchedulerStore.Overdue(match: match, turn: 3, deadline: .noon.adding(seconds: -1))
    lab.overdue = [row]
    var seconds: [Int] = []
    for second in 0..<25 {
      lab.consume()
      lab.forget()
      try lab.second()
      let sent = zip(lab.published, lab.events).filter {
        $0.1.action == .deadlinePassed(match, turn: 3, deadline: row.deadline)
      }
      #expect(sent.allSatisfy { $0.0.slot == Slot(of: match) })
      if !sent.isEmpty { seconds.append(second) }
    }
    #expect(seconds == [0, 10, 20])
  }

  @Test("A recovery whose time has come is told to its player's slot, page by page, and seldom")
  func recoveries() throws {
    let lab = SchedulerLab()
    lab.settings.deadlineLimit = 2
    let key = TestPlayer.bob.key
    lab.recoveries = (1...3).map { number in
      SchedulerStore.DueRecovery(
        player: PlayerID(rawValue: number), recovery: EventID(rawValue: number), key: key,
        due: .noon.adding(seconds: Int64(number) - 10))
    }
    lab.recoveries.append(
      SchedulerStore.DueRecovery(
        player: PlayerID(rawValue: 4), recovery: EventID(rawValue: 4), key: key,
        due: .noon.adding(seconds: 86_400)))
    var sent: [[UInt128]] = []
    for _ in 0..<3 {
      lab.consume()
      lab.forget()
      try lab.second()
      var players: [UInt128] = []
      for (message, event) in zip(lab.published, lab.events) {
        guard case .recoveryDue(let due) = event.action else { continue }
        #expect(message.slot == Slot(of: due.of) && due.key == key)
        #expect(due.due == lab.recoveries.first { $0.player == due.of }?.due)
        players.append(due.of.rawValue)
      }
      sent.append(players)
    }
    #expect(sent == [[1, 2], [3], []])
  }

  @Test("The next turn of a match is a new deadline at once")
  func nextDeadline() throws {
    let lab = SchedulerLab()
    let match = MatchID(rawValue: 99)
    lab.overdue = [.init(match: match, turn: 3, deadline: .noon.adding(seconds: -1))]
    try lab.second()
    lab.overdue = [.init(match: match, turn: 4, deadline: .noon.adding(seconds: -1))]
    lab.forget()
    lab.consume()
    try lab.second()
    #expect(
      lab.events.contains {
        $0.action == .deadlinePassed(match, turn: 4, deadline: .noon.adding(seconds: -1))
      })
  }

  @Test("A queue that nobody consumes gets no deadlines until somebody does")
  func abandonedQueue() throws {
    let lab = SchedulerLab()
    let match = MatchID(rawValue: 99)
    let queue = Slot(of: match).number % 4
    lab.overdue = [.init(match: match, turn: 3, deadline: .noon.adding(seconds: -1))]
    lab.consume()
    lab.clocks[queue] = QueueClock(time: .noon.adding(seconds: -60))
    try lab.second()
    #expect(lab.events.allSatisfy { if case .ticked = $0.action { true } else { false } })
    lab.consume()
    lab.forget()
    try lab.second()
    #expect(lab.events.contains { if case .deadlinePassed = $0.action { true } else { false } })
  }

  /// The calls of a scheduler that can fail and end it.
  enum FailingCall: CaseIterable {
    case lead, time, correctTime, queueClocks, layout, overdue, recoveriesDue, publish
  }

  // Failure: SchedulerStore.lead: Another scheduler leads.
  // Failure: SchedulerStore.time, SchedulerStore.queueClocks: No ticks go out. Queues give credit.
  // Failure: SchedulerStore.correctTime: No tick goes by a clock that has jumped. It is judged again
  //   in a second, by the same looks. Queues give credit.
  // Failure: SchedulerStore.layout: The scheduler does not lead. No ticks go out, and queues give
  //   credit.
  // Failure: SchedulerStore.recoveriesDue: That second's ticks and deadlines are already out.
  //   Recoveries wait.
  @Test(
    "Any failing call stops the scheduler, and the next one does its work",
    arguments: FailingCall.allCases)
  func failingCall(call: FailingCall) throws {
    let lab = SchedulerLab()
    let gone = StoreError.unavailable("gone")
    switch call {
    case .lead: lab.store.lead.fail(with: gone)
    case .time: lab.store.time.fail(with: gone)
    case .correctTime:
      lab.store.correctTime.fail(with: gone)
      try lab.second()
      lab.offset = 3_600_000_000
    case .queueClocks: lab.store.queueClocks.fail(with: gone)
    case .layout: lab.store.layout.fail(with: gone)
    case .overdue: lab.store.overdue.fail(with: gone)
    case .recoveriesDue: lab.store.recoveriesDue.fail(with: gone)
    case .publish: lab.bus.send.fail(with: .disconnected("gone"))
    }
    #expect(
      throws: call == .publish ? Interruption.bus(.disconnected("gone")) : .store(gone)
    ) { try lab.scheduler.step() }
    let next = SchedulerLab()
    try next.scheduler.step()
    #expect(Set(next.published.map { $0.slot.number % 4 }).count == 4)
  }

  // Failure: SchedulerStore.overdue: That second's ticks are already out. Deadlines wait. A late
  //   turn ends its match by itself.
  @Test("Ticks go out before the look for deadlines, and whether or not it succeeds")
  func slowDeadlines() throws {
    let lab = SchedulerLab()
    lab.store.overdue.answer { _, _, _ throws(StoreError) in
      #expect(lab.published.count == 4)
      lab.clock.pass(.seconds(2))
      throw .conflict("matches is locked")
    }
    for _ in 0..<3 {
      try lab.second()
      lab.consume()
      lab.forget()
    }
  }

  @Test("A scheduler asks the store for nothing that may take long")
  func asksForLittle() throws {
    let lab = SchedulerLab()
    let failing = SchedulerStore.failing
    (lab.store.daily, lab.store.keepDaily, lab.store.rank) = (
      failing.daily, failing.keepDaily, failing.rank
    )
    (lab.store.fanOutDaily, lab.store.remindTurns, lab.store.remindDaily, lab.store.movers) = (
      failing.fanOutDaily, failing.remindTurns, failing.remindDaily, failing.movers
    )
    for _ in 0..<20 {
      lab.consume()
      lab.forget()
      try lab.second()
      #expect(lab.events.count == 4)
    }
  }

  @Test("A store or a broker that is gone interrupts")
  func gone() {
    let storeless = SchedulerLab()
    storeless.store.queueClocks.fail(with: .unavailable("gone"))
    #expect(throws: Interruption.store(.unavailable("gone"))) {
      try storeless.scheduler.step()
    }
    let brokerless = SchedulerLab()
    brokerless.bus.send.fail(with: .disconnected("gone"))
    #expect(throws: Interruption.bus(.disconnected("gone"))) { try brokerless.scheduler.step() }
  }

  @Test("A queue that is full is named, and gets its ticks all the same: there may be room by now")
  func fullQueue() throws {
    let lab = SchedulerLab()
    lab.troubles = [required(Slot(number: 2)): .refused("full")]
    try lab.second()
    #expect(lab.published.map { $0.slot.number % 4 } == [0, 1, 2, 3])
  }

  // Failure: SchedulerBus.troubles: A queue that confirms nothing gets nothing more until it
  //   confirms again. After any other failure the scheduler starts over.
  @Test("A queue that confirms nothing gets nothing more, and keeps no other from its ticks")
  func silentQueue() throws {
    let lab = SchedulerLab()
    lab.troubles = [required(Slot(number: 2)): .timedOut("not confirmed for 3 s")]
    for _ in 0..<7 { try lab.second() }
    #expect(Set(lab.published.map { $0.slot.number % 4 }) == [0, 1, 3])
    lab.troubles = [:]
    lab.forget()
    lab.consume()
    for _ in 0..<3 { try lab.second() }
    #expect(Set(lab.published.map { $0.slot.number % 4 }) == [0, 1, 2, 3])
  }
}
