import Logging
import MatchCore
import MatchInterfaces
import Testing

@testable import MatchService

@Suite("The outbox relay")
struct OutboxRelayTests {
  let clock = TestClock()
  let jobs = [1, 2, 3].map {
    PushJob(id: PushJobID(rawValue: $0), kind: .matchEnded, player: TestPlayer.ann.id)
  }

  private func relay(_ store: RelayStore, _ bus: RelayBus) -> OutboxRelay {
    OutboxRelay(
      store: store, bus: bus, clock: clock.clock,
      log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  /// A store that has all jobs, or only the given ones.
  private func store(
    claiming claimed: [PushJob]? = nil,
    _ finish: @escaping ([PushJobID]) throws(StoreError) -> Void
  ) -> RelayStore {
    .failing.with {
      $0.claim.answer { _, _ in claimed ?? jobs }
      $0.finish.answer(with: finish)
    }
  }

  private func bus(
    _ publish: @escaping ([PushJob]) throws(BusError) -> [PushJobID]
  ) -> RelayBus {
    .failing.with { $0.publish.answer(with: publish) }
  }

  @Test("Rows older than five seconds are published, and those that are confirmed deleted")
  func relaying() throws {
    var asked: [(Duration, Int)] = []
    var finished: [[PushJobID]] = []
    var published: [PushJob] = []
    let relay = relay(
      store { finished.append($0) }.with {
        $0.claim.answer { age, limit in
          asked.append((age, limit))
          return jobs
        }
      },
      bus {
        published += $0
        return $0.map(\.id)
      })
    #expect(try relay.step() == 3)
    #expect(asked.map(\.0) == [.seconds(5)])
    #expect(asked.map(\.1) == [500])
    #expect(published == jobs)
    #expect(finished == [jobs.map(\.id)])
  }

  @Test("Only confirmed rows are deleted")
  func partly() throws {
    var finished: [[PushJobID]] = []
    let relay = relay(
      store { finished.append($0) },
      bus { [$0[1].id] })
    #expect(try relay.step() == 1)
    #expect(finished == [[jobs[1].id]])
  }

  @Test("Nothing is deleted without a confirm, and the relay waits before it tries again")
  func none() throws {
    var finished: [[PushJobID]] = []
    let before = clock.uptime
    let relay = relay(
      store { finished.append($0) },
      bus { _ in [] })
    #expect(try relay.step() == 0)
    #expect(finished == [[]])
    #expect(clock.uptime > before)
  }

  @Test("The relay leaves the bus alone when it has nothing, ends the transaction, and waits")
  func idle() throws {
    var finished: [[PushJobID]] = []
    let before = clock.uptime
    let relay = relay(
      store(claiming: []) { finished.append($0) }, .failing)
    #expect(try relay.step() == 0)
    #expect(finished == [[]])
    #expect(clock.uptime > before)
  }

  // Failure: RelayBus.publish: Nothing is deleted.
  @Test("A broker that is gone before the confirm: nothing is deleted, and the rows are free again")
  func brokerGone() {
    var finished: [[PushJobID]] = []
    let relay = relay(
      store { finished.append($0) },
      bus { _ throws(BusError) in throw .disconnected("gone") })
    #expect(throws: Interruption.bus(.disconnected("gone"))) { try relay.step() }
    #expect(finished == [[]])
  }

  // Failure: RelayStore.claim: Nothing is published.
  @Test("A store that is gone before the rows are claimed: nothing is published")
  func storeGoneBefore() {
    var store = RelayStore.failing
    store.claim.fail(with: .unavailable("gone"))
    let relay = relay(store, .failing)
    #expect(throws: Interruption.store(.unavailable("gone"))) { try relay.step() }
  }

  // Failure: RelayStore.finish: The jobs are published once more. Receivers deduplicate by id.
  @Test("A store that is gone after the confirm interrupts: the jobs are published once more later")
  func storeGone() {
    let relay = relay(
      store { _ throws(StoreError) in throw .unavailable("gone") }, bus { $0.map(\.id) })
    #expect(throws: Interruption.store(.unavailable("gone"))) { try relay.step() }
  }

  @Test("A relay that leaves closes the connection")
  func leaving() {
    var closed = 0
    relay(.failing, .failing.with { $0.close.answer { closed += 1 } }).leave()
    #expect(closed == 1)
  }
}
