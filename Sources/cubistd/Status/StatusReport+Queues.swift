import BrokerManagement
import EventBusLive
import MatchInterfaces
import MatchService
import MatchWire

extension StatusReport {
  /// Queues that are missing, not served, late or long.
  func queueFindings(_ names: Names) -> [Finding] {
    let rows = queueRows(names: names)
    var findings = strangerFindings(rows, names)
    // Without the database's word nobody knows how many queues there have to be.
    if !missingQueues.isEmpty, status != nil {
      findings.append(
        Finding(
          "queueMissing",
          "not on the broker: \(list(missingQueues)); nothing can be published to it",
          "`cubistd setup` makes it anew; clients send their unanswered events again, and `cubistd rebuild "
            + "--all` owes anew the notifications that were lost with it"))
    }
    findings += topologyFindings(isFormer: rows.contains(where: \.isFormer))
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
          "queues of a former build are still there: \(list(former)), with "
            + PlainText.count(count, "message"),
          "roles of this one drain them, then `cubistd setup` removes them"))
    }
    let idle = unconsumed(names)
    if !idle.isEmpty {
      findings.append(
        Finding(
          "queueUnconsumed", "without a consumer: \(list(idle))",
          "the log of the worker whose share it is says why; else start `cubistd run worker`"))
    }
    let late = rows.filter { ($0.lagSeconds ?? 0) > StatusReport.lagLimit }
    if !late.isEmpty, !isSettling(.scheduler), !isRedealing, !lacksBroker, !isReadOnly,
      !servesAnother
    {
      findings.append(clockFinding(late, isIdle: !idle.isEmpty, names))
    }
    return findings + (lacksDatabase ? [] : lengthFindings(rows, names))
  }

  /// Queues that are full or long.
  private func lengthFindings(_ rows: [Queue], _ names: Names) -> [Finding] {
    var findings: [Finding] = []
    let overflowing = Set(
      PushBus.RetryDelay.allCases.filter { $0.shorter != nil }.map {
        names.pushRetry(seconds: $0.rawValue)
      })
    let full = rows.filter { $0.isFull && !overflowing.contains($0.name) }
    if let first = full.first {
      let consumer = consumer(of: first, names)
      findings.append(
        Finding(
          "queueFull",
          "full: \(list(full.map(\.filling))); RabbitMQ refuses what is sent there",
          "start more of `\(consumer)`; `cubistd status --all` says whether somebody consumes them",
          command: consumer))
    }
    let long = rows.filter { $0.isLong && (!$0.isFull || overflowing.contains($0.name)) }
    if let first = long.first(where: { !overflowing.contains($0.name) }) {
      let consumer = consumer(of: first, names)
      findings.append(
        Finding(
          "queueLong", "long queues: \(list(long.map(\.filling)))", "start more of `\(consumer)`",
          command: consumer))
    } else if !long.isEmpty {
      // Nobody consumes them, and one client's server can fill them.
      findings.append(
        Finding(
          "queueLong",
          "many push jobs wait to be tried again: \(list(long.map(\.filling))); beyond a full queue "
            + "they are tried sooner",
          "`cubistd push status` shows who takes none; more roles would not help",
          command: "cubistd push status"))
    }
    return findings
  }

  /// The command that starts a role which consumes a queue.
  private func consumer(of queue: Queue, _ names: Names) -> String {
    let role: RoleName =
      queue.isOfEvents
      ? .worker : [names.queries, names.gatewayQueries].contains(queue.name) ? .reader : .push
    return "cubistd run \(role.runsWith.rawValue)"
  }

  /// Whether a scheduler lets no time pass since no reader answers.
  private var awaitsReaders: Bool {
    living(.scheduler).contains {
      ProvenCause($0.sign.problem ?? "", of: .scheduler) == .readers
    }
  }

  /// The clocks of queues stand still. Ticks come from a scheduler and are handled by workers.
  private func clockFinding(_ late: [Queue], isIdle: Bool, _ names: Names) -> Finding {
    var behind = Finding("clockBehind", "clocks behind: \(list(late))", "")
    let roles = roleFindings(names)
    let others =
      roles.first { $0.name == "schedulerHindered" || $0.name == "workerHindered" }
      ?? (awaitsReaders ? roles.first { $0.name.hasPrefix("reader") } : nil)
    if isIdle || roles.contains(where: { $0.name == "workerAbsent" }) {
      behind.remedy = "start `cubistd run worker`; ticks wait in queues that no worker serves"
      behind.ownCommand = "cubistd run worker"
    } else if roles.contains(where: { $0.name == "schedulerAbsent" }) {
      behind.remedy = "start `cubistd run scheduler`"
    } else if let others {
      behind.remedy = "a scheduler lives; the finding \(others.name) says why the clocks stand"
      behind.ownCommand = others.command
    } else if let lock = status?.locks.map({ Finding($0) }).first {
      behind.remedy = "a scheduler lives; the clocks go on once the lock is gone, see \(lock.name)"
      behind.ownCommand = lock.command
    } else {
      behind.remedy =
        "a scheduler lives; the log of the worker that has the queue says whether it hangs or works "
        + "off a backlog"
      behind.ownCommand = Finding.log
    }
    return behind
  }

  /// Other changes that somebody made on the broker, and the users that they lock out.
  private func topologyFindings(isFormer: Bool) -> [Finding] {
    var findings: [Finding] = []
    if !missingExchanges.isEmpty {
      findings.append(
        Finding(
          "exchangeMissing",
          "not on the broker: exchange \(list(missingExchanges)); nothing can be published to it",
          "`cubistd setup` makes it anew"))
    }
    for problem in playerProblems {
      findings.append(
        Finding("playersLockedOut", problem, mending: .playerBroker))
    }
    for problem in gatewayProblems {
      findings.append(
        Finding("gatewaysLockedOut", problem, mending: .gatewayBroker))
    }
    // Without the exchange there is no binding either. Bindings of a former build are told below.
    guard missingExchanges.isEmpty, !isFormer, status != nil else { return findings }
    for problem in topologyProblems {
      findings.append(
        Finding("topologyDiffers", PlainText.oneLine(problem), "`cubistd setup` mends it"))
    }
    // Queues keep their former limits until then, and everybody can play.
    if !limitProblems.isEmpty {
      findings.append(
        Finding(
          "topologyDiffers", PlainText.oneLine(limitProblems.joined(separator: "; ")),
          "`cubistd setup` mends it; if other machines have other values of CUBIST_CAPACITY_…, make "
            + "them equal first", severity: .warning))
    }
    return findings
  }

  /// Signs of another database on the same broker.
  private func strangerFindings(_ rows: [Queue], _ names: Names) -> [Finding] {
    var findings: [Finding] = []
    if servesAnother {
      findings.append(
        Finding(
          "brokerServesAnother",
          "the broker serves another database, so that no role works for this one: it is a copy or a "
            + "former state, or the broker was brought back to a former state",
          "correct CUBIST_DATABASE or CUBIST_BROKER; after a restore of either end the other database's "
            + "roles and run `cubistd setup --take-broker`"))
    }
    let strange = strange(rows, names)
    if !strange.isEmpty {
      findings.append(
        Finding(
          "strangeConsumers",
          "more consumers than this database knows roles of: \(list(strange))",
          "end the roles of another database that use this broker: `rabbitmqctl list_consumers "
            + "-p VHOST` names their channels, `rabbitmqctl list_channels pid connection user` the "
            + "connections. One that has just lost its network goes by itself in a minute"))
    }
    return findings
  }

  /// Queues with more consumers than roles that could be those. A role that died a while ago may
  /// still be one of them.
  func strange(_ rows: [Queue], _ names: Names) -> [Queue] {
    guard let status, status.knows(.roles), status.knows(.workers) else { return [] }
    return rows.filter { queue in
      let role: RoleName? =
        queue.isOfEvents
        ? .worker
        : [names.queries, names.gatewayQueries].contains(queue.name)
          ? .reader : queue.name == names.push ? .push : nil
      // Only the management API counts the consumers that stand by.
      let reported = queues?.first { $0.name == queue.name }?.consumers
      guard let role, let consumers = [queue.consumers, reported].compactMap(\.self).max(),
        !status.silentRoles.contains(role.rawValue)
      else { return false }
      var known = status.roles.count { $0.sign.role == role.rawValue }
      if role == .worker { known = max(known, status.workers.count) }
      return known > 0 && consumers > known
    }
  }

  /// Queues of events that nobody consumes. A queue that is not moved yet is consumed by its former name.
  func unconsumed(_ names: Names) -> [Queue] {
    guard !lacksDatabase else { return [] }
    let rows = queueRows(names: names)
    let served = Set(rows.filter { $0.isFormer && ($0.consumers ?? 0) > 0 }.map(\.name))
    let isHanded = isRedealing || isStarting
    return rows.enumerated().filter { index, queue in
      queue.isOfEvents && queue.consumers == 0 && !isHanded && !missingQueues.contains(queue.name)
        && !served.contains(names.formerEvents(queue: index))
    }.map(\.element)
  }

  func list(_ queues: [Queue]) -> String { list(queues.map(\.name)) }

  private func list(_ queues: [String]) -> String {
    let names = queues.prefix(4).joined(separator: ", ")
    return queues.count > 4 ? "\(names) and \(queues.count - 4) more" : names
  }
}

extension Finding {
  /// That users of one account are locked out.
  fileprivate init(_ name: String, _ problem: String, mending setting: SettingName) {
    let isAddress = problem.contains("cannot reach the broker")
    let line = PlainText.oneLine(problem)
    self.init(
      name, line.hasSuffix(".") ? String(line.dropLast()) : line,
      isAddress ? "correct \(setting.rawValue), or start the broker" : "`cubistd setup` mends it")
  }
}
