import Conformance
import MatchCore
import MatchInterfaces

@testable import MatchSimulation

/// A simulated store of a test's own.
struct SimulatedStores {
  let clock = VirtualClock(World.start)
  let store: SimulatedStore

  init() { store = SimulatedStore(clock: clock, random: SeededRandom(seed: 1)) }

  private func connect() throws -> SimulatedStore.Session {
    guard let session = store.connect() else { throw StoreError.unavailable("the store is down") }
    return session
  }

  /// Stores over connections of their own.
  func set() throws -> StoreSet {
    let (worker, otherWorker) = (try connect(), try connect())
    let (scheduler, otherScheduler) = (try connect(), try connect())
    let (relay, otherRelay, push) = (try connect(), try connect(), try connect())
    let (rater, otherRater) = (try connect(), try connect())
    return StoreSet(
      worker: ticking(store.worker(worker)), otherWorker: ticking(store.worker(otherWorker)),
      scheduler: store.scheduler(scheduler), otherScheduler: store.scheduler(otherScheduler),
      relay: store.relay(relay), otherRelay: store.relay(otherRelay), push: store.push(push),
      rater: store.rater(rater), otherRater: store.rater(otherRater),
      reader: store.reader(try connect()), administration: administration, check: store.check,
      age: { clock.advance(microseconds: $0 * 1_000_000) },
      keepHouse: { retention, seconds in
        let housekeeper = store.scheduler(try connect(), keeping: retention)
        try housekeeper.rotatePartitions(store.now.adding(seconds: seconds), .zero)
      },
      end: { member in
        switch member {
        case .worker: store.drop(worker)
        case .scheduler: store.drop(scheduler)
        case .relay: store.drop(relay)
        case .push: store.drop(push)
        case .rater: store.drop(rater)
        }
      },
      breakCommit: { kind in
        store.duringCommit = { session in
          guard session === worker else { return }
          store.drop(session, isCommitted: kind == .afterWriting)
        }
      },
      standBy: {
        for session in [
          worker, otherWorker, scheduler, otherScheduler, relay, otherRelay, push, rater,
          otherRater,
        ] { store.demote(session) }
      })
  }

  /// Time passes at every look-up of a worker, as it does everywhere else.
  private func ticking(_ worker: WorkerStore) -> WorkerStore {
    var ticking = worker
    ticking.lookUp.answer { lookup throws(StoreError) in
      clock.advance(microseconds: 1_000)
      return try worker.lookUp(lookup)
    }
    return ticking
  }

  private var administration: StoreAdministration {
    StoreAdministration(
      createCode: { code in
        guard store.registrationCodes[code] == nil else { throw StoreError.conflict("it exists") }
        store.registrationCodes[code] = .some(nil)
      },
      setRegistration: { store.needsCode = $0 },
      registrationCodes: { store.registrationCodes },
      setWord: { store.setWord($0, isHidden: $1) },
      revokeKey: { key in try store.revoke(key) },
      stopRecovery: { player, recovery in try store.stopRecovery(recovery, of: player) },
      stopInvitations: { player in try store.stopInvitations(by: player) },
      removePlayer: { player in try store.removePlayer(player) },
      deadEvents: { store.deadEvents },
      fates: {
        let rows = store.deliveries.values.map { ($0.job, $0.fate) }
        return Dictionary(uniqueKeysWithValues: rows)
      },
      playerCount: { store.players.count }, reports: { store.reports(about: $0, limit: $1) })
  }
}
