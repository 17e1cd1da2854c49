import MatchCore
import MatchInterfaces

/// The jobs that a push worker has handled, until the store and the broker know.
struct HandledJobs {
  /// The outcomes that the store has to be told.
  private(set) var outcomes: [PushStore.Outcome] = []
  /// Deliveries that are done with.
  var done: [UInt64] = []
  /// Jobs that become dead letters.
  private(set) var dead: [DeadJob] = []
  /// Deliveries that are tried again.
  var delayed: [PushBus.Delayed] = []
  private var ids: Set<PushJobID> = []

  var count: Int { done.count + delayed.count }

  /// Whether the store knows all that it has to know.
  var isRecorded: Bool { outcomes.isEmpty && dead.isEmpty }

  /// Whether a job has been handled.
  func contains(_ id: PushJobID) -> Bool { ids.contains(id) }

  mutating func record(_ delivery: PushBus.Delivery, _ job: PushJob, _ fate: PushStore.Fate) {
    outcomes.append(PushStore.Outcome(job, fate))
    ids.insert(job.id)
    done.append(delivery.tag)
  }

  mutating func bury(_ delivery: PushBus.Delivery, _ job: PushJob, _ reason: String) {
    record(delivery, job, .failed)
    dead.append(DeadJob(reason: reason, body: delivery.body))
  }

  /// The store knows the first outcomes.
  mutating func recorded(_ count: Int) { outcomes.removeFirst(min(count, outcomes.count)) }

  /// The store keeps the dead letters.
  mutating func buried() { dead = [] }
}
