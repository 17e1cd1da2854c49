import MatchCore
import MatchInterfaces
import MatchService
import MatchWire

extension StatusReport {
  /// What an operator should look at; none where all is well.
  func findings(names: Names = Names()) -> [Finding] {
    failures.map { Finding($0) }
      + alarms.map {
        Finding(
          "brokerAlarm", "RabbitMQ: \($0); nobody can publish",
          "free memory or disk, or start the node; `rabbitmq-diagnostics alarms` says more")
      }
      + keyFindings + roleFindings(names) + deathFindings() + queueFindings(names)
      + waitingFindings(names) + deadFindings(names)
  }

  private var keyFindings: [Finding] {
    guard let status else { return [] }
    let terms = keyTerm == ownKeyTerm ? [keyTerm] : [keyTerm, ownKeyTerm]
    return terms.compactMap { term in
      term?.trouble(at: status.now).map {
        Finding("keyEnds", $0, KeyTerm.remedy)
      }
    }
  }

  // MARK: Roles

  private func roleFindings(_ names: Names) -> [Finding] {
    guard let status else { return [] }
    return RoleName.allCases.compactMap { role in
      let living = living(role)
      let hindered = living.filter { $0.sign.problem != nil }
      if let first = hindered.first {
        return Finding(
          "\(role.rawValue)Hindered",
          "\(hindered.count) of \(living.count) \(role.plural) cannot work, at "
            + "\(first.sign.process): \(PlainText.oneLine(first.sign.problem ?? ""))",
          "mend that; it goes on by itself")
      }
      let isThere =
        !living.isEmpty || status.silentRoles.contains(role.rawValue)
        || (role == .worker && !livingWorkers.isEmpty)
      guard !isThere, !isStarting else { return nil }
      let last = status.roles.filter { $0.sign.role == role.rawValue }
        .max { $0.heartbeatAt < $1.heartbeatAt }
      let since =
        last.map { " (the last one, at \($0.sign.process), \(age($0.heartbeatAt)) s ago)" } ?? ""
      return Finding(
        "\(role.rawValue)Absent",
        "no \(role.noun) gives a sign of life\(since), so that \(role.loss)"
          + waiting(role, names),
        "start `cubistd run \(role.rawValue)`; the log of the former one says why it ended")
    }
  }

  /// From so many processes on that died young within ten minutes a role is said to do so.
  private static let notableDeaths = 3

  /// Roles that crash again and again.
  private func deathFindings() -> [Finding] {
    RoleName.allCases.compactMap { role in
      let dead = (status?.roles ?? []).filter {
        $0.sign.role == role.rawValue && !isLiving($0)
          && $0.heartbeatAt < $0.startedAt.adding(seconds: WorkerStanding.youngSeconds)
      }
      let count = Set(dead.map(\.sign.process)).count
      guard count >= StatusReport.notableDeaths,
        let last = dead.max(by: { $0.heartbeatAt < $1.heartbeatAt })
      else { return nil }
      return Finding(
        "\(role.rawValue)DiesYoung",
        "\(count) processes with a \(role.noun) ended within two minutes of their start, the last "
          + "at \(last.sign.process) \(age(last.heartbeatAt)) s ago",
        "the log of `cubistd run \(role.rawValue)` there says why")
    }
  }

  /// How much waits for a role, where that is known.
  private func waiting(_ role: RoleName, _ names: Names) -> String {
    guard role == .push,
      let count = queueRows(names: names).first(where: { $0.name == names.push })?.ready, count > 0
    else { return "" }
    return "; \(count) messages wait"
  }

  /// Whether the service is just starting: all that lives has begun a moment ago, and nothing has
  /// died as young.
  private var isStarting: Bool {
    guard let status else { return false }
    let beginnings =
      status.roles.filter(isLiving).map(\.startedAt) + livingWorkers.map(\.startedAt)
    return !beginnings.isEmpty && beginnings.allSatisfy { age($0) < StatusReport.graceSeconds }
      && !RoleName.allCases.contains(where: diesYoung)
  }

  private func diesYoung(_ role: RoleName) -> Bool {
    (status?.roles ?? []).contains {
      $0.sign.role == role.rawValue && !isLiving($0)
        && $0.heartbeatAt < $0.startedAt.adding(seconds: StatusReport.graceSeconds)
    }
  }

  /// Whether those of a role have only just begun, so that what they have to do may not be done yet.
  private func isSettling(_ role: RoleName) -> Bool {
    let living = living(role)
    return !living.isEmpty && !diesYoung(role)
      && living.allSatisfy { age($0.startedAt) < StatusReport.graceSeconds }
  }

  /// Whether a worker has only just begun: queues change hands.
  private var isRedealing: Bool {
    !diesYoung(.worker)
      && (livingWorkers.map(\.startedAt) + living(.worker).map(\.startedAt)).contains {
        age($0) < StatusReport.graceSeconds
      }
  }

  // MARK: Queues

