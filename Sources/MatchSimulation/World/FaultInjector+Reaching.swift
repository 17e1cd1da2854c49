import MatchCore
import MatchInterfaces

extension FaultInjector {
  /// The calls that write. The process may not be told their outcome.
  private static let writing: Set = [
    "WorkerStore.commit", "WorkerStore.heartbeat", "WorkerStore.leave", "WorkerStore.trial",
    "SchedulerStore.keepDaily", "SchedulerStore.rank", "SchedulerStore.fanOutDaily",
    "SchedulerStore.remindTurns", "SchedulerStore.remindDaily", "SchedulerStore.remindOffers",
    "SchedulerStore.remindByLocalTime", "SchedulerStore.rotatePartitions",
    "SchedulerStore.correctTime",
    "RelayStore.finish", "RaterStore.finish", "RaterStore.setAside", "RaterStore.recount",
    "PushStore.record", "PushStore.bury", "PushStore.trial",
  ]

  /// The calls that happen all the time and say nothing.
  private static let idle: Set = [
    "WorkerStore.standing", "WorkerStore.heartbeat", "WorkerStore.queueClocks",
    "WorkerStore.layout", "WorkerStore.reconnect", "SchedulerStore.lead", "SchedulerStore.now",
    "SchedulerStore.time",
    "SchedulerStore.queueClocks", "SchedulerStore.workload", "SchedulerStore.layout",
    "SchedulerStore.overdue",
    "SchedulerStore.recoveriesDue",
    "SchedulerStore.daily", "SchedulerStore.rank", "SchedulerStore.fanOutDaily",
    "SchedulerStore.remindTurns", "SchedulerStore.remindDaily", "SchedulerStore.remindOffers",
    "SchedulerStore.remindByLocalTime", "SchedulerStore.rotatePartitions",
    "SchedulerStore.movers", "RelayStore.claim", "RelayStore.finish", "RaterStore.take",
    "RaterStore.recount", "PushStore.reconnect", "SchedulerBus.ask", "PushBus.receive",
    "PushBus.serveHeartbeats", "WorkerBus.receive", "WorkerBus.confirmed",
  ]

  /// A store within this process's reach.
  func reached<Store: Interface>(_ raw: Store) -> Store where Store.Failure == StoreError {
    raw.around(
      { question, ask throws(StoreError) in
        let isIdle = FaultInjector.idle.contains("\(question)")
        if FaultInjector.writing.contains("\(question)") {
          try self.onWrite(question, isIdle: isIdle, ask)
        } else {
          try self.onStore(question, isIdle: isIdle, ask)
        }
      }, unfailing: { _, ask in if !self.isDead { ask() } })
  }

  /// A broker within this process's reach.
  func reached<Bus: Interface>(_ raw: Bus) -> Bus where Bus.Failure == BusError {
    raw.around(
      { question, ask throws(BusError) in
        try self.onBus(question, isIdle: FaultInjector.idle.contains("\(question)"), ask)
      }, unfailing: { _, ask in if !self.isDead { ask() } })
  }

  /// A worker's store within this process's reach.
  func worker(_ raw: WorkerStore) -> WorkerStore {
    reached(raw).with { store in
      store.workWhileWaiting.answer { work in
        // The session that keeps it is this life's own.
        raw.workWhileWaiting { [weak self] in self?.isDead == false && work() }
      }
    }
  }

  /// A worker's broker within this process's reach.
  func worker(_ raw: WorkerBus) -> WorkerBus {
    let reached = reached(raw)
    return reached.with { bus in
      bus.acknowledge.answer { tag throws(BusError) in
        let bodies = self.connection.unacknowledged.filter { $0.tag <= tag }.map(\.message.body)
        do throws(BusError) { try reached.acknowledge(tag) } catch {
          self.senders.miss(bodies)
          throw error
        }
      }
      bus.publish.answer { outgoing throws(BusError) in
        self.senders.hear(outgoing, except: self.strangers)
        try reached.publish(outgoing)
      }
    }
  }

  /// The broker of the scheduler and its steward within this process's reach.
  func scheduler(_ raw: SchedulerBus) -> SchedulerBus {
    // Reading old news costs it nothing.
    reached(raw).with { $0.troubles = raw.troubles }
  }
}
