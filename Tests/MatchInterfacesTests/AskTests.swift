import CustomDump
import MatchCore
import MatchInterfaces
import Testing

@Suite("Questions of an interface")
struct AskTests {
  /// Every interface there is, made in each way.
  private static var all: [(failing: any Interface, noop: any Interface)] {
    [
      (CheckStore.failing, CheckStore.noop), (OperatorStore.failing, OperatorStore.noop),
      (PushStore.failing, PushStore.noop), (RaterStore.failing, RaterStore.noop),
      (ReaderStore.failing, ReaderStore.noop), (RebuildStore.failing, RebuildStore.noop),
      (RelayStore.failing, RelayStore.noop), (RoleStore.failing, RoleStore.noop),
      (SchedulerStore.failing, SchedulerStore.noop), (WorkerStore.failing, WorkerStore.noop),
      (DeadLetterBus.failing, DeadLetterBus.noop), (PlayerBus.failing, PlayerBus.noop),
      (PushBus.failing, PushBus.noop), (ReaderBus.failing, ReaderBus.noop),
      (RelayBus.failing, RelayBus.noop), (SchedulerBus.failing, SchedulerBus.noop),
      (WorkerBus.failing, WorkerBus.noop),
    ]
  }

  @Test("Each question has the name of its interface and its own, and nobody answers it at first")
  func names() throws {
    for (failing, noop) in AskTests.all {
      for child in Mirror(reflecting: failing).children {
        // AMQP has no streams: that question may be missing.
        if child.label == "changes" { continue }
        let question = try #require(child.value as? any Question)
        #expect("\(question.name)" == "\(type(of: failing)).\(child.label ?? "")")
        #expect(!question.isAnswered, "\(question.name)")
      }
      for child in Mirror(reflecting: noop).children where child.label != "changes" {
        #expect((child.value as? any Question)?.isAnswered == true)
      }
    }
  }

  @Test("A question with an answer gets that one, with one input, several or none")
  func answers() throws {
    var store = ReaderStore.failing
    store.registrationNeedsCode.answer { true }
    store.matchByCode.answer { _ in MatchID(rawValue: 3) }
    store.rematchOffers.answer { _, limit in
      #expect(limit == 7)
      return []
    }
    store.tallies.fail(with: .rejected("no"))
    let player = PlayerID(rawValue: 1)
    #expect(try store.registrationNeedsCode())
    #expect(try store.matchByCode(#require(ShareCode("ABCDEFGH"))) == MatchID(rawValue: 3))
    #expect(try store.rematchOffers(player, 7) == [])
    #expect(throws: StoreError.rejected("no")) {
      try store.tallies(player, Instant(microseconds: 0), 1)
    }
    #expect(store.tallies.isAnswered && !store.players.isAnswered)
  }

  @Test("A hook comes around each question, and may come before it, after it or in its place")
  func hooks() throws {
    var told: [String] = []
    let gone = StoreError.unavailable("gone")
    let store = WorkerStore.failing.with {
      $0.heartbeat.answer { [$0, WorkerID(rawValue: 9)] }
      $0.leave.answer { _ in told.append("left") }
      $0.abandon.answer { told.append("abandoned") }
    }
    let hooked = store.around(
      { question, ask throws(StoreError) in
        told.append("before \(question)")
        // It is not asked whether the layout is known.
        if "\(question)" == "WorkerStore.layout" { return }
        try ask()
        told.append("after")
        if "\(question)" == "WorkerStore.leave" { throw gone }
      },
      unfailing: { question, ask in
        told.append("\(question)")
        if told.count < 8 { ask() }
      })
    let id = WorkerID(rawValue: 1)
    #expect(try hooked.heartbeat(id) == [id, WorkerID(rawValue: 9)])
    #expect(throws: gone) { try hooked.leave(id) }
    #expect(try hooked.layout() == nil)
    hooked.abandon()
    hooked.abandon()
    expectNoDifference(
      told,
      [
        "before WorkerStore.heartbeat", "after", "before WorkerStore.leave", "left", "after",
        "before WorkerStore.layout", "WorkerStore.abandon", "abandoned", "WorkerStore.abandon",
      ])
    #expect(hooked.leave.isAnswered && !hooked.layout.isAnswered)
  }
}
