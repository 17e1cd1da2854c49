import InMemoryLogging
import Logging
import MatchCore
import MatchInterfaces
import Testing

@testable import MatchService

@Suite("A push worker with a failing store")
struct PushWaitTests {
  private static let failures: [StoreError] = [
    .unavailable("disk full"), .unusable("no such table"), .conflict("lock time-out"),
    .failed("statement time-out"),
  ]

  /// A lab whose provider records the notifications it took.
  private func lab(_ sent: Sent) -> PushLab {
    let lab = PushLab()
    lab.expectNewJobs()
    lab.expectRecord()
    lab.provider = .each {
      sent.add($0)
      return .taken
    }
    return lab
  }

  /// The recorded jobs, in order.
  private func recorded(_ lab: PushLab) -> [String] {
    lab.acts.filter { $0.hasPrefix("delivered") }.flatMap {
      $0.split(separator: ", ").map { String($0) }
    }
  }

  // Failure: PushStore.brief: Nothing is handed over. The worker waits with everything in hand.
  // Failure: PushStore.record: Notifications that were handed over stay in hand. The worker records
  //   them once the store is back.
  @Test(
    "No store error hands a job over twice or gives it up; the record comes later",
    arguments: PushWaitTests.failures)
  func keeping(failure: StoreError) throws {
    let sent = Sent()
    let lab = lab(sent)
    var (failures, served) = (60, 0)
    let (brief, record) = (lab.store.brief, lab.store.record)
    lab.store.brief.answer { jobs throws(StoreError) in
      // First nothing can be read, then nothing can be written.
      if failures > 30 {
        failures -= 1
        throw failure
      }
      return try brief(jobs)
    }
    lab.store.record.answer { results throws(StoreError) in
      if failures > 0 {
        failures -= 1
        throw failure
      }
      try record(results)
    }
    lab.bus.serveHeartbeats.answer { served += 1 }
    for number in 1...3 { lab.deliver(UInt128(number), deliveryCount: 9) }
    try lab.work { lab.acts.last?.hasSuffix("3") == true && lab.acts.last?.first == "a" }
    #expect(sent.all.map(\.job.id.rawValue) == [1, 2, 3])
    #expect(recorded(lab) == ["delivered 1", "delivered 2", "delivered 3"])
    let acknowledged = lab.acts.filter { $0.hasPrefix("ack ") }.map { $0.dropFirst(4) }
    #expect(acknowledged.joined(separator: ", ") == "1, 2, 3")
    #expect(lab.acts.allSatisfy { !$0.hasPrefix("bury") })
    #expect(
      lab.acts.count { $0 == "reconnect" } == (failure.concernsTheStore ? 60 : 0))
    #expect(served > 100)
    let messages = lab.logs.entries.map { "\($0.message)" }
    // Twice at first, and once a minute.
    #expect(2...8 ~= messages.count { $0 == "push worker waits for the store" })
    #expect(messages.count { $0 == "push worker goes on" } == 2)
    #expect(lab.worker.trouble == nil)
  }

  // Failure: PushStore.bury: The job counts as failed. The worker waits and keeps the dead letter
  //   in hand.
  @Test("A store that is gone before a job is buried is told once it is back")
  func burial() throws {
    let lab = lab(Sent())
    var failures = 3
    lab.store.bury.answer { [unowned lab] dead throws(StoreError) in
      failures -= 1
      if failures >= 0 { throw .unavailable("gone") }
      lab.acts.append("bury \(dead.map(\.reason))")
    }
    lab.provider = .each { _ in .refused("gone") }
    lab.deliver(1)
    try lab.work { lab.acts.contains("ack 1") }
    #expect(
      lab.acts.filter { $0 != "reconnect" } == ["failed 1", #"bury ["gone"]"#, "ack 1"])
  }

  // Failure: PushStore.reconnect: The worker waits and serves the broker meanwhile.
  @Test("A store that cannot be reached again is tried again, while the broker is served")
  func unreachable() throws {
    let sent = Sent()
    let lab = lab(sent)
    var (attempts, served, isDown) = (0, 0, true)
    let record = lab.store.record
    lab.bus.serveHeartbeats.answer { served += 1 }
    lab.store.record.answer { results throws(StoreError) in
      if isDown { throw .unavailable("gone") }
      try record(results)
    }
    lab.store.reconnect.answer { () throws(StoreError) in
      attempts += 1
      if attempts < 20 { throw .unavailable("refused") }
      isDown = false
    }
    lab.deliver(1)
    try lab.work { lab.acts.contains("ack 1") }
    #expect(lab.acts == ["delivered 1", "ack 1"])
    #expect(sent.all.count == 1 && attempts == 20 && served > 100)
  }

  // Failure: PushBus.serveHeartbeats
  @Test("Hand-overs are recorded before it is said that the broker went meanwhile")
  func brokerGone() throws {
    let sent = Sent()
    let lab = lab(sent)
    var failures = 10
    let record = lab.store.record
    lab.store.record.answer { results throws(StoreError) in
      failures -= 1
      if failures >= 0 { throw .conflict("locked") }
      try record(results)
    }
    lab.bus.serveHeartbeats.fail(with: .disconnected("gone"))
    lab.deliver(1)
    #expect(throws: Interruption.bus(.disconnected("gone"))) { try lab.work { false } }
    #expect(lab.acts == ["delivered 1"] && sent.all.count == 1)
  }

  @Test("A push worker with nothing handed over says at once that the broker is gone")
  func brokerGoneBefore() throws {
    let lab = lab(Sent())
    lab.store.brief.fail(with: .conflict("locked"))
    lab.bus.serveHeartbeats.fail(with: .disconnected("gone"))
    lab.deliver(1)
    #expect(try lab.worker.step() == 0)
    #expect(throws: Interruption.bus(.disconnected("gone"))) { try lab.worker.step() }
  }

  @Test("A push worker that leaves while the store fails tries once more to record its hand-overs")
  func leaving() throws {
    for isBack in [true, false] {
      let lab = lab(Sent())
      var isDown = true
      let record = lab.store.record
      lab.store.record.answer { results throws(StoreError) in
        if isDown { throw .unavailable("gone") }
        try record(results)
      }
      lab.bus.close.answer { [unowned lab] in lab.acts.append("close") }
      lab.deliver(1)
      try lab.worker.step()
      isDown = !isBack
      lab.worker.leave()
      #expect(lab.acts == ["reconnect"] + (isBack ? ["delivered 1"] : []) + ["close"])
    }
  }

  @Test("Jobs that take the store too long are asked for in halves, until they fit")
  func halving() throws {
    let sent = Sent()
    let lab = lab(sent)
    var sizes: [Int] = []
    let brief = lab.store.brief
    lab.store.brief.answer { jobs throws(StoreError) in
      sizes.append(jobs.count)
      if jobs.count > 3 { throw .failed("statement time-out") }
      return try brief(jobs)
    }
    for number in 1...20 { lab.deliver(UInt128(number)) }
    for _ in 0..<20 { try lab.worker.step() }
    #expect(sent.all.map(\.job.id.rawValue) == Array(1...20))
    #expect(sizes.prefix(4) == [20, 10, 5, 2])
    #expect(lab.logs.entries.allSatisfy { $0.message != "push worker waits for the store" })
  }

  @Test(
    "A job on which the store gives up while it takes others is given up, and it alone",
    arguments: [true, false])
  func culprit(isAlone: Bool) throws {
    let sent = Sent()
    let lab = lab(sent)
    var attempts = 0
    let brief = lab.store.brief
    lab.store.brief.answer { jobs throws(StoreError) in
      if jobs.contains(where: { $0.id.rawValue == 1 }) {
        attempts += 1
        throw .failed("invalid page")
      }
      return try brief(jobs)
    }
    lab.deliver(1)
    if !isAlone { for number in 2...9 { lab.deliver(UInt128(number)) } }
    try lab.work { sent.all.count == 8 || attempts > 50 }
    // Without another job nothing shows that the store would take it.
    if isAlone { return #expect(lab.acts == []) }
    #expect(sent.all.map(\.job.id.rawValue) == Array(2...9))
    #expect(lab.acts.contains("failed 1"))
    #expect(
      lab.acts.filter { $0.hasPrefix("bury") } == [
        #"bury ["the store cannot read what it is about"]"#
      ])
    #expect(attempts == 3 + lab.settings.strikeLimit)
  }

  @Test("An idle worker told that its session is gone connects anew and works without a job")
  func idle() throws {
    let lab = self.lab(Sent())
    try lab.worker.step()
    try lab.worker.storeIsLost(.unavailable("terminating connection"))
    #expect(lab.worker.trouble != nil)
    try lab.work { lab.worker.trouble == nil }
    #expect(lab.acts == ["reconnect"])
  }
}

