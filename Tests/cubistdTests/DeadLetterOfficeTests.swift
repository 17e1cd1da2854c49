import ArgumentParser
import EventBusLive
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import Testing

@testable import cubistd

@Suite("Dead letters when a server is gone")
struct DeadLetterOfficeTests {
  private let job = PushJob(
    id: PushJobID(rawValue: 1), kind: .matchEnded, player: PlayerID(rawValue: 2))
  private var message: DeadLetterOperations.Letter {
    .message(DeadLetter(tag: 1, body: PushJobCodec.encode(job), deaths: []))
  }
  private var row: DeadEventRow {
    DeadEventRow(
      id: DeadEventID(rawValue: 5), at: Instant(microseconds: 0),
      event: DeadEvent(
        queue: 3, player: PlayerID(rawValue: 1), event: EventID(rawValue: 2), reason: "",
        body: PushJobCodec.encode(job)))
  }

  private var deadJob: DeadJobRow {
    DeadJobRow(
      at: Instant(microseconds: 7), job: DeadJob(reason: "410", body: PushJobCodec.encode(job)))
  }

  /// The calls that look after dead letters.
  enum FailingCall: CaseIterable {
    case next, deadEvents, deadEvent, deadJobs, deadJob, actsNaming, publish, keepAct, acknowledge
    case removeDeadEvent, removeDeadJob

    var isBus: Bool { self == .next || self == .publish || self == .acknowledge }
  }

  @Test("Others' texts steer no terminal and turn no line")
  func plain() {
    for text in [
      "a\u{1b}[31mb", "a\nb", "a\u{9b}b", "a\u{7f}b", "a\u{2028}b", "a\u{202e}b", "a\u{2066}b",
      "a\u{200f}b", "a\u{61c}b", "a\u{200b}b", "a\u{feff}b", "a\u{e0041}b", "a\u{e000}b",
    ] {
      let shown = PlainText.oneLine(text)
      #expect(
        shown.hasPrefix("a\u{fffd}") && shown.hasSuffix("b"), "\(text.unicodeScalars.map(\.value))")
    }
    for text in ["{\"a\":\"é ☺️ 你好 e\u{301}\"}", ""] { #expect(PlainText.oneLine(text) == text) }
  }

