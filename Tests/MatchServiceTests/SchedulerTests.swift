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

  @Test("Between two rounds a scheduler waits and publishes nothing")
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

  @Test("Who does not lead does nothing at all")
  func notLeading() throws {
    let lab = SchedulerLab()
    lab.leads = false
    (lab.store.now, lab.store.queueClocks) = (
      SchedulerStore.failing.now, SchedulerStore.failing.queueClocks
    )
    lab.bus = .failing
    try lab.second()
    #expect(lab.published.isEmpty)
  }

  @Test("Who loses the lead stops, and begins afresh with it")
  func losesLead() throws {
    let lab = SchedulerLab()
    lab.chunks = 100
    try lab.second()
    lab.leads = false
    lab.forget()
    try lab.second()
    #expect(lab.published.isEmpty)
    #expect(lab.acts == [])
    lab.leads = true
    try lab.second()
    #expect(lab.events.count == 4)
    #expect(lab.acts == [])
  }

  @Test("A day without workers leaves fewer than 200 ticks in a queue")
  func pacing() {
    var book = TickBook()
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
    "A queue whose clock keeps up is ticked each second, also when a round comes a little early")
  func steadyPace() {
    var book = TickBook()
    var now = Instant.noon
    for _ in 0..<100 {
      #expect(book.takeDue(of: 0..<1, clocks: [0: QueueClock(time: now)], now: now) == [0])
      now = now.adding(microseconds: 950_000)
    }
  }

  @Test("A store whose clock is set back does not silence a queue")
  func clockSetBack() {
    var book = TickBook()
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

  @Test("A match whose turn went on is a new deadline at once")
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

  @Test("The daily of the store's today is dealt once and told in chunks until everybody knows")
  func daily() throws {
    let lab = SchedulerLab()
    lab.chunks = 3
    try lab.scheduler.step()
    let key = DailyKey(day: Day(containing: .noon))
    let timed = DailyKey(day: key.day, mode: .timed)
    #expect(lab.acts == ["keep \(key)", "keep \(timed)"])
    let challenge = try #require(lab.dealt[key])
    #expect(
      challenge
        == Dealer.daily(key, lexicon: .everyWord, secret: ServiceIdentity.test.secret))
    for _ in 0..<5 { try lab.scheduler.step() }
    #expect(lab.acts.suffix(3) == ["tell \(key)", "tell \(key)", "tell \(key)"])
    lab.forget()
    for _ in 0..<3 { try lab.second() }
    #expect(lab.acts == [], "once a day is enough, and of both modes together")
  }

  @Test("A daily that another scheduler dealt is not dealt again, but told to the end")
  func dailyAlreadyDealt() throws {
    let lab = SchedulerLab()
    let key = DailyKey(day: Day(containing: .noon))
    for key in [key, DailyKey(day: key.day, mode: .timed)] {
      lab.dealt[key] = DailyChallenge(key: key, lexicon: "x", letters: "y")
    }
    for _ in 0..<3 { try lab.scheduler.step() }
    #expect(lab.acts == ["tell \(key)"])
  }

  @Test("Nothing is dealt before midnight, and after an outage today's, never a past one")
  func midnight() throws {
    let lab = SchedulerLab()
    let today = Day(containing: .noon)
    lab.now = today.end.adding(microseconds: -1)
    try lab.scheduler.step()
    #expect(Set(lab.dealt.keys.map(\.day)) == [today])
    // Three days later.
    lab.now = today.end.adding(seconds: 2 * 86_400 + 5)
    lab.clock.pass(.seconds(1))
    try lab.scheduler.step()
    #expect(Set(lab.dealt.keys.map(\.day)) == [today, Day(containing: lab.now)])
  }

  @Test("Whoever waits is ranked until nobody is left, and looked for once a second")
  func ranking() throws {
    let lab = SchedulerLab()
    lab.dealt = Dictionary(
      uniqueKeysWithValues: SoloMode.allCases.map {
        let key = DailyKey(day: Day(containing: .noon), mode: $0)
        return (key, DailyChallenge(key: key, lexicon: "x", letters: "y"))
      })
    lab.toRank = 3
    // The round, telling of the daily, three portions and the one that finds nobody.
    for _ in 0..<6 { try lab.scheduler.step() }
    #expect(lab.toRank == -1)
    try lab.scheduler.step()
    #expect(lab.toRank == -1, "nobody is looked for before the next second")
    lab.clock.pass(.seconds(1))
    for _ in 0..<2 { try lab.scheduler.step() }
    #expect(lab.toRank == -2)
  }

  /// The calls of a scheduler that can fail and end it.
  enum FailingCall: CaseIterable {
    case lead, now, queueClocks, layout, overdue, daily, keepDaily, rank, fanOutDaily, remindTurns,
      remindDaily, movers, publish
  }

  @Test(
    "Whatever call fails, the scheduler stops, and what was to be done is done by the next one",
    arguments: FailingCall.allCases)
  func failingCall(call: FailingCall) throws {
    let lab = SchedulerLab()
    let gone = StoreError.unavailable("gone")
    switch call {
    case .lead: lab.store.lead = { () throws(StoreError) in throw gone }
    case .now: lab.store.now = { () throws(StoreError) in throw gone }
    case .queueClocks: lab.store.queueClocks = { () throws(StoreError) in throw gone }
    case .layout: lab.store.layout = { () throws(StoreError) in throw gone }
    case .overdue: lab.store.overdue = { _, _, _ throws(StoreError) in throw gone }
    case .daily: lab.store.daily = { _ throws(StoreError) in throw gone }
    case .keepDaily: lab.store.keepDaily = { _ throws(StoreError) in throw gone }
    case .rank: lab.store.rank = { _ throws(StoreError) in throw gone }
    case .fanOutDaily: lab.store.fanOutDaily = { _, _ throws(StoreError) in throw gone }
    case .movers: lab.store.movers = { _, _ throws(StoreError) in throw gone }
    case .remindTurns: lab.store.remindTurns = { _, _, _ throws(StoreError) in throw gone }
    case .remindDaily:
      lab.store.remindDaily = { _, _ throws(StoreError) in throw gone }
      lab.now = Instant.noon.adding(seconds: 9 * 3_600)
    case .publish: lab.bus.send = { _ throws(BusError) in throw .disconnected("gone") }
    }
    #expect(
      throws: call == .publish ? Interruption.bus(.disconnected("gone")) : .store(gone)
    ) {
      // The daily is dealt in a round and told after it; then players are ranked; of its end they are
      // reminded when reminders are looked for again.
      for _ in 0..<3 { try lab.scheduler.step() }
      lab.clock.pass(.seconds(10))
      for _ in 0..<4 { try lab.scheduler.step() }
    }
    let next = SchedulerLab()
    next.dealt = lab.dealt
    try next.scheduler.step()
    try next.scheduler.step()
    let day = DailyKey(day: Day(containing: .noon))
    #expect(next.dealt[day] != nil)
    #expect(next.acts.contains("tell \(day)"))
    #expect(Set(next.published.map { $0.slot.number % 4 }).count == 4)
  }

  @Test(
    "Those who wait and fit are proposed once in ten seconds, to the queue of the match that goes on"
  )
  func mergers() throws {
    let lab = SchedulerLab()
    let rows = [1, 2, 3].map { (number: UInt128) in
      Pairing.Waiting(
        match: MatchID(rawValue: number),
        seeker: .init(
          player: PlayerID(rawValue: number), rating: number == 3 ? 2_500 : 1_500, since: .noon))
    }
    lab.movers = rows.map { own in .init(own: own, others: rows.filter { $0 != own }, met: []) }
    try lab.second()
    let reason = MeetingReason(ratingDistance: 0, window: 100, waitedSeconds: 0)
    let merger = Merger(
      kept: MatchID(rawValue: 1), merged: MatchID(rawValue: 2), reason: reason)
    #expect(lab.events.last?.action == .mergeProposed(merger))
    #expect(lab.published.last?.slot == Slot(of: merger.kept))
    lab.consume()
    for _ in 0..<9 { try lab.second() }
    #expect(lab.mergeCount == 1)
    for _ in 0..<2 { try lab.second() }
    #expect(lab.mergeCount == 2, "what came of it is not known: proposed again")
  }

  @Test("Whoever waits is looked through page after page, and then from the beginning")
  func moverPages() throws {
    let lab = SchedulerLab()
    lab.settings.moverLimit = 2
    lab.movers = (UInt128(1)...3).map { number in
      let own = Pairing.Waiting(
        match: MatchID(rawValue: number),
        seeker: .init(player: PlayerID(rawValue: number), rating: 1_500, since: .noon))
      // The third one fits the first.
      let others =
        number == 3
        ? [
          Pairing.Waiting(
            match: MatchID(rawValue: 9),
            seeker: .init(player: PlayerID(rawValue: 9), rating: 1_500, since: .noon), hasTurn: true
          )
        ]
        : []
      return .init(own: own, others: others, met: [])
    }
    try lab.second()
    #expect(lab.mergeCount == 0)
    try lab.second()
    #expect(lab.mergeCount == 1)
  }

  @Test("Who waits cannot be looked up: nobody is kept from the ticks")
  func moversRefused() throws {
    let lab = SchedulerLab()
    lab.store.movers = { _, _ throws(StoreError) in throw .rejected("no") }
    try lab.second()
    #expect(lab.events.count == 4)
  }

  @Test("A store or a broker that is gone interrupts")
  func gone() {
    let storeless = SchedulerLab()
    storeless.store.queueClocks = { () throws(StoreError) in throw .unavailable("gone") }
    #expect(throws: Interruption.store(.unavailable("gone"))) {
      try storeless.scheduler.step()
    }
    let brokerless = SchedulerLab()
    brokerless.bus.send = { _ throws(BusError) in throw .disconnected("gone") }
    #expect(throws: Interruption.bus(.disconnected("gone"))) { try brokerless.scheduler.step() }
  }

  @Test("Every ten seconds turns are reminded of, at once again where there are more than fit")
  func turnReminders() throws {
    let lab = SchedulerLab()
    lab.reminders = 1_100
    var found: [[String]] = []
    for _ in 0..<14 {
      lab.forget()
      lab.consume()
      try lab.second()
      found.append(lab.acts.filter { $0.hasPrefix("remind") })
      if found.count == 5 { lab.reminders = 1 }
    }
    #expect(found.prefix(3).map { $0 } == [["remind 500"], ["remind 500"], ["remind 100"]])
    #expect(found.dropFirst(3).joined().map { $0 } == ["remind 1"])
  }

  @Test("Three hours before its day ends players are reminded of a daily, once")
  func dailyReminders() throws {
    let lab = SchedulerLab()
    let key = DailyKey(day: Day(containing: .noon))
    lab.now = key.reminderAt.adding(seconds: -15)
    lab.reminderChunks = 3
    var found: [Int] = []
    for second in 0..<60 {
      lab.consume()
      lab.forget()
      try lab.second()
      for _ in 0..<4 { try lab.scheduler.step() }
      let count = lab.acts.count { $0 == "remind of \(key)" }
      if count > 0 { found += Array(repeating: second, count: count) }
    }
    #expect(found.count == 3)
    #expect(found.allSatisfy { $0 >= 10 && $0 <= 30 })
  }

  @Test("A queue that is full is named, and gets its ticks all the same: there may be room by now")
  func fullQueue() throws {
    let lab = SchedulerLab()
    lab.troubles = [required(Slot(number: 2)): .refused("full")]
    try lab.second()
    #expect(lab.published.map { $0.slot.number % 4 } == [0, 1, 2, 3])
  }

  @Test("A queue that confirms nothing gets nothing more, and keeps nobody from anything")
  func silentQueue() throws {
    let lab = SchedulerLab()
    lab.chunks = 2
    lab.reminders = 1
    lab.toRank = 5
    lab.troubles = [required(Slot(number: 2)): .timedOut("not confirmed for 3 s")]
    try lab.second()
    for _ in 0..<6 { try lab.scheduler.step() }
    #expect(Set(lab.published.map { $0.slot.number % 4 }) == [0, 1, 3])
    let key = DailyKey(day: Day(containing: .noon))
    #expect(lab.acts.contains("tell \(key)") && lab.acts.contains("remind 1"))
    #expect(lab.toRank < 5)
    lab.troubles = [:]
    lab.forget()
    lab.consume()
    for _ in 0..<3 { try lab.second() }
    #expect(Set(lab.published.map { $0.slot.number % 4 }) == [0, 1, 2, 3])
  }

  @Test("A broker that takes nothing keeps nobody from what needs no broker")
  func alarm() throws {
    let lab = SchedulerLab()
    lab.bus.send = { _ throws(BusError) in throw .refused("low on memory") }
    lab.reminders = 1
    try lab.second()
    #expect(lab.acts.contains("remind 1"))
  }
}
