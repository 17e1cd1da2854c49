import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

@Suite("Time stands still while no reader answers")
struct ReaderOutageTests {
  /// Does the rounds of some seconds; gives the seconds in which queues were ticked.
  private func ticked(
    _ lab: SchedulerLab, _ seconds: Range<Int>, before: (Int) -> Void = { _ in }
  ) throws -> [Int] {
    try seconds.filter { second in
      before(second)
      lab.consume()
      lab.forget()
      try lab.second()
      return lab.events.contains { if case .ticked = $0.action { true } else { false } }
    }
  }

  @Test("No tick goes out after five seconds without an answer; with one they begin anew")
  func outage() throws {
    let lab = SchedulerLab()
    let seconds = try ticked(lab, 0..<15) { second in
      if second == 4 { lab.readerDelay = nil }
      if second == 14 { lab.readerDelay = 0 }
    }
    #expect(seconds == Array(0..<9) + [14])
    let since = lab.events.compactMap { event -> Instant? in
      if case .ticked(let tick) = event.action { tick.since } else { nil }
    }
    #expect(since == Array(repeating: .noon.adding(seconds: 14), count: 4))
    #expect(try ticked(lab, 15..<20) == Array(15..<20))
  }

  @Test("Readers are asked each second for public facts, also while none answers")
  func question() throws {
    let lab = SchedulerLab()
    lab.readerDelay = nil
    for _ in 0..<20 {
      lab.forget()
      try lab.second()
      let body = try #require(lab.asked.first)
      #expect(lab.asked.count == 1)
      guard
        case .query(let query, let key) = QueryDecoding.read(
          body, service: ServiceIdentity.test.service, verifier: .live)
      else {
        Issue.record("a query that no reader would answer")
        return
      }
      #expect(query.kind == .serviceInfo && key == ServiceIdentity.test.signer.publicKey)
      #expect(QueryDecoding.refusal(of: query, now: lab.now, owner: nil) == nil)
    }
  }

  @Test("A reader that takes four seconds for every answer is slow, and no outage")
  func slow() throws {
    let lab = SchedulerLab()
    lab.readerDelay = 4
    // Until the first answer no reader is known.
    #expect(try ticked(lab, 0..<60) == Array(4..<60))
    #expect(lab.scheduler.trouble == nil)
  }

  @Test("A reader without a database answers that it cannot say now, which is no answer")
  func refused() throws {
    let lab = SchedulerLab()
    let seconds = try ticked(lab, 0..<20) { second in
      lab.readerRefusal = (4..<14).contains(second) ? .unavailable : nil
    }
    #expect(seconds == Array(0..<9) + Array(14..<20))
  }