  // Failure: DeadLetterBus.next: The command reports it.
  // Failure: DeadLetterBus.publish: The letter stays.
  // Failure: DeadLetterBus.acknowledge: The letter stays. If it is retried again, it counts once.
  // Failure: OperatorStore.deadEvents, OperatorStore.deadEvent, OperatorStore.deadJobs,
  //   OperatorStore.deadJob, OperatorStore.actsNaming: The command reports it.
  // Failure: OperatorStore.removeDeadEvent: The letter stays. If it is retried again, it counts
  //   once.
  // Failure: OperatorStore.removeDeadJob: The letter stays. If it is retried again, it is handed
  //   over twice at most.
  // Failure: OperatorStore.keepAct: The letter stays.
  /// Each case answers the calls before the failing one; the calls after it are `.failing`.
  @Test(
    "Any failing call leaves the letter, and the server is named",
    arguments: FailingCall.allCases
  )
  func failing(call: FailingCall) {
    var store = OperatorStore.failing
    var bus = DeadLetterBus.failing
    let gone = StoreError.unavailable("gone")
    let cut = BusError.disconnected("gone")
    let act: (DeadLetterOperations) throws(OperatorFailure) -> Void
    switch call {
    case .next:
      bus.next.fail(with: cut)
      act = { office throws(OperatorFailure) in _ = try office.letters() }
    case .deadEvents:
      bus.next.answer { nil }
      store.deadEvents.fail(with: gone)
      act = { office throws(OperatorFailure) in _ = try office.letters() }
    case .deadEvent:
      bus.next.answer { nil }
      store.deadEvent.fail(with: gone)
      act = { office throws(OperatorFailure) in _ = try office.letters([row.id]) }
    case .deadJobs:
      bus.next.answer { nil }
      store.deadEvents.answer { _, _ in [] }
      store.deadJobs.fail(with: gone)
      act = { office throws(OperatorFailure) in _ = try office.letters() }
    case .deadJob:
      bus.next.answer { nil }
      store.deadEvent.answer { _ in nil }
      store.deadJob.fail(with: gone)
      act = { office throws(OperatorFailure) in _ = try office.letters([row.id]) }
    case .actsNaming:
      store.actsNaming.fail(with: gone)
      act = { office throws(OperatorFailure) in _ = try office.facts(of: message) }
    case .publish:
      bus.publish.fail(with: cut)
      act = { office throws(OperatorFailure) in _ = try office.retry(message) }
    case .keepAct:
      bus.publish.answer { _, _ in }
      store.keepAct.fail(with: gone)
      act = { office throws(OperatorFailure) in _ = try office.retry(message) }
    case .acknowledge:
      store.keepAct.answer { _ in }
      bus.acknowledge.fail(with: cut)
      act = { office throws(OperatorFailure) in _ = try office.discard(message, reason: "x") }
    case .removeDeadEvent:
      bus.publish.answer { _, _ in }
      store.removeDeadEvent.fail(with: gone)
      act = { office throws(OperatorFailure) in _ = try office.retry(.event(row)) }
    case .removeDeadJob:
      bus.publish.answer { _, _ in }
      store.removeDeadJob.fail(with: gone)
      act = { office throws(OperatorFailure) in _ = try office.retry(.job(deadJob)) }
    }
    let failure = #expect(throws: OperatorFailure.self) {
      try act(DeadLetterOperations(store: store, bus: bus))
    }
    #expect(failure.map { "\($0)" }?.contains("gone") == true)
    #expect(failure?.exitCode == 69)
  }

  @Test("A push job that was given up again while it was retried stays")
  func givenUpAgain() throws {
    var (bus, store) = (DeadLetterBus.failing, OperatorStore.failing)
    var published: [[UInt8]] = []
    bus.publish.answer { sent, destination in
      #expect(destination == .push)
      published.append(sent)
    }
    let row = deadJob
    store.removeDeadJob.answer { found, act in
      #expect(found == row && act.act == "dead letter retried")
      return false
    }
    let letter = DeadLetterOperations.Letter.job(row)
    #expect(
      try DeadLetterOperations(store: store, bus: bus).retry(letter)
        == .left("it was given up again, or is gone, meanwhile"))
    #expect(published == [row.job.body])
    #expect(DeadLetterText.list([letter]).contains("cubist.jobs  push job matchEnded"))
    #expect(DeadLetterText.text(letter, .init()).contains("reason   410"))
  }

  @Test("A filter admits letters of its kind, its player, its reason and its age, all at once")
  func filter() throws {
    let now = Instant(microseconds: 3_600_000_007)
    let letters = [DeadLetterOperations.Letter.event(row), .job(deadJob), message]
    func admitted(_ options: String...) throws -> [Int] {
      let filter = try DeadLetterFilter.parse(options)
      return letters.indices.filter { filter.admits(letters[$0], at: now) }
    }
    #expect(try admitted() == [0, 1, 2])
    #expect(try admitted("--kind", "events") == [0])
    #expect(try admitted("--kind", "jobs") == [1])
    #expect(try admitted("--kind", "messages") == [2])
    #expect(try admitted("--kind", "matchEnded") == [0, 1, 2])
    #expect(try admitted("--kind", "yourTurn") == [])
    #expect(try admitted("--player", "00000001") == [0])
    #expect(try admitted("--player", "00000002") == [1, 2])
    #expect(try admitted("--containing", "410") == [1])
    // A message does not know when it died.
    #expect(try admitted("--older", "1h") == [0, 1])
    #expect(try admitted("--older", "61m") == [])
    #expect(try admitted("--kind", "jobs", "--containing", "503") == [])
    for text in ["", "h", "1", "-1h", "1w", "99999999999999999999d"] {
      #expect(DeadLetterFilter.seconds(text) == nil)
    }
    #expect(DeadLetterFilter.seconds("3d") == 259_200)
  }

  @Test("A filter finds every letter that it admits, page by page")
  func pages() throws {
    let rows: [DeadJobRow] = (0..<2_500).map { (number: Int) -> DeadJobRow in
      let at = Instant(microseconds: Int64(10_000 - number / 2))
      let reason = number == 2_499 ? "503" : "410"
      let body: [UInt8] = [UInt8(number % 256), UInt8(number / 256)]
      return DeadJobRow(at: at, job: DeadJob(reason: reason, body: body))
    }
    var store = OperatorStore.failing
    var sizes: [Int] = []
    store.deadEvents.answer { _, _ in [] }
    store.deadJobs.answer { (after: DeadLetterPlace?, limit: Int) in
      var start = 0
      if let after, let index = rows.firstIndex(where: { $0.job.id == after.id }) {
        start = index + 1
      }
      let page = Array(rows.dropFirst(start).prefix(limit))
      sizes.append(page.count)
      return page
    }
    let office = DeadLetterOperations(store: store, bus: nil)
    #expect(try office.letters { $0.reason == "503" }.map(\.id) == [rows[2_499].job.id])
    #expect(sizes == [1_000, 1_000, 500])
    #expect(try office.letters(limit: 3).count == 3)
  }

  @Test("A letter is found by the first digits of its id, if no other one has them")
  func firstDigits() throws {
    let numbers: [UInt128] = [0x0190_b8d2 << 96, 0x0190_b8d3 << 96 | 1, 0x0191 << 112]
    let rows = numbers.map { number in
      DeadEventRow(id: DeadEventID(rawValue: number), at: row.at, event: row.event)
    }
    var store = OperatorStore.failing
    store.deadEvents.answer { _, _ in rows }
    store.deadJobs.answer { _, _ in [] }
    store.deadEvent.answer { id in rows.first { $0.id == id } }
    store.deadJob.answer { _ in nil }
    let office = DeadLetterOperations(store: store, bus: nil)
    func found(_ texts: String...) throws -> [DeadEventID] {
      try office.letters(named: texts.map(DeadLetterName.init(argument:))).map(\.id).sorted()
    }
    func failure(_ texts: String...) throws -> OperatorFailure {
      try #require(
        #expect(throws: OperatorFailure.self) {
          _ = try office.letters(named: texts.map(DeadLetterName.init(argument:)))
        })
    }
    #expect(try found("0191") == [rows[2].id])
    #expect(try found("0190B8D2-") == [rows[0].id])
    #expect(try found("0190b8d3", "\(rows[2].id)") == [rows[1].id, rows[2].id])
    // A whole id that is not there is told of with the outcomes.
    #expect(try found("\(DeadEventID(rawValue: 7))") == [])
    let several = try failure("0190", "0191")
    #expect(several.exitCode == 2 && several.description.contains("2 dead letters begin with 0190"))
    for row in rows.prefix(2) { #expect(several.description.contains("\(row.id)")) }
    #expect(!several.description.contains("\(rows[2].id)"))
    let none = try failure("0191", "ff", "aa")
    #expect(none.exitCode == 3)
    #expect(none.description.contains("begins with ff") && none.description.contains("with aa"))
    for text in ["", "zoe", "0190 ", "0190b8d2-3c51-7c3e-9a40-6f0d8f0c2b11x"] {
      #expect(try failure(text).description.contains("no id of a dead letter"), "\(text)")
    }
  }

  @Test("The database's letters are shown without the broker, and the unasked broker is named")
  func brokerGone() throws {
    var (bus, store) = (DeadLetterBus.failing, OperatorStore.failing)
    bus.next.fail(with: .disconnected("gone"))
    store.deadEvents.answer { _, _ in [row] }
    store.deadJobs.answer { _, _ in [] }
    var told: [String] = []
    let office = DeadLetterOperations(
      store: store, bus: bus, withoutBroker: { told.append("\($0)") })
    #expect(try office.letters().map(\.id) == [row.id])
    #expect(told.count == 1 && told[0].contains("gone"))
  }

  @Test("A tick that a former build kept is let go instead of being sent: it says nothing any more")
  func tick() throws {
    let now = Instant(microseconds: 1_790_000_000_000_000)
    let identity = try ServiceKeyFile.create(now: now, randomness: .live).keys.identity()
    let event = Event(
      service: identity.service, id: EventID(rawValue: 3), player: identity.player,
      action: .ticked(queue: 1, time: now))
    let body = Envelope.encode(
      identity.signer.signed(PayloadCodec.encode(event), as: .service))
    var store = OperatorStore.failing
    var acts: [String] = []
    store.removeDeadEvent.answer { _, act in
      acts.append(act.act)
      return true
    }
    let row = DeadEventRow(
      id: DeadEventID(rawValue: 5), at: now,
      event: DeadEvent(
        queue: 1, player: event.player, event: event.id, reason: "", body: body))
    #expect(try DeadLetterOperations(store: store, bus: .failing).retry(.event(row)) == .done)
    #expect(acts == ["dead letter discarded"])
  }

  @Test("A letter of several push jobs goes back as it was, and names its content")
  func several() throws {
    let jobs = [job, PushJob(id: PushJobID(rawValue: 9), kind: .yourTurn, player: job.player)]
    let body = PushJobMessage.messages(of: jobs).flatMap(\.body)
    let letter = DeadLetterOperations.Letter.message(DeadLetter(tag: 1, body: body, deaths: []))
    #expect(DeadLetterText.list([letter]).contains("2 push jobs: matchEnded yourTurn"))
    #expect(DeadLetterText.text(letter, .init()).contains("\(job.player)"))
    var published: [[UInt8]] = []
    var acts: [ActRow] = []
    var (bus, store) = (DeadLetterBus.failing, OperatorStore.failing)
    bus.publish.answer { sent, destination in
      #expect(destination == .push)
      published.append(sent)
    }
    bus.acknowledge.answer { _ in }
    store.keepAct.answer { acts.append($0) }
    #expect(try DeadLetterOperations(store: store, bus: bus).retry(letter) == .done)
    #expect(published == [body])
    for job in jobs { #expect(acts.first?.detail.contains("\(job.id)") == true) }
  }
}