@Suite("A push job that may end its workers")
struct PushTrialTests {
  @Test("Jobs that end no worker are handed over at any count of deliveries, each noted first")
  func oftenDelivered() throws {
    let lab = PushLab()
    lab.expectNewJobs()
    lab.expectRecord()
    lab.store.trial.answer { [unowned lab] step, _ in
      lab.acts.append("\(step)")
      return step == .begins ? 1 : 0
    }
    lab.provider = .taking
    for (number, count) in [1, 50, 1_000_000, 9].enumerated() {
      lab.deliver(UInt128(number + 1), deliveryCount: count)
    }
    for _ in 0..<4 { try lab.worker.step() }
    #expect(
      lab.acts == [
        "delivered 1", "ack 1", "begins", "survived", "delivered 2", "ack 2", "begins", "survived",
        "delivered 3", "ack 3", "delivered 4", "ack 4",
      ])
  }

  @Test("A job that ended three workers is given up without being handed over, and it alone")
  func deadly() throws {
    let lab = PushLab()
    lab.expectNewJobs()
    lab.expectRecord()
    var lives: [Hash: Int] = [:]
    lab.provider = .each {
      #expect($0.job.id.rawValue != 1)
      return .taken
    }
    lab.store.trial.answer { step, message in
      lives[message] = step == .begins ? lives[message, default: 0] + 1 : nil
      return lives[message, default: 0]
    }
    for number in 1...2 { lab.deliver(UInt128(number), deliveryCount: 13) }
    // Three workers have begun with it, and have not reported that they survived.
    lives[Hash(sha256Of: lab.arriving[0].body)] = 3
    for _ in 0..<3 { try lab.worker.step() }
    #expect(
      lab.acts == [
        "failed 1", #"bury ["3 workers ended while they handed it over alone"]"#, "ack 1",
        "delivered 2", "ack 2",
      ])
    #expect(lives == [:])
  }

  // Failure: PushStore.trial: The worker waits. From the tenth delivery on it notes each attempt
  //   before it hands the job over.
  @Test("A store that fails while a job is on trial, and a worker that leaves, cost it no life")
  func trouble() throws {
    let lab = PushLab()
    lab.expectNewJobs()
    var (lives, most, begun, isDown) = (0, 0, 0, false)
    lab.store.brief.fail(with: .conflict("locked"))
    lab.store.trial.answer { step, _ throws(StoreError) in
      if isDown { throw .unavailable("gone") }
      lives = step == .begins ? lives + 1 : 0
      most = max(most, lives)
      if step == .begins { begun += 1 }
      // After every second beginning the next report does not get through.
      isDown = step == .begins && begun.isMultiple(of: 2)
      return lives
    }
    lab.store.reconnect.answer { isDown = false }
    lab.bus.close.answer {}
    lab.deliver(1, deliveryCount: 10)
    for _ in 0..<1_000 where begun < 11 || lives == 0 {
      try lab.worker.step()
    }
    #expect(begun > 10 && most == 1)
    isDown = false
    lab.worker.leave()
    #expect(lives == 0)
    #expect(lab.acts == [])
  }
}
