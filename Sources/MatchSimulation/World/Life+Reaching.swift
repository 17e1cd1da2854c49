import MatchCore
import MatchInterfaces

extension Life {
  /// What writes, so that a process may not be told what became of it.
  private static let writing: Set = [
    "WorkerStore.commit", "WorkerStore.heartbeat", "WorkerStore.leave", "WorkerStore.trial",
    "SchedulerStore.keepDaily", "SchedulerStore.rank", "SchedulerStore.fanOutDaily",
    "SchedulerStore.remindTurns", "SchedulerStore.remindDaily", "SchedulerStore.rotatePartitions",
    "RelayStore.finish", "RaterStore.finish", "RaterStore.setAside", "RaterStore.recount",
    "PushStore.record", "PushStore.bury", "PushStore.trial",
  ]

  /// What is asked all the time and tells nothing.
  private static let idle: Set = [
    "WorkerStore.standing", "WorkerStore.heartbeat", "WorkerStore.queueClocks",
    "WorkerStore.layout", "WorkerStore.reconnect", "SchedulerStore.lead", "SchedulerStore.now",
    "SchedulerStore.queueClocks", "SchedulerStore.layout", "SchedulerStore.overdue",
    "SchedulerStore.daily", "SchedulerStore.rank", "SchedulerStore.fanOutDaily",
    "SchedulerStore.remindTurns", "SchedulerStore.remindDaily", "SchedulerStore.rotatePartitions",
    "SchedulerStore.movers", "RelayStore.claim", "RelayStore.finish", "RaterStore.take",
    "RaterStore.recount", "PushStore.reconnect", "SchedulerBus.ask", "PushBus.receive",
    "PushBus.serveHeartbeats", "WorkerBus.receive", "WorkerBus.confirmed",
  ]

  /// A store as this process reaches it.
  func reached<Store: Interface>(_ raw: Store) -> Store where Store.Failure == StoreError {
    raw.around(
      { question, ask throws(StoreError) in
        let isIdle = Life.idle.contains("\(question)")
        if Life.writing.contains("\(question)") {
          try self.onWrite(question, isIdle: isIdle, ask)
        } else {
          try self.onStore(question, isIdle: isIdle, ask)
        }
      }, unfailing: { _, ask in if !self.isDead { ask() } })
  }

  /// A broker as this process reaches it.
  func reached<Bus: Interface>(_ raw: Bus) -> Bus where Bus.Failure == BusError {
    raw.around(
      { question, ask throws(BusError) in
        try self.onBus(question, isIdle: Life.idle.contains("\(question)"), ask)
      }, unfailing: { _, ask in if !self.isDead { ask() } })
  }

  /// A worker's store as this process reaches it.
  func worker(_ raw: WorkerStore) -> WorkerStore {
    reached(raw).with { store in
      store.workWhileWaiting.answer { work in
        // The session that keeps it is this life's own.
        raw.workWhileWaiting { [weak self] in self?.isDead == false && work() }
      }
    }
  }

  /// A worker's broker as this process reaches it.
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

  /// The broker of the scheduler and its steward as this process reaches it.
  func scheduler(_ raw: SchedulerBus) -> SchedulerBus {
    // What it has been told already costs it nothing to read.
    reached(raw).with { $0.troubles = raw.troubles }
  }
}