  @Test("No deadline is sent meanwhile; with the next answer ticks and deadlines go on")
  func duties() throws {
    let lab = SchedulerLab()
    lab.readerDelay = nil
    lab.overdue = [.init(match: MatchID(rawValue: 9), turn: 3, deadline: .noon.adding(seconds: -1))]
    _ = try ticked(lab, 0..<12) { _ in #expect(lab.events.isEmpty) }
    lab.readerDelay = 0
    lab.forget()
    lab.clock.pass(.seconds(1))
    try lab.scheduler.step()
    let kinds = lab.events.map { event in
      if case .deadlinePassed = event.action { "deadline" } else { "tick" }
    }
    #expect(kinds == ["tick", "tick", "tick", "tick", "deadline"])
  }

  @Test("It is the scheduler's trouble until a reader answers")
  func trouble() throws {
    let lab = SchedulerLab()
    var troubled: [Int] = []
    for second in 0..<20 {
      if second == 4 { lab.readerDelay = nil }
      if second == 14 { lab.readerDelay = 0 }
      try lab.second()
      guard let trouble = lab.scheduler.trouble else { continue }
      #expect("\(trouble)".contains("no reader answers"))
      troubled.append(second)
    }
    #expect(troubled == Array(9..<14))
  }

  @Test("A new leader waits for an answer, so that no change of leaders lets time pass")
  func newLeader() throws {
    let lab = SchedulerLab()
    lab.readerDelay = nil
    #expect(try ticked(lab, 0..<3) == [])
    #expect(lab.scheduler.trouble == nil)
    #expect(try ticked(lab, 3..<30) { if $0 == 20 { lab.readerDelay = 0 } } == Array(20..<30))
    lab.leads = false
    #expect(try ticked(lab, 30..<32) == [])
    (lab.leads, lab.readerDelay) = (true, nil)
    #expect(try ticked(lab, 32..<40) == [])
  }

  // Failure: SchedulerBus.ask: During an alarm the scheduler says nothing of readers. After any
  //   other failure it starts over.
  @Test("A broker that takes no query says nothing of readers, and ends no outage of theirs")
  func alarm() throws {
    let lab = SchedulerLab()
    let ask = lab.bus.ask
    var (isAlarmed, isGone) = (false, false)
    lab.bus.ask.answer { query throws(BusError) in
      if isGone { throw .disconnected("gone") }
      if isAlarmed { throw .refused("an alarm is on") }
      try ask(query)
    }
    let seconds = try ticked(lab, 0..<50) { second in
      // One query in vain at second 9; during the alarm no further one is sent.
      lab.readerDelay = second == 9 || (30..<45).contains(second) ? nil : 0
      isAlarmed = (10..<20).contains(second) || (37..<40).contains(second)
    }
    #expect(seconds == Array(0..<35) + Array(45..<50))
    isGone = true
    #expect(throws: Interruption.bus(.disconnected("gone"))) { try lab.second() }
  }

  @Test("A scheduler that is told of no readers asks none")
  func without() throws {
    let lab = SchedulerLab()
    lab.settings.awaitsReaders = false
    lab.readerDelay = nil
    #expect(try ticked(lab, 0..<20) == Array(0..<20))
    #expect(lab.asked.isEmpty)
  }

  @Test("Any time without readers costs eight seconds at most, and ten are left to play in")
  func property() throws {
    var held = 0
    for seed in UInt64(1)...60 {
      var world = ReaderWorld(seed: seed)
      try world.run()
      let ended = try #require(world.ended, "seed \(seed)")
      let gone = world.absences.filter { $0.from < ended }.map { absence in
        max(0, min(absence.until, ended).microseconds(since: max(absence.from, world.setAt)))
      }
      let played = ended.microseconds(since: world.setAt)
      // Five seconds of patience, one to the next query, and the two of any outage.
      let lost = gone.reduce(0) { $0 + max(0, $1 - 8_000_000) }
      #expect(played >= ReaderWorld.limit + lost, "seed \(seed)")
      let long = world.absences.filter {
        $0.until <= ended && $0.until.microseconds(since: $0.from) > 9_000_000
      }
      for absence in long where absence.until > world.setAt {
        #expect(ended.microseconds(since: absence.until) >= 10_000_000, "seed \(seed)")
        held += 1
      }
      // Nobody gains more than that, apart from the ten seconds.
      let all = gone.reduce(0, +)
      let hold = world.absences.last { $0.until <= ended }?.until.adding(seconds: 16)
      let due = world.setAt.adding(microseconds: ReaderWorld.limit + all + 2_000_000)
      #expect(ended <= max(due, hold ?? due), "seed \(seed)")
    }
    #expect(held > 30)
  }
}

/// A scheduler, one queue of it with one deadline, and readers that are there, slow or gone by
/// chance.
private struct ReaderWorld {
  static let limit: Int64 = 40_000_000

  let setAt = Instant.noon.adding(seconds: 10)
  private(set) var ended: Instant?
  /// When no reader was there.
  private(set) var absences: [(from: Instant, until: Instant)] = []
  private let lab = SchedulerLab()
  private var random: UInt64
  private var clock = QueueClock()

  init(seed: UInt64) { random = seed &* 0x9e37_79b9_7f4a_7c15 | 1 }

  mutating func run() throws {
    let deadline = Deadline(
      at: setAt.adding(microseconds: ReaderWorld.limit), creditMicroseconds: 0)
    var back: Instant?
    for _ in 0..<400 where ended == nil {
      if let time = back, lab.now >= time { back = nil }
      if back == nil, lab.now >= setAt, lab.now < .noon.adding(seconds: 200), below(20) == 0 {
        let time = lab.now.adding(seconds: Int64(below(40)) + 1)
        absences.append((lab.now, time))
        back = time
      }
      lab.readerDelay = back == nil ? 0 : nil
      lab.consume()
      lab.forget()
      try lab.second()
      // The first is the first queue's.
      guard let body = lab.published.first?.body else { continue }
      let event = try PayloadCodec.decodeEvent(Envelope.decode(body).payload)
      if case .ticked(let tick) = event.action, tick.queue == 0 {
        clock.ticked(at: tick.time, since: tick.since)
        if clock.hasReached(deadline, setAt: setAt) { ended = tick.time }
      }
    }
  }

  private mutating func below(_ limit: UInt64) -> UInt64 {
    random ^= random << 13
    random ^= random >> 7
    random ^= random << 17
    return random % limit
  }
}
