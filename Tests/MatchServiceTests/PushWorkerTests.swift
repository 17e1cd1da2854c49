import CustomDump
import Logging
import MatchCore
import MatchInterfaces
import Synchronization
import Testing

@testable import MatchService

/// A push worker whose store, bus and provider are `.failing` but for what a test overrides.
private final class PushLab {
  var store = PushStore.failing
  var bus = PushBus.failing
  var sender = PushSender.failing
  var arriving: [PushBus.Delivery] = []
  var acts: [String] = []
  private(set) lazy var worker = PushWorker(
    store: store, bus: bus, sender: sender,
    log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })

  /// What every job needs that is not known as delivered.
  func expectNewJobs() {
    store.delivered = { _ in [] }
    store.isDue = { _ in true }
    store.opponent = { player, _ in
      player == TestPlayer.ann.id ? TestPlayer.bob.id : TestPlayer.ann.id
    }
    store.name = { id in TestPlayer.all.first { $0.id == id }?.name }
  }

  func expectRecord() {
    store.record = { [unowned self] in acts.append("\($1.rawValue) \($0.id.rawValue)") }
  }

  init() {
    bus.receive = { [unowned self] _, _ in
      defer { arriving = [] }
      return arriving
    }
    bus.acknowledge = { [unowned self] in acts.append("ack \($0)") }
  }

  func deliver(_ number: UInt128, _ kind: PushJob.Kind = .yourTurn, attempts: Int = 0) {
    let job = PushJob(
      id: PushJobID(rawValue: number), kind: kind, player: TestPlayer.ann.id,
      match: kind == .dailyReady ? nil : MatchID(rawValue: 7), turn: kind == .yourTurn ? 2 : nil,
      day: kind == .dailyReady ? Day(containing: .noon) : nil)
    arriving.append(
      .init(tag: UInt64(arriving.count + 1), job: job, attempts: attempts, body: []))
  }
}

/// Notifications that were handed over.
private final class Sent: Sendable {
  private let list = Mutex<[PushSender.Notification]>([])
  var all: [PushSender.Notification] { list.withLock { $0 } }
  func add(_ notification: PushSender.Notification) { list.withLock { $0.append(notification) } }
}

@Suite("The push worker")
struct PushWorkerTests {
  @Test("A job that holds is handed over, recorded, and only then acknowledged")
  func delivered() throws {
    let lab = PushLab()
    let sent = Sent()
    lab.expectNewJobs()
    lab.expectRecord()
    lab.sender = PushSender { sent.add($0) }
    lab.deliver(1)
    #expect(try lab.worker.step() == 1)
    #expect(lab.acts == ["delivered 1", "ack 1"])
    expectNoDifference(
      sent.all.map { [$0.title, $0.body] },
      [["Your turn", "Bob has played. The match waits for your move."]])
  }

  /// The calls of a push worker that can fail, in their order.
  enum FailingCall: Int, CaseIterable {
    case receive, delivered, isDue, opponent, name, record, acknowledge
  }

  @Test(
    "Whatever call fails, nothing is acknowledged that was not recorded, and the job comes again",
    arguments: FailingCall.allCases)
  func failingCall(call: FailingCall) {
    let lab = PushLab()
    let sent = Sent()
    lab.expectNewJobs()
    lab.expectRecord()
    lab.sender = PushSender { sent.add($0) }
    let gone = StoreError.unavailable("gone")
    let cut = BusError.disconnected("gone")
    switch call {
    case .receive: lab.bus.receive = { _, _ throws(BusError) in throw cut }
    case .delivered: lab.store.delivered = { _ throws(StoreError) in throw gone }
    case .isDue: lab.store.isDue = { _ throws(StoreError) in throw gone }
    case .opponent: lab.store.opponent = { _, _ throws(StoreError) in throw gone }
    case .name: lab.store.name = { _ throws(StoreError) in throw gone }
    case .record: lab.store.record = { _, _ throws(StoreError) in throw gone }
    case .acknowledge: lab.bus.acknowledge = { _ throws(BusError) in throw cut }
    }
    lab.deliver(1)
    let isBus = call == .receive || call == .acknowledge
    #expect(throws: isBus ? Interruption.bus(cut) : .store(gone)) { try lab.worker.step() }
    #expect(lab.acts == (call == .acknowledge ? ["delivered 1"] : []))
    #expect(sent.all.count == (call.rawValue < FailingCall.record.rawValue ? 0 : 1))
  }

  @Test("A job that was delivered before is only acknowledged")
  func known() throws {
    let lab = PushLab()
    lab.store.delivered = { Set($0) }
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
    lab.sender = PushSender { sent.add($0) }
    lab.deliver(1)
    lab.deliver(1)
    try lab.worker.step()
    #expect(lab.acts == ["delivered 1", "ack 1", "ack 2"])
    #expect(sent.all.count == 1)
  }

  @Test("A turn that is no longer due is dropped and never handed over")
  func stale() throws {
    let lab = PushLab()
    lab.store.delivered = { _ in [] }
    lab.store.isDue = { _ in false }
    lab.expectRecord()
    lab.deliver(1)
    try lab.worker.step()
    #expect(lab.acts == ["dropped 1", "ack 1"])
  }

