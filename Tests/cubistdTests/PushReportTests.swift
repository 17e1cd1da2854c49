import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import cubistd

@Suite("Push jobs, for operators")
struct PushReportTests {
  private static let now = Instant(microseconds: 1_790_000_000_000_000)
  private static let id = PushJobID(rawValue: 0x5f0d_8f0c_2b11_3c51_7c3e_9a40_0190_b8d2)

  private static func report(_ answer: String = "410 gone") -> PushReport {
    var figures = PushFigures(now: now)
    figures.outboxCount = 2
    figures.outboxOldestAt = now.adding(seconds: -90)
    figures.heldCounts = ["quietHours": 3, "bundle": 1]
    figures.heldOldestAt = now.adding(seconds: -7_200)
    figures.heldNextAt = now.adding(seconds: 60)
    figures.deadJobCount = 1
    figures.answers = [
      .init(provider: "webPush", answer: "201", count: 40),
      .init(provider: "webPush", answer: answer, count: 2),
    ]
    figures.endings = [
      .init(kind: "yourTurn", fate: "delivered", reason: nil, count: 38),
      .init(kind: "yourTurn", fate: "dropped", reason: "answered", count: 4),
    ]
    return PushReport(figures: figures, queues: .told([.init(name: "cubist.jobs", jobs: 5)]))
  }

