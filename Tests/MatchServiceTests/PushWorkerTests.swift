import CustomDump
import MatchCore
import MatchInterfaces
import Synchronization
import Testing

@testable import MatchService

@Suite("The push worker")
struct PushWorkerTests {
  @Test("A job that holds is handed over, recorded, and only then acknowledged")
  func delivered() throws {
    let lab = PushLab()
    let sent = Sent()
    lab.expectNewJobs()
    lab.expectRecord()
    lab.provider = .each {
      sent.add($0)
      return .taken
    }
    lab.deliver(1)
    #expect(try lab.worker.step() == 1)
    #expect(lab.acts == ["delivered 1", "ack 1"])
    expectNoDifference(
      sent.all.map { [$0.title, $0.body] },
      [["Your turn", "Bob has played. The match waits for your move."]])
  }

  /// The calls of a push worker that can fail, in their order.
  enum FailingCall: Int, CaseIterable {
    case receive, brief, record, acknowledge
  }

  // Failure: PushBus.receive: The worker starts over.
  // Failure: PushBus.acknowledge: The job is recorded. The worker drops it when it comes again.
  @Test(
    "A failing call acknowledges no job without its record, and the job comes again",
    arguments: FailingCall.allCases)
  func failingCall(call: FailingCall) throws {
    let lab = PushLab()
    let sent = Sent()
    lab.expectNewJobs()
    lab.expectRecord()
    lab.provider = .each {
      sent.add($0)
      return .taken
    }
    let gone = StoreError.unavailable("gone")
    let cut = BusError.disconnected("gone")
    switch call {
    case .receive: lab.bus.receive.fail(with: cut)
    case .brief: lab.store.brief.fail(with: gone)
    case .record: lab.store.record.fail(with: gone)
    case .acknowledge: lab.bus.acknowledge.fail(with: cut)
    }
    lab.deliver(1)
    if call == .receive || call == .acknowledge {
      #expect(throws: Interruption.bus(cut)) { try lab.worker.step() }
    } else {
      // It waits, and keeps its jobs in hand.
      for _ in 0..<100 { try lab.worker.step() }
      #expect(lab.worker.trouble == .store(gone))
    }
    let acts = lab.acts.filter { $0 != "reconnect" }
    #expect(acts == (call == .acknowledge ? ["delivered 1"] : []))
    #expect(sent.all.count == (call.rawValue < FailingCall.record.rawValue ? 0 : 1))
  }

  @Test("A job that was delivered before is only acknowledged")
  func known() throws {
    let lab = PushLab()
    lab.expectJobs { _ in .handled }
    lab.deliver(1)
    try lab.worker.step()
    #expect(lab.acts == ["ack 1"])
  }

  @Test("The same job twice at once is handed over once")
  func twice() throws {
    let lab = PushLab()
    let sent = Sent()
    lab.expectNewJobs()
    lab.expectRecord()
    lab.provider = .each {
      sent.add($0)
      return .taken
    }
    lab.deliver(1)
    lab.deliver(1)
    try lab.worker.step()
    // The second one is known as a repetition before the first one is sent.
    #expect(lab.acts == ["delivered 1", "ack 2, 1"])
    #expect(sent.all.count == 1)
  }