  @Test(
    "A provider that refuses for now is tried again after 1 s, 10 s and 60 s",
    arguments: [(0, PushBus.RetryDelay.oneSecond), (1, .tenSeconds), (2, .oneMinute)])
  func temporary(attempts: Int, delay: PushBus.RetryDelay) throws {
    let lab = PushLab()
    lab.expectNewJobs()
    lab.bus.retry = { [unowned lab] delivery, delay in
      lab.acts.append("retry \(delivery.tag) after \(delay.rawValue)")
    }
    lab.sender = PushSender { _ throws(PushSender.PushError) in throw .temporary("busy") }
    lab.deliver(1, attempts: attempts)
    try lab.worker.step()
    #expect(lab.acts == ["retry 1 after \(delay.rawValue)"])
  }

  @Test("A provider that refuses a fourth time, or for good, has failed")
  func failed() throws {
    for (attempts, error) in [
      (3, PushSender.PushError.temporary("busy")), (99, .temporary("busy")),
      (0, .permanent("no such device")),
    ] {
      let lab = PushLab()
      lab.expectNewJobs()
      lab.expectRecord()
      lab.sender = PushSender { _ throws(PushSender.PushError) in throw error }
      lab.deliver(1, attempts: attempts)
      try lab.worker.step()
      #expect(lab.acts == ["failed 1", "ack 1"])
    }
  }

  @Test("A message that is no job is acknowledged and touches nothing else")
  func unreadable() throws {
    let lab = PushLab()
    lab.arriving = [.init(tag: 9, job: nil, attempts: 0, body: [1, 2])]
    try lab.worker.step()
    #expect(lab.acts == ["ack 9"])
  }

  @Test("A store that is gone after the hand-over: nothing is acknowledged, the job comes again")
  func storeGone() {
    let lab = PushLab()
    lab.expectNewJobs()
    lab.store.record = { _, _ throws(StoreError) in throw .unavailable("gone") }
    lab.sender = .noop
    lab.deliver(1)
    #expect(throws: Interruption.store(.unavailable("gone"))) { try lab.worker.step() }
    #expect(lab.acts == [])
  }

  @Test("A job that the store will never record does not come back for ever")
  func recordRejected() throws {
    let lab = PushLab()
    lab.expectNewJobs()
    lab.store.record = { _, _ throws(StoreError) in throw .rejected("no such player") }
    lab.sender = .noop
    lab.deliver(1)
    try lab.worker.step()
    #expect(lab.acts == ["ack 1"])
  }

  @Test("A job whose match the store cannot read has failed, and does not come back for ever")
  func unreadableMatch() throws {
    let lab = PushLab()
    lab.store.delivered = { _ in [] }
    lab.store.isDue = { _ throws(StoreError) in throw .rejected("no such state") }
    lab.expectRecord()
    lab.deliver(1)
    try lab.worker.step()
    #expect(lab.acts == ["failed 1", "ack 1"])
  }

  @Test("A broker that is gone at the retry interrupts: the job comes again by itself")
  func brokerGone() {
    let lab = PushLab()
    lab.expectNewJobs()
    lab.bus.retry = { _, _ throws(BusError) in throw .disconnected("gone") }
    lab.sender = PushSender { _ throws(PushSender.PushError) in throw .temporary("busy") }
    lab.deliver(1)
    #expect(throws: Interruption.bus(.disconnected("gone"))) { try lab.worker.step() }
  }

  @Test("Every kind of job has a text, with and without a name", arguments: PushJob.Kind.allCases)
  func texts(kind: PushJob.Kind) {
    let job = PushJob(
      id: PushJobID(rawValue: 1), kind: kind, player: TestPlayer.ann.id,
      day: Day(containing: .noon))
    let named = PushText.notification(of: job, opponent: TestPlayer.bob.name)
    let unnamed = PushText.notification(of: job, opponent: nil)
    #expect(!named.title.isEmpty)
    #expect(named.body.contains("Bob") || kind == .dailyReady)
    #expect(!unnamed.body.contains("nil"))
    #expect(!unnamed.body.isEmpty)
  }

  @Test("The log provider writes one JSON line a notification, keys sorted")
  func logProvider() throws {
    let lines = Mutex<[String]>([])
    let lab = PushLab()
    lab.expectNewJobs()
    lab.expectRecord()
    lab.sender = .log(
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
          + #""collapseKey":"match-\#(MatchID(rawValue: 7))","#
          + #""id":"\#(one)","kind":"yourTurn","match":"\#(MatchID(rawValue: 7))","#
          + #""player":"\#(TestPlayer.ann.id)","title":"Your turn","turn":2}"# + "\n",
        #"{"body":"The challenge of 2026-05-01 is there.","collapseKey":"daily-2026-05-01","#
          + #""day":"2026-05-01","id":"\#(two)","kind":"dailyReady","#
          + #""player":"\#(TestPlayer.ann.id)","title":"Today's challenge"}"# + "\n",
      ])
  }

  @Test("A log that cannot be written is a temporary failure")
  func logProviderFails() {
    let sender = PushSender.log(
      to: LineSink { _ throws(LineSinkError) in throw LineSinkError(code: 28) })
    let job = PushJob(id: PushJobID(rawValue: 1), kind: .yourTurn, player: TestPlayer.ann.id)
    #expect(throws: PushSender.PushError.temporary("No space left on device")) {
      try sender.send(PushSender.Notification(job: job, title: "", body: ""))
    }
  }
}