  private func queueFindings(_ names: Names) -> [Finding] {
    let rows = queueRows(names: names)
    var findings: [Finding] = []
    let thin = rows.filter { !$0.absentMembers.isEmpty }
    if !thin.isEmpty {
      let nodes = Set(thin.flatMap(\.absentMembers)).sorted().joined(separator: ", ")
      findings.append(
        Finding(
          "replicaAbsent", "a replica is not there: \(list(thin))",
          "start RabbitMQ's node \(nodes)"))
    }
    let former = rows.filter(\.isFormer)
    if !former.isEmpty {
      let count = former.reduce(0) { $0 + ($1.ready ?? 0) + ($1.unacknowledged ?? 0) }
      findings.append(
        Finding(
          "formerQueues",
          "queues of a former build are still there: \(list(former)), with \(count) messages",
          "roles of this one drain them, then `cubistd setup` removes them"))
    }
    let idle = unconsumed(rows, names)
    if !idle.isEmpty {
      findings.append(
        Finding(
          "queueUnconsumed", "without a consumer: \(list(idle))",
          "the log of the worker whose share it is says why; else start `cubistd run worker`"))
    }
    let late = rows.filter { ($0.lagSeconds ?? 0) > StatusReport.lagLimit }
    if !late.isEmpty, !isSettling(.scheduler), !isRedealing {
      findings.append(
        Finding(
          "clockBehind", "clocks behind: \(list(late))",
          "is `cubistd run scheduler` running, and are workers?"))
    }
    let long = rows.filter { ($0.ready ?? 0) > StatusReport.depthLimit }
    if !long.isEmpty {
      findings.append(
        Finding(
          "queueLong", "long queues: \(list(long))", "start more of `cubistd run worker`"))
    }
    return findings
  }

  /// Queues of events that nobody consumes. What is not moved yet is consumed by its former name.
  private func unconsumed(_ rows: [Queue], _ names: Names) -> [Queue] {
    let served = Set(rows.filter { $0.isFormer && ($0.consumers ?? 0) > 0 }.map(\.name))
    let isHanded = isRedealing || isStarting
    return rows.enumerated().filter { index, queue in
      queue.isOfEvents && queue.consumers == 0 && !isHanded
        && !served.contains(names.formerEvents(queue: index))
    }.map(\.element)
  }

  // MARK: What waits

  private func waitingFindings(_ names: Names) -> [Finding] {
    guard let status else { return [] }
    var findings: [Finding] = []
    if let oldest = status.outboxOldestAt, age(oldest) > StatusReport.outboxAgeLimit,
      !isSettling(.relay)
    {
      findings.append(
        Finding(
          "pushJobWaits", "a push job has waited \(age(oldest)) s",
          "is `cubistd run relay` running, and has the queue \(names.push) room?"))
    }
    if let oldest = status.ratingQueueOldestAt, age(oldest) > StatusReport.ratingAgeLimit,
      !isSettling(.rater)
    {
      findings.append(
        Finding(
          "ratingWaits", "a match that ended has waited \(age(oldest)) s to be rated",
          "is `cubistd run rater` running?"))
    }
    for problem in status.problems {
      let what = problem.part == "reminders" || problem.part == "ratings" ? "match" : "player"
      findings.append(
        Finding(
          "passedOver",
          "\(problem.part): \(what) \(problem.subject) was passed over: "
            + PlainText.oneLine(problem.reason),
          "it is tried again, and the others go on; `cubistd check` says more of a match"))
    }
    for failing in status.unrankable {
      findings.append(
        Finding(
          "playerUnrankable",
          "player \(failing.player) cannot be ranked, \(failing.failureCount) times in a row: "
            + PlainText.oneLine(failing.problem),
          "it is tried again, and others are ranked meanwhile"))
    }
    return findings
  }

  // MARK: What was given up

  private func deadFindings(_ names: Names) -> [Finding] {
    var findings: [Finding] = []
    if let count = status?.deadEventCount, count > 0 {
      findings.append(Finding("deadEvents", "\(count) dead events", "`cubistd dead-letters list`"))
    }
    if let count = status?.deadJobCount, count > 0 {
      findings.append(
        Finding("deadJobs", "\(count) dead push jobs", "`cubistd dead-letters list`"))
    }
    let former = queueRows(names: names).first { $0.name == names.formerDead }
    if let count = former?.ready, count > 0 {
      findings.append(
        Finding(
          "formerDeadLetters",
          "\(count) messages in queue \(names.formerDead) that a former build could not handle",
          "`cubistd dead-letters list`"))
    }
    return findings
  }

  private func list(_ queues: [Queue]) -> String {
    let names = queues.prefix(4).map(\.name).joined(separator: ", ")
    return queues.count > 4 ? "\(names) and \(queues.count - 4) more" : names
  }
}

extension RoleName {
  /// One of them, for a person.
  fileprivate var noun: String { self == .push ? "push worker" : rawValue }

  fileprivate var plural: String { "\(noun)s" }

  /// What nobody does without it.
  fileprivate var loss: String {
    switch self {
    case .worker: "events wait in their queues"
    case .scheduler: "no deadline passes, and no daily and no rank is made"
    case .relay: "push jobs of workers that died stay in the outbox"
    case .reader: "nobody sees anything, and players' commands time out"
    case .push: "notifications wait"
    case .rater: "matches that ended wait to be rated"
    }
  }
}