  @Test("A step records its hand-overs in one transaction, each job as it went")
  func batch() throws {
    let lab = PushLab()
    lab.expectJobs { $0.id.rawValue == 2 ? .stale(.answered) : .due(.plain) }
    lab.expectRecord()
    lab.expectRetry()
    lab.provider = .each { notification in
      switch notification.job.id.rawValue {
      case 3: .refused("no such device")
      case 4, 5: .later("busy", after: nil)
      default: .taken
      }
    }
    for number in 1...6 { lab.deliver(UInt128(number), attempts: number == 5 ? 1 : 0) }
    #expect(try lab.worker.step() == 6)
    // All are judged before the first one is sent.
    #expect(
      lab.acts == [
        "dropped 2, delivered 1, failed 3, delivered 6", #"bury ["no such device"]"#,
        "retry 4 after 1, 5 after 10", "ack 2, 1, 3, 6",
      ])
  }

  @Test("A turn that is no longer due is dropped and never handed over")
  func stale() throws {
    let lab = PushLab()
    lab.expectJobs { _ in .stale(.answered) }
    lab.expectRecord()
    lab.deliver(1)
    try lab.worker.step()
    #expect(lab.acts == ["dropped 1", "ack 1"])
  }

  // Failure: PushFailure: There is no answer of a push service. The worker tries again twelve times
  //   within 26 to 33 hours, after longer and longer delays, and seven times if a client chose the
  //   server. An address that must not be reached is tried as often, so that its client learns
  //   nothing.
  @Test(
    "A provider that refuses for now is tried again for a day, after ever longer times",
    arguments: Array(PushWorkerSettings().delays.enumerated().map { ($0, $1) }))
  func temporary(attempts: Int, delay: PushBus.RetryDelay) throws {
    let lab = PushLab()
    lab.expectNewJobs()
    lab.expectRecord()
    lab.expectRetry()
    lab.provider = .each { _ in .later("busy", after: nil) }
    lab.deliver(1, attempts: attempts)
    try lab.worker.step()
    #expect(lab.acts == ["retry 1 after \(delay.rawValue)"])
  }

  @Test(
    "A provider that wants to be left alone is, as far as the delays go",
    arguments: [
      (0, 1, PushBus.RetryDelay.oneSecond), (0, 2, .tenSeconds), (0, 11, .oneMinute),
      (0, 48, .oneMinute), (0, 60, .fiveMinutes), (0, 300, .halfAnHour), (0, 3_600, .twoHours),
      (0, 86_400, .fiveHours), (1, 1, .tenSeconds), (2, 1, .oneMinute), (11, 1, .fiveHours),
    ])
  func busy(attempts: Int, seconds: Int, delay: PushBus.RetryDelay) throws {
    let lab = PushLab()
    lab.expectNewJobs()
    lab.expectRecord()
    lab.expectRetry()
    lab.provider = .each { _ in .later("429", after: .seconds(seconds)) }
    lab.deliver(1, attempts: attempts)
    try lab.worker.step()
    #expect(lab.acts == ["retry 1 after \(delay.rawValue)"])
  }

  @Test("A long wait loses a random fifth at most, a short one nothing")
  func jitter() {
    for delay in PushBus.RetryDelay.allCases {
      let whole = Int64(delay.rawValue) * 1_000
      let isLong = delay.rawValue >= 60
      #expect(delay.milliseconds(random: 0) == whole)
      for random in [1, 77, UInt64(whole / 5), 0x9e37_79b9_7f4a_7c15, .max] as [UInt64] {
        let wait = delay.milliseconds(random: random)
        #expect(wait <= whole && wait >= (isLong ? whole - whole / 5 : whole))
        #expect(.milliseconds(wait) >= delay.least)
      }
      #expect(delay.least == .milliseconds(isLong ? whole - whole / 5 : whole))
    }
    let settings = PushWorkerSettings()
    let least = settings.delays.reduce(Duration.zero) { $0 + $1.least }
    #expect(least > .seconds(26 * 3_600), "a provider may be down for a day")
    let clients = settings.delays.prefix(settings.clientDelayLimit)
    #expect(Array(clients) == PushBus.RetryDelay.allCases, "a client's server gains nothing by it")
  }

  @Test("A slow provider makes no step long: jobs that were taken wait for the next one")
  func slow() throws {
    let lab = PushLab()
    lab.expectNewJobs()
    lab.expectRecord()
    lab.bus.serveHeartbeats.answer { [unowned lab] in lab.acts.append("alive") }
    let clock = lab.clock
    lab.provider = .each { _ in
      clock.pass(.milliseconds(300))
      return .taken
    }
    for number in 1...5 { lab.deliver(UInt128(number)) }
    #expect(try lab.worker.step() == 2)
    #expect(lab.acts == ["alive", "delivered 1, delivered 2", "ack 1, 2"])
    lab.acts = []
    #expect(try lab.worker.step() == 2)
    #expect(lab.acts == ["alive", "alive", "delivered 3, delivered 4", "ack 3, 4"])
    #expect(try lab.worker.step() == 1)
    #expect(try lab.worker.step() == 0)
  }

  @Test("A flood of two players makes nobody else wait for more than a job of each a round")
  func flood() throws {
    let lab = PushLab()
    let sent = Sent()
    lab.expectNewJobs()
    lab.expectRecord()
    let clock = lab.clock
    lab.provider = .each {
      sent.add($0)
      clock.pass(.milliseconds(130))
      return .taken
    }
    for number in 1...250 { lab.deliver(UInt128(number), to: number % 2 == 0 ? .ann : .bob) }
    for _ in 0..<3 { try lab.worker.step() }
    let before = sent.all.count
    #expect(before < 20)
    for number in 501...503 { lab.deliver(UInt128(number), to: .cyd) }
    while sent.all.count < 253 { try lab.worker.step() }
    let places = sent.all.indices.filter { sent.all[$0].job.player == TestPlayer.cyd.id }
    #expect(places.count == 3)
    #expect(zip(1..., places).allSatisfy { $1 <= before + 3 * $0 })
    #expect(Set(sent.all.map(\.job.id)).count == 253)
  }

  @Test("The number of jobs in hand is limited, and a stale job costs no hand-over")
  func bounded() throws {
    let lab = PushLab()
    lab.settings.lineLimit = 40
    var rooms: [Int] = []
    lab.bus.receive.answer { [unowned lab] limit, _ in
      rooms.append(limit)
      defer { lab.arriving.removeFirst(min(limit, lab.arriving.count)) }
      return Array(lab.arriving.prefix(limit))
    }
    let sent = Sent()
    lab.expectJobs { $0.player == TestPlayer.ann.id ? .stale(.answered) : .due(.plain) }
    lab.expectRecord()
    let clock = lab.clock
    lab.provider = .each {
      sent.add($0)
      clock.pass(.milliseconds(300))
      return .taken
    }
    for number in 1...100 { lab.deliver(UInt128(number), to: number <= 90 ? .ann : .bob) }
    let started = clock.uptime
    while !lab.arriving.isEmpty { try lab.worker.step() }
    while try lab.worker.step() > 0 {}
    #expect(rooms.allSatisfy { $0 <= 40 })
    #expect(sent.all.map(\.job.id.rawValue) == Array(91...100))
    #expect(clock.uptime - started == 3_000_000_000)
  }

  @Test("A provider that refuses a thirteenth time, or for good, has failed: a dead letter")
  func failed() throws {
    for (attempts, verdict, reason) in [
      (12, PushVerdict.later("full", after: nil), "full"), (99, .later("full", after: nil), "full"),
      (12, .later("busy", after: .seconds(1)), "busy"),
      (0, .refused("no such device"), "no such device"),
    ] {
      let lab = PushLab()
      lab.expectNewJobs()
      lab.expectRecord()
      lab.provider = .each { _ in verdict }
      lab.deliver(1, attempts: attempts)
      try lab.worker.step()
      #expect(lab.acts == ["failed 1", "bury [\"\(reason)\"]", "ack 1"])
    }
  }

  @Test("A message that is no job is acknowledged and touches nothing else")
  func unreadable() throws {
    let lab = PushLab()
    lab.arriving = [.init(tag: 9, job: nil, attempts: 0, body: [1, 2])]
    try lab.worker.step()
    #expect(lab.acts == ["ack 9"])
  }

  @Test("A job that the store will never record does not come back for ever")
  func recordRejected() throws {
    let lab = PushLab()
    lab.expectNewJobs()
    lab.store.record.answer { [unowned lab] results throws(StoreError) in
      let outcomes = results.outcomes
      if outcomes.contains(where: { $0.job.id.rawValue == 2 }) { throw .rejected("no such player") }
      lab.acts.append("recorded \(outcomes.map(\.job.id.rawValue))")
    }
    lab.provider = .taking
    for number in 1...3 { lab.deliver(UInt128(number)) }
    try lab.worker.step()
    #expect(lab.acts == ["recorded [1]", "recorded [3]", "ack 1, 2, 3"])
  }

  @Test("A job with an unreadable match fails, and does not come back for ever")
  func unreadableMatch() throws {
    let lab = PushLab()
    lab.store.brief.answer { jobs throws(StoreError) in
      if jobs.contains(where: { $0.id.rawValue == 2 }) { throw .rejected("no such state") }
      return Dictionary(jobs.map { ($0.id, .due(.plain)) }) { $1 }
    }
    lab.expectRecord()
    lab.provider = .taking
    for number in 1...3 { lab.deliver(UInt128(number)) }
    while try lab.worker.step() > 0 {}
    #expect(
      lab.acts == [
        "delivered 1", "ack 1", "failed 2", #"bury ["the store cannot read what it is about"]"#,
        "ack 2", "delivered 3", "ack 3",
      ])
  }

  @Test("The broker is not asked after each of several quick hand-overs")
  func quick() throws {
    let lab = PushLab()
    lab.expectNewJobs()
    lab.expectRecord()
    lab.bus.serveHeartbeats.answer { [unowned lab] in lab.acts.append("alive") }
    let clock = lab.clock
    lab.provider = .each { _ in
      clock.pass(.milliseconds(40))
      return .taken
    }
    for number in 1...4 { lab.deliver(UInt128(number)) }
    #expect(try lab.worker.step() == 4)
    #expect(lab.acts.filter { $0 == "alive" }.count == 1)
  }

  // Failure: PushBus.serveHeartbeats: The worker records everything it handed over. The rest comes
  //   again.
  @Test("A broker that takes no sign of life interrupts: the remaining jobs come again")
  func brokerGoneBetween() {
    let lab = PushLab()
    lab.expectNewJobs()
    lab.expectRecord()
    lab.bus.serveHeartbeats.fail(with: .disconnected("gone"))
    let clock = lab.clock
    lab.provider = .each { _ in
      clock.pass(.milliseconds(100))
      return .taken
    }
    lab.deliver(1)
    lab.deliver(2)
    #expect(throws: Interruption.bus(.disconnected("gone"))) { try lab.worker.step() }
    #expect(lab.acts == ["delivered 1"])
  }

  // Failure: PushBus.retry: The delivery stays as it was.
  @Test("A broker that is gone at the retry interrupts: the job comes again by itself")
  func brokerGone() {
    let lab = PushLab()
    lab.expectNewJobs()
    lab.expectRecord()
    lab.bus.retry.fail(with: .disconnected("gone"))
    lab.provider = .each { _ in .later("busy", after: nil) }
    lab.deliver(1)
    #expect(throws: Interruption.bus(.disconnected("gone"))) { try lab.worker.step() }
    #expect(lab.acts == [])
  }

  @Test("All invitations of one sender show as one notification, those of two as two")
  func invitations() {
    let keys = [TestPlayer.bob, .bob, .cyd].enumerated().map { number, sender in
      let job = PushJob(
        id: PushJobID(rawValue: UInt128(number)), kind: .invited, player: TestPlayer.ann.id,
        match: MatchID(rawValue: UInt128(number)))
      let details = PushStore.Details(opponent: .init(sender.id, sender.name.text))
      return JSONLine(PushNotification(.one(job, details)))["collapseKey"]
    }
    let (bob, cyd) = (TestPlayer.bob.id, TestPlayer.cyd.id)
    #expect(keys == [.text("invited-\(bob)"), .text("invited-\(bob)"), .text("invited-\(cyd)")])
  }

  @Test("The notification of a day's challenge tells yesterday's rank, where there is one")
  func yesterday() {
    let job = PushJob(
      dailyReady: DailyKey(day: Day(containing: .noon)), to: TestPlayer.ann.id)
    let told = PushNotification(
      .one(job, PushStore.Details(yesterday: .init(rank: 3, outOf: 41))))
    #expect(
      told.body == "The challenge of 2026-05-01 is there. Yesterday you were number 3 of 41.")
    let untold = PushNotification(.one(job, PushStore.Details()))
    #expect(untold.body == "The challenge of 2026-05-01 is there.")
  }

  @Test("The log provider writes one JSON line a notification, keys sorted")
  func logProvider() throws {
    let lines = Mutex<[String]>([])
    let lab = PushLab()
    lab.expectNewJobs()
    lab.expectRecord()
    lab.provider = .log(
      to: LineSink { line in
        lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
      })
    lab.deliver(1)
    lab.deliver(2, .dailyReady)
    try lab.worker.step()
    let (one, two) = (PushJobID(rawValue: 1), PushJobID(rawValue: 2))
    expectNoDifference(
      lines.withLock { $0 },
      [
        #"{"body":"Bob has played. The match waits for your move.","#
          + #""collapseKey":"match-\#(MatchID(rawValue: 601))","#
          + #""id":"\#(one)","kind":"yourTurn","match":"\#(MatchID(rawValue: 601))","#
          + #""player":"\#(TestPlayer.ann.id)","title":"Your turn","turn":2}"# + "\n",
        #"{"body":"The challenge of 2026-05-01 is there.","collapseKey":"daily-2026-05-01","#
          + #""day":"2026-05-01","id":"\#(two)","kind":"dailyReady","#
          + #""player":"\#(TestPlayer.ann.id)","title":"Today's challenge"}"# + "\n",
      ])
  }

  // Failure: LineSinkError: A log or push file cannot be written.
  @Test("A log that cannot be written is a temporary failure")
  func logProviderFails() {
    let provider = PushProvider.log(
      to: LineSink { _ throws(LineSinkError) in throw LineSinkError(code: 28) })
    let job = PushJob(id: PushJobID(rawValue: 1), kind: .yourTurn, player: TestPlayer.ann.id)
    let parcels = provider.parcels(PushNotification(.one(job, PushStore.Details())), .noon)
    let verdicts = parcels.map { parcel -> PushVerdict? in
      if case .finished(let verdict) = parcel.work { verdict } else { nil }
    }
    #expect(verdicts == [.later("No space left on device", after: nil)])
  }

  // Failure: Interruption.receiver: A provider has taken no notification for a minute, or libcurl
  //   cannot be used. The push worker keeps trying, and `cubistd status` names the provider.
  @Test("A receiver that has taken nothing for a minute is the worker's trouble until it takes one")
  func receiverDown() throws {
    let lab = PushLab()
    lab.expectNewJobs()
    lab.expectRecord()
    lab.expectRetry()
    let isDown = Mutex(true)
    lab.provider = .each { _ in
      isDown.withLock { $0 } ? .later("connection refused", after: nil) : .taken
    }
    func attempt(_ attempts: Int, after pause: Duration) throws {
      lab.clock.pass(pause)
      lab.deliver(1, attempts: attempts)
      try lab.worker.step()
    }
    try attempt(0, after: .zero)
    try attempt(1, after: .seconds(1))
    try attempt(2, after: .seconds(10))
    #expect(lab.worker.trouble == nil)
    lab.clock.pass(.seconds(49))
    let trouble = try #require(lab.worker.trouble)
    #expect("\(trouble)".contains("connection refused"))
    try attempt(3, after: .seconds(11))
    // Until the next attempt, five minutes later, it stays.
    lab.clock.pass(.seconds(299))
    #expect(lab.worker.trouble == trouble)
    isDown.withLock { $0 = false }
    try attempt(4, after: .seconds(1))
    #expect(lab.worker.trouble == nil)
    // If another worker has the job, nothing is known of it after a while.
    isDown.withLock { $0 = true }
    try attempt(1, after: .zero)
    try attempt(2, after: .seconds(10))
    lab.clock.pass(.seconds(119))
    #expect(lab.worker.trouble != nil)
    lab.clock.pass(.seconds(1))
    #expect(lab.worker.trouble == nil)
  }
}
