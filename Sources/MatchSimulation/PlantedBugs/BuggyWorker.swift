import MatchCore
import MatchInterfaces
import MatchService

/// The store and the broker for a worker with a planted bug: wrappers with the effect of the
/// mistake.
///
/// They sit between the simulated store and broker and the points where faults strike a process. So
/// nothing can come between the mistake and its damage.
final class BuggyWorker {
  let bug: PlantedBug
  unowned let world: World
  let connection: SimulatedBroker.Connection
  /// The last deliveries received and not acknowledged.
  var delivered: [EventDelivery] = []
  /// The wall clock's time last fed to each queue.
  var wallTimes: [Int: Instant] = [:]
  /// The matches that claims named as waiting, in their state then.
  var waiting: [MatchID: Match] = [:]
  private var later: [PushJob] = []

  init(_ bug: PlantedBug, world: World, connection: SimulatedBroker.Connection) {
    self.bug = bug
    self.world = world
    self.connection = connection
  }

  /// The age of data read at the wrong place, in seconds.
  static let lagSeconds: Int64 = 2

  // MARK: Store

  /// A worker's store with the mistake.
  func store(_ raw: WorkerStore) -> WorkerStore {
    var store = raw
    switch bug {
    case .noVersionGuard:
      store.commit.answer { write throws(StoreError) in
        try raw.commit(self.unguarded(write) { _ in true })
      }
    case .replyNotStored:
      store.commit.answer { write throws(StoreError) in
        var write = write
        write.replies = []
        try raw.commit(write)
      }
    case .outboxOutsideTransaction:
      store.commit.answer { write throws(StoreError) in
        var write = write
        let jobs = write.outbox
        write.outbox = []
        try raw.commit(write)
        self.later += jobs
      }
      // A worker that dies before its next look-up has forgotten them.
      store.lookUp.answer { lookup throws(StoreError) in
        if !self.later.isEmpty {
          var write = BatchWrite(now: self.world.clock.now)
          (write.outbox, self.later) = (self.later, [])
          try raw.commit(write)
        }
        return try raw.lookUp(lookup)
      }
    case .guardAfterCommit:
      store.commit.answer { write throws(StoreError) in try self.commitWhatFits(write, raw) }
    case .rematchWithoutGuard:
      store.lookUp.answer { lookup throws(StoreError) in
        self.withFinishedAsBefore(try raw.lookUp(lookup))
      }
      store.commit.answer { write throws(StoreError) in
        try raw.commit(self.unguarded(write) { $0.outcome != nil })
      }
    case .seatWithoutCondition:
      store.resolve.answer { claims throws(StoreError) in try self.resolveWithoutLock(claims, raw) }
      store.lookUp.answer { lookup throws(StoreError) in
        self.withWaitingAsBefore(try raw.lookUp(lookup))
      }
      store.commit.answer { write throws(StoreError) in
        try raw.commit(self.unguarded(write) { $0.stage == .waiting })
      }
    case .dedupeByTurnNumberOnly:
      store.lookUp.answer { lookup throws(StoreError) in
        self.withRepliesByNumber(try raw.lookUp(lookup), lookup)
      }
    case .previousHashNotChecked:
      store.lookUp.answer { lookup throws(StoreError) in
        try self.withPreviousAsNamed(try raw.lookUp(lookup), lookup)
      }
    case .revocationIgnored:
      store.lookUp.answer { lookup throws(StoreError) in
        var known = try raw.lookUp(lookup)
        known.revocationCount = 0
        return known
      }
      store.commit.answer { write throws(StoreError) in
        var write = write
        write.revocationCount = nil
        try raw.commit(write)
      }
    case .objectionForgotten:
      store.resolve.answer { claims throws(StoreError) in
        try raw.resolve(claims).map(\.withoutObjection)
      }
    case .requeueWithNack:
      store.reconnect.answer { () throws(StoreError) in
        self.world.broker.requeueAtTheBack(self.connection)
        self.world.broker.cut(self.connection)
        try raw.reconnect()
      }
    case .acknowledgeBeforeCommit, .deadlineByWallClock,
      .relayDeletesBeforeConfirm, .pendingResentWithNewID, .oldestMatchesOnly, .quietHoursIgnored,
      .newTopicEachTime, .devicesLeft, .newsAtOnce:
      break
    }
    return store
  }

