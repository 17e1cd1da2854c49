import MatchCore
import MatchInterfaces

/// The jobs that a push worker has handled, until the store and the broker know.
struct HandledJobs {
  /// What the store has to be told of one job.
  struct Entry {
    var delivery: PushBus.Delivery
    var job: PushJob
    var outcome: PushStore.Outcome?
    var held: HeldJob?
    var answers: [PushStore.Answer] = []
  }

  /// What the store has to be told.
  private(set) var entries: [Entry] = []
  /// Deliveries that are done with.
  var done: [UInt64] = []
  /// Jobs that become dead letters.
  private(set) var dead: [DeadJob] = []
  /// Deliveries that are tried again.
  private(set) var delayed: [PushBus.Delayed] = []
  /// What the store has to be told once the broker has the copies that are tried again.
  private(set) var afterwards: [Entry] = []
  private var ids: Set<PushJobID> = []

  init() {}

  /// The rest after the broker has the copies.
  init(after handled: HandledJobs) { entries = handled.afterwards }

  var count: Int { done.count + delayed.count }

  /// Whether the store knows all that it has to know.
  var isRecorded: Bool { entries.isEmpty && dead.isEmpty }

  /// Whether a job has been handled.
  func contains(_ id: PushJobID) -> Bool { ids.contains(id) }

  mutating func record(
    _ part: OpenPush.Part, _ fate: PushStore.Fate, _ reason: PushReason? = nil,
    answers: [PushStore.Answer] = []
  ) {
    add(
      Entry(
        delivery: part.delivery, job: part.job,
        outcome: PushStore.Outcome(part.job, fate, reason), answers: answers))
    done.append(part.delivery.tag)
  }

  mutating func bury(
    _ part: OpenPush.Part, _ text: String, _ reason: PushReason, answers: [PushStore.Answer] = []
  ) {
    record(part, .failed, reason, answers: answers)
    dead.append(DeadJob(reason: text, body: part.delivery.body))
  }

  /// A job waits in the store from now on.
  mutating func hold(_ part: OpenPush.Part, until: Instant, _ reason: HoldReason) {
    add(
      Entry(
        delivery: part.delivery, job: part.job,
        held: HeldJob(part.job, until: until, reason)))
    done.append(part.delivery.tag)
  }

  /// A job is tried again. If a device has it, it counts as delivered, but not before the copy for
  /// the other devices is safe: a job that is delivered comes to nobody any more.
  mutating func delay(
    _ part: OpenPush.Part, _ delayed: PushBus.Delayed, answers: [PushStore.Answer] = [],
    isDelivered: Bool = false, reason: PushReason? = nil
  ) {
    ids.insert(part.job.id)
    self.delayed.append(delayed)
    if !answers.isEmpty {
      add(Entry(delivery: part.delivery, job: part.job, answers: answers))
    }
    guard isDelivered else { return }
    afterwards.append(
      Entry(
        delivery: part.delivery, job: part.job,
        outcome: PushStore.Outcome(part.job, .delivered, reason)))
  }

  /// A dead letter of a job that the store will not hold.
  mutating func keep(_ entry: Entry, _ text: String) {
    dead.append(DeadJob(reason: text, body: entry.delivery.body))
  }

  /// The store knows the first entries.
  mutating func recorded(_ count: Int) { entries.removeFirst(min(count, entries.count)) }

  /// The store keeps the dead letters.
  mutating func buried() { dead = [] }

  private mutating func add(_ entry: Entry) {
    entries.append(entry)
    ids.insert(entry.job.id)
  }
}

extension PushStore.Results {
  /// What the store is told of some jobs.
  init(_ entries: some Sequence<HandledJobs.Entry>) {
    let entries = Array(entries)
    self.init(
      entries.compactMap(\.outcome), held: entries.compactMap(\.held),
      answers: entries.flatMap(\.answers))
  }
}