  @Test("The state of push jobs is shown place by place, with the last hour")
  func text() {
    let lines = Self.report("410 \u{1b}[2Jgone").text.split(separator: "\n").map(String.init)
    #expect(
      lines == [
        "outbox        2 push jobs",
        "held          4 push jobs (bundle 1, quietHours 3), the next until "
          + "\(Self.now.adding(seconds: 60))",
        "cubist.jobs   5 jobs",
        "dead letters  1",
        "oldest        owed for 2 h",
        "provider  answer        last hour",
        "webPush   201                  40",
        "webPush   410 \u{fffd}[2Jgone          2",
        "kind      end        reason    last hour",
        "yourTurn  delivered  -                38",
        "yourTurn  dropped    answered          4",
      ])
    let empty = PushReport(figures: PushFigures(now: Self.now)).text
    #expect(empty.contains("queues        ? (CUBIST_BROKER_MANAGEMENT is not set)"))
    #expect(empty.contains("oldest        none"))
    #expect(empty.contains("No provider has answered in the last hour."))
    #expect(empty.contains("No push job has ended in the last hour."))
  }

  @Test("Programs get the same as one object")
  func json() throws {
    let expected = #"""
      {"answers":[{"answer":"201","count":40,"provider":"webPush"},\#
      {"answer":"410 gone","count":2,"provider":"webPush"}],"deadJobs":1,\#
      "endings":[{"count":38,"fate":"delivered","kind":"yourTurn"},\#
      {"count":4,"fate":"dropped","kind":"yourTurn","reason":"answered"}],\#
      "held":{"jobs":4,"nextAt":"\#(Self.now.adding(seconds: 60))",\#
      "oldestAt":"\#(Self.now.adding(seconds: -7_200))","reasons":{"bundle":1,"quietHours":3}},\#
      "missingQueues":[],"outbox":{"jobs":2,"oldestAt":"\#(Self.now.adding(seconds: -90))"},\#
      "queues":[{"jobs":5,"name":"cubist.jobs"}],"schema":"cubistd.push-status/1",\#
      "time":"\#(Self.now)"}
      """#
    #expect(try Self.report().json() == expected + "\n")
  }

  @Test("Queues that are missing, and queues that nobody could look at, are told to programs, too")
  func unseen() throws {
    var report = Self.report()
    report.missingQueues = ["cubist.jobs.retry.5"]
    #expect(report.text.contains("cubist.jobs.retry.5  missing: `cubistd setup` makes it\n"))
    #expect(try report.json().contains(#""missingQueues":["cubist.jobs.retry.5"]"#))
    for (answer, reason) in [
      (ManagementAnswer<[PushReport.Queue]>.unset, "CUBIST_BROKER_MANAGEMENT is not set"),
      (.unanswered, "RabbitMQ's management API could not be asked"),
    ] {
      report = Self.report()
      report.queues = answer
      #expect(report.text.contains(reason))
      let json = try report.json()
      #expect(json.contains(#""queuesUnseen":"\#(reason)""#), "\(json)")
      #expect(!json.contains("missingQueues") && !json.contains(#""queues":"#))
      var result = LiveCheck.Result()
      result.noJobWaits = answer == .unset ? .unset : .unanswered
      #expect(try result.json().contains(#""queuesUnseen":"\#(reason)""#))
      #expect(result.queueNote?.hasPrefix(reason) == true)
    }
    var seen = LiveCheck.Result()
    seen.noJobWaits = .told(false)
    #expect(try !seen.json().contains("queuesUnseen") && seen.queueNote == nil)
  }

  @Test("The queues are those of push jobs and of their next attempts")
  func queues() {
    let names = PushReport.queueNames(Names())
    #expect(names.contains("cubist.jobs") && names.contains("cubist.jobs.retry.60"))
    #expect(names.count == PushBus.RetryDelay.allCases.count + 1)
  }

  @Test("A job's first digits name a range of ids; anything else is refused")
  func ranges() throws {
    let whole = try PushExplainer.range(Self.id.description)
    #expect(whole == Self.id...Self.id)
    #expect(try PushExplainer.range(Self.id.description.uppercased()) == whole)
    let short = try PushExplainer.range("5f0d8f0c")
    #expect(short.contains(Self.id))
    #expect(short.lowerBound.description == "5f0d8f0c-0000-0000-0000-000000000000")
    #expect(short.upperBound.description == "5f0d8f0c-ffff-ffff-ffff-ffffffffffff")
    #expect(try PushExplainer.range("5f0d8f0c-2b1").contains(Self.id))
    for text in [
      "", "----", "5f0", "5f0dx", "5f0d8f0c-2b11-3c51-7c3e-9a400190b8d2a", "5f0d 8f0c", "%_\u{0}\n",
    ] {
      #expect(throws: OperatorFailure.self, "\(text)") { try PushExplainer.range(text) }
    }
  }

  private static func story(_ change: (inout PushStory) -> Void) -> PushStory {
    var story = PushStory(
      id: id, kind: "yourTurn", player: PlayerID(rawValue: 2), match: MatchID(rawValue: 3), turn: 4)
    change(&story)
    return story
  }

  @Test("A story says where the job is, why, and what its devices answered")
  func stories() {
    let held = Self.story {
      $0.hold = .init(
        since: Self.now, until: Self.now.adding(seconds: 60), reason: "quietHours")
    }
    #expect(held.place.hasPrefix("held until \(Self.now.adding(seconds: 60)): the player's quiet"))
    let dropped = Self.story { $0.end = .init(at: Self.now, fate: "dropped", reason: "answered") }
    #expect(dropped.place == "dropped at \(Self.now): the turn was answered before (answered)")
    #expect(Self.story { $0.owedAt = Self.now }.place.hasPrefix("in the outbox since"))
    let delivered = Self.story {
      $0.end = .init(at: Self.now, fate: "delivered", reason: nil)
      $0.devices = [
        .init(
          name: "phone", service: "webPush", permission: "authorized", arrivedAt: Self.now,
          answer: "201\u{202e}", answeredAt: Self.now)
      ]
    }
    #expect(delivered.place == "delivered at \(Self.now)")
    #expect(
      delivered.text.hasSuffix(
        "device  phone (webPush, authorized); something last arrived at \(Self.now); "
          + "last answer at \(Self.now): 201\u{fffd}\n"))
    // A later build's reason, and a dead letter.
    let failed = Self.story {
      $0.end = .init(at: Self.now, fate: "failed", reason: "boredom")
      $0.letters = [.init(id: DeadEventID(rawValue: 9), at: Self.now, reason: "410")]
    }
    #expect(failed.place == "failed at \(Self.now): boredom")
    #expect(failed.text.contains("dead letter"))
  }

  @Test("Every reason has words of its own")
  func reasons() {
    let ends = PushReason.allCases.map { PushStory.meaning(of: $0.rawValue) }
    let holds = HoldReason.allCases.map { reason in
      Self.story {
        $0.hold = .init(since: Self.now, until: Self.now, reason: reason.rawValue)
      }.place
    }
    let texts = ends + holds
    #expect(Set(texts).count == texts.count)
    #expect(texts.allSatisfy { $0.hasSuffix(")") && $0.count > 20 })
  }

  @Test("A story for programs leaves out the parts that it does not have")
  func storyJSON() throws {
    let json = try Self.story { $0.owedAt = Self.now }.json()
    #expect(
      json == #"{"deadLetters":[],"devices":[],"job":"\#(Self.id)","kind":"yourTurn","#
        + #""match":"\#(MatchID(rawValue: 3))","owedAt":"\#(Self.now)","#
        + #""player":"\#(PlayerID(rawValue: 2))","schema":"cubistd.push-job/1","turn":4}"# + "\n")
  }

  @Test("A job that nobody knows is not found; digits of several jobs list them")
  func finding() throws {
    var store = OperatorStore.failing
    store.pushStories.answer { _, _ in [] }
    do throws(OperatorFailure) {
      _ = try PushExplainer(store: store).explain("5f0d8f0c")
      Issue.record("an unknown job was found")
    } catch {
      #expect(error.exitCode == 3)
      #expect(error.description.contains("30 days"))
    }
    var other = Self.story { _ in }
    other.id = PushJobID(rawValue: Self.id.rawValue + 1)
    let found = [Self.story { _ in }, other]
    store.pushStories.answer { _, _ in found }
    do throws(OperatorFailure) {
      _ = try PushExplainer(store: store).explain("5f0d8f0c")
      Issue.record("one of two jobs was chosen")
    } catch {
      #expect(error.exitCode == 2)
      #expect(found.allSatisfy { error.description.contains($0.id.description) })
    }
  }

  // Failure: OperatorStore.pushFigures, OperatorStore.pushStories: The command reports it.
  @Test("A store that is gone is told, and no job is called unknown")
  func gone() {
    var store = OperatorStore.failing
    let failure = StoreError.unavailable("gone")
    store.pushFigures.answer { () throws(StoreError) in throw failure }
    store.pushStories.answer { _, _ throws(StoreError) in throw failure }
    #expect(throws: OperatorFailure.store(failure)) {
      try PushExplainer(store: store).explain("5f0d8f0c")
    }
    #expect(throws: OperatorFailure.store(failure)) { try onStore(try store.pushFigures()) }
  }
}
