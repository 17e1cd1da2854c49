import Logging
import MatchCore
import MatchInterfaces
import Testing

@testable import MatchService

@Suite("The housekeeper")
struct HousekeeperTests {
  private final class Lab {
    let clock = TestClock()
    var store = SchedulerStore.failing
    var rounds = 0
    var worked: [Duration] = []
    var failure: StoreError?
    var nowFails: StoreError?
    private(set) lazy var housekeeper = Housekeeper(
      store: store, clock: clock.clock, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    )

    init() {
      store.now.answer { [unowned self] () throws(StoreError) in
        if let nowFails { throw nowFails }
        return .noon
      }
      store.rotatePartitions.answer { [unowned self] _, worked throws(StoreError) in
        rounds += 1
        self.worked.append(worked)
        if let failure { throw failure }
      }
    }

    func pass(seconds: Int) throws {
      let end = clock.uptime + UInt64(seconds) * 1_000_000_000
      while clock.uptime < end { try housekeeper.step() }
    }
  }

  @Test("Housekeeping runs at the start and once an hour")
  func rounds() throws {
    let lab = Lab()
    try lab.pass(seconds: 3_590)
    #expect(lab.rounds == 1)
    try lab.pass(seconds: 20)
    #expect(lab.rounds == 2)
  }

  // Failure: SchedulerStore.rotatePartitions: The housekeeper logs an error, and rows go to the
  //   default partition. While it waits for a lock, it lets other sessions through after half a
  //   second.
  @Test("A duty that fails is tried again after a minute")
  func failing() throws {
    let lab = Lab()
    lab.failure = .conflict("a table is locked")
    try lab.pass(seconds: 50)
    #expect(lab.rounds == 1)
    lab.failure = nil
    try lab.pass(seconds: 20)
    #expect(lab.rounds == 2)
    try lab.pass(seconds: 3_000)
    #expect(lab.rounds == 2)
  }

  @Test("A round counts the time since the one before; the first of a process counts none")
  func worked() throws {
    let lab = Lab()
    lab.failure = .conflict("a table is locked")
    try lab.pass(seconds: 1)
    lab.failure = nil
    try lab.pass(seconds: 3_700)
    #expect(lab.worked.first == .zero && lab.worked.count == 3)
    #expect(zip(lab.worked.dropFirst(), [60, 3_600]).allSatisfy { abs($0 / .seconds(1) - $1) < 2 })
  }

  @Test("A store that goes between two rounds interrupts within seconds, and a slow one does not")
  func goneBetween() throws {
    let lab = Lab()
    try lab.pass(seconds: 60)
    lab.nowFails = .failed("statement timeout")
    try lab.pass(seconds: 60)
    lab.nowFails = .unavailable("gone")
    #expect(throws: Interruption.store(.unavailable("gone"))) { try lab.pass(seconds: 10) }
    #expect(lab.rounds == 1)
  }

  @Test("A store that is gone interrupts")
  func gone() throws {
    let lab = Lab()
    lab.failure = .unavailable("gone")
    #expect(throws: Interruption.store(.unavailable("gone"))) { try lab.housekeeper.step() }
  }
}
