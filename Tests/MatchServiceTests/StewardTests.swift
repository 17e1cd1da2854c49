import CubeLexicon
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

@Suite("The steward")
struct StewardTests {
  @Test("The daily of the store's today is dealt once and told in chunks until everybody knows")
  func daily() throws {
    let lab = SchedulerLab()
    lab.chunks = 3
    try lab.steward.step()
    let key = DailyKey(day: Day(containing: .noon))
    let timed = DailyKey(day: key.day, mode: .timed)
    #expect(lab.acts == ["keep \(key)", "keep \(timed)"])
    let challenge = try #require(lab.dealt[key])
    #expect(
      challenge
        == Dealer.daily(key, lexicon: .everyWord, secret: ServiceIdentity.test.secret))
    for _ in 0..<5 { try lab.steward.step() }
    #expect(lab.acts.suffix(3) == ["tell \(key)", "tell \(key)", "tell \(key)"])
    lab.forget()
    for _ in 0..<3 { try lab.stewardSecond() }
    #expect(lab.acts == [], "once a day is enough, and of both modes together")
  }

  @Test("A daily that another steward dealt is not dealt again, but told to the end")
  func dailyAlreadyDealt() throws {
    let lab = SchedulerLab()
    let key = DailyKey(day: Day(containing: .noon))
    for key in [key, DailyKey(day: key.day, mode: .timed)] {
      lab.dealt[key] = DailyChallenge(key: key, lexicon: "x", letters: "y")
    }
    for _ in 0..<3 { try lab.steward.step() }
    #expect(lab.acts == ["tell \(key)"])
  }

  @Test("Nothing is dealt before midnight, and after an outage today's, never a past one")
  func midnight() throws {
    let lab = SchedulerLab()
    let today = Day(containing: .noon)
    lab.now = today.end.adding(microseconds: -1)
    try lab.steward.step()
    #expect(Set(lab.dealt.keys.map(\.day)) == [today])
    // Three days later.
    lab.now = today.end.adding(seconds: 2 * 86_400 + 5)
    lab.clock.pass(.seconds(1))
    try lab.steward.step()
    #expect(Set(lab.dealt.keys.map(\.day)) == [today, Day(containing: lab.now)])
  }

  @Test("Every waiting player is ranked, and the steward looks for more once a second")
  func ranking() throws {
    let lab = SchedulerLab()
    lab.dealt = Dictionary(
      uniqueKeysWithValues: SoloMode.allCases.map {
        let key = DailyKey(day: Day(containing: .noon), mode: $0)
        return (key, DailyChallenge(key: key, lexicon: "x", letters: "y"))
      })
    lab.toRank = 3
    // The round, the announcement of the daily, three portions, and the one that finds no player.
    for _ in 0..<6 { try lab.steward.step() }
    #expect(lab.toRank == -1)
    try lab.steward.step()
    #expect(lab.toRank == -1, "nobody is looked for before the next second")
    lab.clock.pass(.seconds(1))
    for _ in 0..<2 { try lab.steward.step() }
    #expect(lab.toRank == -2)
  }

  @Test("A call that the store refuses is the steward's trouble, and for ten seconds after")
  func trouble() throws {
    let lab = SchedulerLab()
    var isLocked = false
    lab.store.movers.answer { _, _ throws(StoreError) in
      if isLocked { throw .conflict("open_seats is locked") }
      return []
    }
    try lab.stewardSecond()
    #expect(lab.steward.trouble == nil)
    isLocked = true
    try lab.stewardSecond()
    #expect(lab.steward.trouble == .store(.conflict("open_seats is locked")))
    isLocked = false
    for _ in 0..<5 { try lab.stewardSecond() }
    #expect(lab.steward.trouble != nil, "between two failures it has not ended")
    for _ in 0..<6 { try lab.stewardSecond() }
    #expect(lab.steward.trouble == nil)
  }

  @Test("A steward without the lead does nothing at all, and one that loses it stops")
  func losesLead() throws {
    let lab = SchedulerLab()
    lab.chunks = 100
    try lab.stewardSecond()
    lab.leads = false
    lab.forget()
    (lab.store.now, lab.store.queueClocks) = (
      SchedulerStore.failing.now, SchedulerStore.failing.queueClocks
    )
    for _ in 0..<3 { try lab.stewardSecond() }
    #expect(lab.published.isEmpty)
    #expect(lab.acts == [])
  }

  @Test("A queue that nobody takes from, or that has seen no tick yet, gets no mergers")
  func abandonedQueue() throws {
    let lab = SchedulerLab()
    let rows = [1, 2].map { (number: UInt128) in
      Pairing.Waiting(
        match: MatchID(rawValue: number),
        seeker: .init(player: PlayerID(rawValue: number), rating: 1_500, since: .noon))
    }
    lab.movers = rows.map { own in .init(own: own, others: rows.filter { $0 != own }, met: []) }
    try lab.stewardSecond()
    lab.consume()
    for queue in 0..<4 { lab.clocks[queue] = QueueClock(time: lab.now.adding(seconds: -60)) }
    try lab.stewardSecond()
    #expect(lab.mergeCount == 0)
    lab.consume()
    try lab.stewardSecond()
    #expect(lab.mergeCount == 1)
  }

  @Test("Players blocked by all hide no others: seats are looked through for a quarter second")
  func manyBlocked() throws {
    let lab = SchedulerLab()
    let rows = (1...1_000).map { (number: UInt128) in
      Pairing.Waiting(
        match: MatchID(rawValue: number),
        seeker: .init(player: PlayerID(rawValue: number), rating: 1_500, since: .noon))
    }
    // All but the last two have blocked everybody.
    lab.movers = rows.map { own in
      .init(own: own, others: rows.suffix(2).filter { _ in own.match.rawValue > 998 }, met: [])
    }
    let movers = lab.store.movers
    lab.store.movers.answer { (after, limit) throws(StoreError) in
      lab.clock.pass(.milliseconds(20))
      return try movers(after, limit)
    }
    lab.consume()
    try lab.stewardSecond()
    #expect(lab.mergeCount == 0, "650 were looked at")
    lab.consume()
    try lab.stewardSecond()
    #expect(lab.mergeCount == 1)
  }

  @Test("Each other duty that is due has its turn between two long rounds")
  func slowRounds() throws {
    let lab = SchedulerLab()
    lab.store.movers.answer { _, _ in
      lab.clock.pass(.seconds(10))
      return []
    }
    (lab.chunks, lab.toRank) = (2, 3)
    for _ in 0..<20 { try lab.steward.step() }
    #expect(lab.toRank < 0)
    #expect(lab.acts.count { $0.hasPrefix("tell") } == 2)
  }

  /// The calls of a steward that can fail and end it.
  enum FailingCall: CaseIterable {
    case lead, now, queueClocks, layout, daily, keepDaily, rank, fanOutDaily, remindTurns,
      remindDaily, remindOffers, remindByLocalTime, movers, publish
  }

  // Failure: SchedulerStore.now: The next round does the work of this one.
  // Failure: SchedulerStore.daily, SchedulerStore.keepDaily: The next round deals the challenge.
  // Failure: SchedulerStore.rank: Nobody is ranked twice or left out. Waiting results keep waiting.
  // Failure: SchedulerStore.fanOutDaily: The next round continues from the cursor.
  // Failure: SchedulerStore.remindTurns, SchedulerStore.remindOffers: The next round reminds.
  // Failure: SchedulerStore.remindDaily: The next round reminds from the cursor on.
  // Failure: SchedulerStore.remindByLocalTime: The next round does it. A job that exists is not
  //   owed twice.
  // Failure: SchedulerStore.movers: Waiting players keep waiting. The steward looks again every
  //   second.
  @Test(
    "Any failing call stops the steward, and the next one does its work",
    arguments: FailingCall.allCases)
  func failingCall(call: FailingCall) throws {
    let lab = SchedulerLab()
    let gone = StoreError.unavailable("gone")
    switch call {
    case .lead: lab.store.lead.fail(with: gone)
    case .now: lab.store.now.fail(with: gone)
    case .queueClocks: lab.store.queueClocks.fail(with: gone)
    case .layout: lab.store.layout.fail(with: gone)
    case .daily: lab.store.daily.fail(with: gone)
    case .keepDaily: lab.store.keepDaily.fail(with: gone)
    case .rank: lab.store.rank.fail(with: gone)
    case .fanOutDaily: lab.store.fanOutDaily.fail(with: gone)
    case .movers: lab.store.movers.fail(with: gone)
    case .remindTurns: lab.store.remindTurns.fail(with: gone)
    case .remindOffers: lab.store.remindOffers.fail(with: gone)
    case .remindByLocalTime: lab.store.remindByLocalTime.fail(with: gone)
    case .remindDaily:
      lab.store.remindDaily.fail(with: gone)
      lab.now = Instant.noon.adding(seconds: 9 * 3_600)
    case .publish: lab.bus.troubles.fail(with: .disconnected("gone"))
    }
    #expect(
      throws: call == .publish ? Interruption.bus(.disconnected("gone")) : .store(gone)
    ) {
      // The daily is dealt in a round and announced after it; then players are ranked. Reminders of
      // its end come when reminders are looked for again.
      for _ in 0..<3 { try lab.steward.step() }
      lab.clock.pass(.seconds(10))
      for _ in 0..<4 { try lab.steward.step() }
    }
    let next = SchedulerLab()
    next.dealt = lab.dealt
    for _ in 0..<2 { try next.steward.step() }
    let day = DailyKey(day: Day(containing: .noon))
    #expect(next.dealt[day] != nil)
    #expect(next.acts.contains("tell \(day)"))
  }

  @Test(
    "Fitting waiters are proposed once in ten seconds, to the queue of the remaining match"
  )
  func mergers() throws {
    let lab = SchedulerLab()
    let rows = [1, 2, 3].map { (number: UInt128) in
      Pairing.Waiting(
        match: MatchID(rawValue: number),
        seeker: .init(
          player: PlayerID(rawValue: number), rating: number == 3 ? 2_500 : 1_500, since: .noon))
    }
    lab.consume()
    lab.movers = rows.map { own in .init(own: own, others: rows.filter { $0 != own }, met: []) }
    try lab.stewardSecond()
    let reason = MeetingReason(ratingDistance: 0, window: 100, waitedSeconds: 0)
    let merger = Merger(
      kept: MatchID(rawValue: 1), merged: MatchID(rawValue: 2), reason: reason)
    #expect(lab.events.last?.action == .mergeProposed(merger))
    #expect(lab.published.last?.slot == Slot(of: merger.kept))
    lab.consume()
    for _ in 0..<9 { try lab.stewardSecond() }
    #expect(lab.mergeCount == 1)
    for _ in 0..<2 { try lab.stewardSecond() }
    #expect(lab.mergeCount == 2, "what came of it is not known: proposed again")
  }

  @Test("All waiting players are looked through page after page, and then from the beginning")
  func moverPages() throws {
    let lab = SchedulerLab()
    lab.consume()
    (lab.stewardSettings.moverLimit, lab.stewardSettings.moverTime) = (2, .zero)
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
    try lab.stewardSecond()
    #expect(lab.mergeCount == 0)
    try lab.stewardSecond()
    #expect(lab.mergeCount == 1)
  }

  @Test("A failing look-up of waiting players keeps nobody from the other duties")
  func moversRefused() throws {
    let lab = SchedulerLab()
    lab.store.movers.fail(with: .rejected("no"))
    lab.reminders = 1
    try lab.stewardSecond()
    #expect(lab.acts.contains("remind 1"))
  }

  @Test("Turns are reminded of every ten seconds, and at once again if more are due than fit")
  func turnReminders() throws {
    let lab = SchedulerLab()
    lab.reminders = 1_100
    var found: [[String]] = []
    for _ in 0..<14 {
      lab.forget()
      lab.consume()
      try lab.stewardSecond()
      found.append(lab.acts.filter { $0.hasPrefix("remind") })
      if found.count == 5 { lab.reminders = 1 }
    }
    #expect(found.prefix(3).map { $0 } == [["remind 500"], ["remind 500"], ["remind 100"]])
    #expect(found.dropFirst(3).joined().map { $0 } == ["remind 1"])
  }

  @Test("Offers of a rematch are looked at once each, the next ones ten seconds later")
  func offerReminders() throws {
    let lab = SchedulerLab()
    lab.offers = (UInt128(1)...700).map { number in
      SchedulerStore.WaitingOffer(match: MatchID(rawValue: number), at: .noon)
    }
    for _ in 0..<31 { try lab.stewardSecond() }
    #expect(
      lab.acts.filter { $0.hasSuffix("offers") } == [
        "remind of 500 offers", "remind of 200 offers",
      ])
  }

  @Test("Wishes by the players' clocks are looked at again at once if more are due than fit")
  func wishes() throws {
    let lab = SchedulerLab()
    lab.wishes = 1_100
    var found: [[String]] = []
    for _ in 0..<3 {
      lab.forget()
      try lab.stewardSecond()
      found.append(lab.acts.filter { $0.hasSuffix("wishes") })
    }
    #expect(found == [["look at 500 wishes"], ["look at 500 wishes"], ["look at 100 wishes"]])
  }

  @Test("Players are reminded of a daily three hours before its day ends, once")
  func dailyReminders() throws {
    let lab = SchedulerLab()
    let key = DailyKey(day: Day(containing: .noon))
    lab.now = key.reminderAt.adding(seconds: -15)
    lab.reminderChunks = 3
    var found: [Int] = []
    for second in 0..<60 {
      lab.consume()
      lab.forget()
      try lab.stewardSecond()
      for _ in 0..<4 { try lab.steward.step() }
      let count = lab.acts.count { $0 == "remind of \(key)" }
      if count > 0 { found += Array(repeating: second, count: count) }
    }
    #expect(found.count == 3)
    #expect(found.allSatisfy { $0 >= 10 && $0 <= 30 })
  }

  @Test("A queue that confirms nothing keeps nobody from anything")
  func silentQueue() throws {
    let lab = SchedulerLab()
    (lab.chunks, lab.reminders, lab.toRank) = (2, 1, 5)
    lab.troubles = [required(Slot(number: 2)): .timedOut("not confirmed for 3 s")]
    try lab.stewardSecond()
    for _ in 0..<6 { try lab.steward.step() }
    let key = DailyKey(day: Day(containing: .noon))
    #expect(lab.acts.contains("tell \(key)") && lab.acts.contains("remind 1"))
    #expect(lab.toRank < 5)
  }

  // Failure: SchedulerBus.send: During an alarm no ticks go out, and work without the broker goes
  //   on. After any other failure the scheduler starts over.
  @Test("A broker that takes nothing hinders no duty that needs no broker")
  func alarm() throws {
    let lab = SchedulerLab()
    lab.bus.send.fail(with: .refused("low on memory"))
    lab.reminders = 1
    try lab.stewardSecond()
    #expect(lab.acts.contains("remind 1"))
  }
}