  /// The batch without the version guard of some matches. A taken position stays as it is.
  private func unguarded(_ write: BatchWrite, _ isFree: (Match) -> Bool) -> BatchWrite {
    var write = withoutHolds(write)
    let store = world.store
    write.unchanged = write.unchanged.filter { id, _ in
      !(store.matches[id].map(isFree) ?? true)
    }
    for index in write.changes.indices {
      let change = write.changes[index]
      guard let current = store.matches[change.after.id], isFree(change.before ?? current) else {
        continue
      }
      write.changes[index].before = current
      let count = store.entries[current.id]?.count ?? 0
      write.changes[index].entries.removeAll { $0.position < count }
    }
    return write
  }

  /// A batch whose clocks guard nothing but ticks. Holds after a standstill are guarded too, and
  /// that would catch a worker that was stopped.
  private func withoutHolds(_ write: BatchWrite) -> BatchWrite {
    var write = write
    write.clocks = write.clocks.filter { $1.after.time != $1.before.time }
    return write
  }

  /// Commits the changes that fit, and only then notices the others.
  private func commitWhatFits(
    _ write: BatchWrite, _ raw: WorkerStore
  ) throws(StoreError) {
    let versions = world.store.matches.mapValues(\.version)
    var fitting = withoutHolds(write)
    fitting.unchanged = [:]
    fitting.changes = write.changes.filter { $0.before?.version == versions[$0.after.id] }
    try raw.commit(fitting)
    guard fitting.changes.count == write.changes.count,
      write.unchanged.allSatisfy({ versions[$0.key] == $0.value })
    else { throw .conflict("fewer rows than matches") }
  }

  // MARK: Broker

  /// A worker's broker with the mistake.
  func bus(_ raw: WorkerBus) -> WorkerBus {
    var bus = raw
    switch bug {
    case .acknowledgeBeforeCommit:
      bus.receive.answer { limit, wait throws(BusError) in
        let deliveries = try raw.receive(limit, wait)
        if let last = deliveries.last { try raw.acknowledge(last.tag) }
        return deliveries
      }
      bus.acknowledge.answer { _ in }
    case .deadlineByWallClock:
      bus.receive.answer { limit, wait throws(BusError) in
        self.withWallClock(try raw.receive(limit, wait))
      }
    case .previousHashNotChecked:
      bus.receive.answer { limit, wait throws(BusError) in
        self.delivered = try raw.receive(limit, wait)
        return self.delivered
      }
    default: break
    }
    return bus
  }
}

extension ClaimFacts {
  /// The facts with a recovery that nobody seems to have objected to.
  fileprivate var withoutObjection: ClaimFacts {
    guard case .keys(var keys) = self else { return self }
    keys.recovery.pending?.objector = nil
    return .keys(keys)
  }
}

extension RelayStore {
  /// The relay's store with the mistake: the rows are deleted before any confirm.
  var deletingBeforeConfirm: RelayStore {
    with { store in
      store.claim.answer { age, limit throws(StoreError) in
        let jobs = try self.claim(age, limit)
        try self.finish(jobs.map(\.id))
        return jobs
      }
      store.finish.answer { _ in }
    }
  }
}

extension SimulatedStore {
  /// A housekeeper's store with the mistake: it gives the devices of players who are gone back.
  func leavingDevices(_ raw: SchedulerStore) -> SchedulerStore {
    raw.with { store in
      store.rotatePartitions.answer { now, worked throws(StoreError) in
        let before = self.devices
        try raw.rotatePartitions(now, worked)
        for (player, rows) in before where self.isGone(player) { self.devices[player] = rows }
      }
    }
  }
}

extension SimulatedBroker {
  /// Has the effect of nack with requeue: the deliveries go behind the messages that have arrived
  /// since.
  fileprivate func requeueAtTheBack(_ connection: Connection) {
    for delivery in connection.unacknowledged {
      queues[delivery.queue].ready.append(delivery.message)
    }
    connection.unacknowledged = []
  }
}

extension PushPolicy {
  /// The plan of a push worker, with the bug if it is one of the plan.
  static func plan(zones: TimeZones, bug: PlantedBug?) -> PushWorker.Plan {
    { job, details in
      var details = details
      if bug == .quietHoursIgnored { details.preferences.quietHours = nil }
      if bug == .newsAtOnce { (details.lastSentAt, details.lastTurnSentAt) = (nil, nil) }
      return plan(job, details, zones: zones)
    }
  }
}
