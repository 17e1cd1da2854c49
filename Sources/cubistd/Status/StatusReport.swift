import EventBusLive
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire

/// How the service stands: what the database and the broker say, put together.
struct StatusReport: Equatable, Sendable {
  /// From here on a queue's clock counts as behind, in seconds.
  static let lagLimit: Int64 = 15
  /// From here on a push job counts as stuck, in seconds.
  static let outboxAgeLimit: Int64 = 60
  /// From here on a match counts as forgotten by the rater, in seconds.
  static let ratingAgeLimit: Int64 = 60
  /// From here on a queue counts as long.
  static let depthLimit = 10_000

  var service: ServiceID?
  var registrationNeedsCode: Bool
  var status: ServiceStatus
  var layout: QueueLayout
  /// Nil where there is no management API to ask.
  var queues: [BrokerAdministration.QueueReport]?
  /// Alarms of the broker.
  var alarms: [String]
  /// The working key that is certified longest; nil before the service was set up.
  var keyTerm: KeyTerm?
  /// That of this machine's key file; nil where the settings name none.
  var ownKeyTerm: KeyTerm?

  /// A queue, with all that is known of it.
  struct Queue: Equatable, Sendable {
    var name: String
    var ready: Int?
    var unacknowledged: Int?
    var consumers: Int?
    /// The worker whose share it is.
    var worker: WorkerID?
    /// How far the queue's clock is behind the database's, in seconds; nil before the first tick.
    var lagSeconds: Int64?
    /// Whether it is a queue of events.
    var isOfEvents: Bool
    /// Whether it is one of a former build.
    var isFormer = false
    /// Nodes of the broker that should have a replica and are not there.
    var absentMembers: [String] = []
  }

  /// Workers whose heartbeat is recent.
  var livingWorkers: [ServiceStatus.Worker] {
    status.workers.filter { age($0.heartbeatAt) <= WorkerStore.heartbeatLimitSeconds }
  }

  /// The queues of events in their order, then the others as far as the broker was asked.
  func queueRows(names: Names = Names()) -> [Queue] {
    let reports = Dictionary(
      (queues ?? []).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let living = livingWorkers.map(\.id)
    var holders: [Int: WorkerID] = [:]
    for worker in living {
      for queue in QueueAssignment.queues(
        of: worker, among: living, queueCount: layout.queueCount)
      {
        holders[queue] = worker
      }
    }
    let events = (0..<layout.queueCount).map { index in
      let name = names.events(queue: index)
      let report = reports[name]
      return Queue(
        name: name, ready: report?.ready, unacknowledged: report?.unacknowledged,
        consumers: report?.consumers, worker: holders[index],
        lagSeconds: status.clocks[index]?.time.map(age), isOfEvents: true,
        absentMembers: report?.absentMembers ?? [])
    }
    let known = Set(events.map(\.name))
    let others = (queues ?? []).filter { !known.contains($0.name) }.map {
      Queue(
        name: $0.name, ready: $0.ready, unacknowledged: $0.unacknowledged,
        consumers: $0.consumers, worker: nil, lagSeconds: nil, isOfEvents: false,
        isFormer: names.isFormer($0.name),
        absentMembers: $0.absentMembers)
    }
    return events + others
  }

  /// What an operator should look at, a sentence each; none where all is well.
  func attention(names: Names = Names()) -> [String] {
    let rows = queueRows(names: names)
    var sentences = alarms.map { "RabbitMQ: \($0); nobody can publish" }
    let terms = keyTerm == ownKeyTerm ? [keyTerm] : [keyTerm, ownKeyTerm]
    sentences += terms.compactMap { $0?.warning(at: status.now) }
    if livingWorkers.isEmpty { sentences.append("no worker lives: start `cubistd run worker`") }
    let thin = rows.filter { !$0.absentMembers.isEmpty }
    if !thin.isEmpty {
      let nodes = Set(thin.flatMap(\.absentMembers)).sorted().joined(separator: ", ")
      sentences.append("a replica is not there: \(list(thin)); start RabbitMQ's node \(nodes)")
    }
    let former = rows.filter(\.isFormer)
    if !former.isEmpty {
      let count = former.reduce(0) { $0 + ($1.ready ?? 0) + ($1.unacknowledged ?? 0) }
      sentences.append(
        "queues of a former build are still there: \(list(former)), with \(count) messages; roles "
          + "of this one drain them, then `cubistd setup` removes them")
    }
    // What is not moved yet is consumed by its former name.
    let served = Set(former.filter { ($0.consumers ?? 0) > 0 }.map(\.name))
    let idle = rows.enumerated().filter { index, queue in
      queue.isOfEvents && queue.consumers == 0
        && !served.contains(names.formerEvents(queue: index))
    }.map(\.element)
    if !idle.isEmpty { sentences.append("without a consumer: \(list(idle))") }
    let late = rows.filter { ($0.lagSeconds ?? 0) > StatusReport.lagLimit }
    if !late.isEmpty {
      sentences.append(
        "clocks behind: \(list(late)); is `cubistd run scheduler` running, and are workers?")
    }
    let long = rows.filter { ($0.ready ?? 0) > StatusReport.depthLimit }
    if !long.isEmpty { sentences.append("long queues: \(list(long))") }
    if let oldest = status.outboxOldestAt, age(oldest) > StatusReport.outboxAgeLimit {
      sentences.append(
        "a push job has waited \(age(oldest)) s: is `cubistd run relay` running, and has the queue "
          + "\(names.push) room?")
    }
    if let oldest = status.ratingQueueOldestAt, age(oldest) > StatusReport.ratingAgeLimit {
      sentences.append(
        "a match that ended has waited \(age(oldest)) s to be rated: is `cubistd run rater` running?"
      )
    }
    for failing in status.unrankable {
      sentences.append(
        "player \(failing.player) cannot be ranked, \(failing.failureCount) times in a row: "
          + "\(PlainText.oneLine(failing.problem)); it is tried again, and others are ranked "
          + "meanwhile")
    }
    for problem in status.problems {
      let what = problem.part == "reminders" || problem.part == "ratings" ? "match" : "player"
      sentences.append(
        "\(problem.part): \(what) \(problem.subject) was passed over: "
          + "\(PlainText.oneLine(problem.reason)); it is tried again, and the others go on; `cubistd check` "
          + "says more of a match")
    }
    if status.deadEventCount > 0 {
      sentences.append("\(status.deadEventCount) dead events: `cubistd dead-letters list`")
    }
    if status.deadJobCount > 0 {
      sentences.append("\(status.deadJobCount) dead push jobs: `cubistd dead-letters list`")
    }
    if let dead = rows.first(where: { $0.name == names.formerDead })?.ready, dead > 0 {
      sentences.append(
        "\(dead) messages in queue \(names.formerDead) that a former build could not handle: "
          + "`cubistd dead-letters list`")
    }
    return sentences
  }

  /// Whole seconds since an instant, by the database's clock.
  func age(_ instant: Instant) -> Int64 {
    max(0, status.now.microseconds(since: instant) / 1_000_000)
  }

  private func list(_ queues: [Queue]) -> String {
    let names = queues.prefix(4).map(\.name).joined(separator: ", ")
    return queues.count > 4 ? "\(names) and \(queues.count - 4) more" : names
  }
}
