import BrokerManagement
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire

extension StatusReport {
  /// Everything that an operator should look at, the worst first, and a cause before what follows
  /// from it; none where all is well.
  func findings(names: Names = Names()) -> [Finding] {
    let all = allFindings(names).map { finding in
      privateFolder.map { finding.fitting(privateFolder: $0) } ?? finding
    }
    return Finding.Severity.allCases.flatMap { severity in
      Finding.Place.allCases.flatMap { place in
        all.filter { $0.severity == severity && $0.place == place }
      }
    }
  }

  private func allFindings(_ names: Names) -> [Finding] {
    failures.map { Finding($0) } + alarmFindings + certificateFindings() + nodeFindings
      + userFindings + disks.compactMap { $0.finding() } + processes.compactMap { $0.finding() }
      + databaseFindings + keyFindings
      + roleFindings(names) + playerFindings(names)
      + deathFindings(names) + queueFindings(names) + waitingFindings(names) + refusalFindings
      + deadFindings(names)
  }

  private var alarmFindings: [Finding] {
    alarms.map {
      Finding(
        "brokerAlarm", "RabbitMQ: \($0); nobody can publish",
        "free memory or disk, or start the node; `rabbitmq-diagnostics alarms` says more")
    }
  }

  // MARK: The database

  private var databaseFindings: [Finding] {
    guard let status else { return [] }
    return schemaFindings + status.locks.map { Finding($0) } + slowFindings(status)
      + unansweredFindings(status)
      + clockFindings(status) + layoutFindings(status) + serverFindings(status)
      + standbyFindings
  }

  private var schemaFindings: [Finding] {
    schemaProblem.map {
      [
        Finding(
          "schemaDiffers", $0,
          "roles of this build do not start until then; those of a former one go on")
      ]
    } ?? []
  }

  private func unansweredFindings(_ status: ServiceStatus) -> [Finding] {
    // An older schema lacks the tables to read them from.
    guard !status.unanswered.isEmpty, schemaProblem == nil else { return [] }
    let parts = status.unanswered.map(\.rawValue).joined(separator: ", ")
    return [
      Finding(
        "databasePartUnanswered", "the database did not tell in time: \(parts)",
        status.locks.isEmpty
          ? "ask again; `pg_stat_activity` says what keeps the server busy"
          : "it does once the lock is gone")
    ]
  }

  private func slowFindings(_ status: ServiceStatus) -> [Finding] {
    status.problems.filter { $0.part == ServiceStatus.Problem.database }.compactMap { problem in
      var reason = PlainText.oneLine(problem.reason)
      let said = reason.firstMatch(of: /blocked by process ([0-9]+)(?: \(([^)]*)\))?/)
      let blocker = said.flatMap { Int($0.1) }
      // The lock itself is told.
      if let blocker, status.locks.contains(where: { $0.processID == blocker }) { return nil }
      let blocks = blocker.map(status.lockHolders.contains) ?? false
      if let said, !blocks {
        reason.replaceSubrange(
          said.range, with: "the session that blocked it holds no lock any more")
      }
      var slow = Finding(
        "databaseSlow", "the database has been slow since \(problem.since): \(reason)",
        "look at the load of the database's machine; the logs of the roles and "
          + "`cubist_store_statement_seconds` say more")
      if blocks, let blocker {
        let isAllowed = !status.protectedHolders.contains(blocker)
        slow.remedy = Finding.remedy(againstSession: blocker)
        slow.ownCommand = Finding.ending(blocker, isAllowed: isAllowed)
        // Sessions of the service wait for one another for moments.
        if said?.2?.hasPrefix("cubistd ") != true { slow.ownSeverity = .critical }
      }
      return slow
    }
  }

  private func serverFindings(_ status: ServiceStatus) -> [Finding] {
    var findings: [Finding] = []
    let (count, limit) = (status.connectionCount, status.connectionLimit)
    if limit > 0, Double(count) / Double(limit) * 100 > StatusReport.connectionPercentLimit {
      findings.append(
        Finding(
          "connectionsNearLimit", "the database has \(count) sessions of \(limit) that it allows",
          "end the program that leaks them, or raise max_connections; pg_stat_activity names them"))
    }
    return findings
  }

  private func clockFindings(_ status: ServiceStatus) -> [Finding] {
    let signs = status.roles.map(\.heartbeatAt) + status.workers.map(\.heartbeatAt)
    let jumps = jumpFinding(status).map { [$0] } ?? []
    guard let most = signs.compactMap(ahead).max() else { return jumps }
    return jumps + [
      Finding(
        "clockAhead",
        "signs of life are dated up to \(PlainText.span(most)) ahead of the database's clock, which "
          + "was set back",
        "a role that lives corrects them within 5 s, and the others count as dead; see that the "
          + "database's machine keeps its time (`chronyc tracking`)")
    ]
  }

  /// The last jump of the database's clock, as long as it has consequences, and for an hour.
  private func jumpFinding(_ status: ServiceStatus) -> Finding? {
    if let odd = oddTime(status) { return odd }
    guard let jump = status.clockJump else { return nil }
    let added = status.addedMicroseconds / 1_000_000
    guard added != 0 || status.serviceAge(jump.at) < StatusReport.jumpIsNews else { return nil }
    let distance = PlainText.span(Int64(clamping: added.magnitude))
    let seconds = PlainText.span(max(1, Int64(clamping: jump.microseconds.magnitude / 1_000_000)))
    let cause =
      "the database's clock jumped \(seconds) \(jump.microseconds < 0 ? "back" : "ahead") at "
      + "\(jump.at); the service's time went on as before"
    if added == 0 {
      return Finding(
        "clockJumped", cause, "the two are the same again; see why with `chronyc tracking`",
        severity: .notice)
    }
    return Finding(
      "clockJumped",
      cause + ", and is \(distance) \(added < 0 ? "behind" : "ahead of") that clock",
      added < 0
        ? "put the clock of the database's machine right (`chronyc tracking`); if it is right now, "
          + "do nothing: a day after the jump the service goes by it, and players are credited with "
          + "the difference"
        : "see that the database's machine keeps its time (`chronyc tracking`); the service's time "
          + "goes a hundredth slower until both are the same")
  }

  /// What the scheduler never writes. While one leads, it takes a change of the row for a jump, and
  /// takes it back.
  private func oddTime(_ status: ServiceStatus) -> Finding? {
    let added = status.addedMicroseconds / 1_000_000
    let cause: String
    if let jump = status.clockJump, jump.at > status.serviceTime.adding(seconds: 60) {
      cause = "the database's clock is said to jump at \(jump.at), which is still to come"
    } else if status.clockJump == nil, added != 0 {
      cause =
        "the service's time is \(PlainText.span(Int64(clamping: added.magnitude))) "
        + "\(added < 0 ? "behind" : "ahead of") the database's clock, and no jump of that clock is known"
    } else {
      return nil
    }
    return Finding(
      "clockJumped", cause + ": somebody has changed the table service_time",
      "end all schedulers, as the database's owner run UPDATE service_time SET added_microseconds = 0, "
        + "jump_microseconds = NULL, jumped_at = NULL, and start them again")
  }

  private func layoutFindings(_ status: ServiceStatus) -> [Finding] {
    guard let stored = status.layout, let said = stored.difference(from: layout) else { return [] }
    let name = stored.layout == layout ? "layoutUnfinished" : "layoutDiffers"
    return [Finding(name, said.cause, said.remedy)]
  }

  // MARK: Keys

  private var keyFindings: [Finding] {
    var terms = [keyTerm]
    var findings: [Finding] = []
    switch keyFile {
    case .unnamed: break
    // Another machine may have renewed it, and this one lack the new key file.
    case .read(let term): if term != keyTerm { terms.append(term) }
    case .lost(let path):
      findings.append(
        Finding(
          "keyFileLost", "the key file \(path) is not there; roles cannot start again without it",
          status?.service == nil && status?.knows(.service) == true
            ? "`cubistd setup` makes one for a new service"
            : "bring it back from a backup or from another machine that runs roles; no other file "
              + "will do"))
    case .unreadable(let path, let reason):
      findings.append(
        Finding(
          "keyFileUnreadable",
          "the key file \(path) cannot be used: \(PlainText.oneLine(reason)); roles cannot start "
            + "again with it",
          "let it belong to the service's user with `chmod 600 \(path)`; if it is damaged, bring it "
            + "back from a backup or from another machine that runs roles"))
    case .foreign(let cause, let remedy):
      findings.append(Finding("keysForeign", cause, remedy))
    }
    guard let now = status?.serviceTime else { return findings }
    return terms.compactMap { term in
      term?.trouble(at: now).map { Finding("keyEnds", $0, KeyTerm.remedy) }
    } + findings
  }

  // MARK: Work that waits

  private func waitingFindings(_ names: Names) -> [Finding] {
    guard let status else { return [] }
    var findings: [Finding] = []
    // A held job waits from its hour on.
    if let oldest = [status.outboxOldestAt, status.heldNextAt].compactMap(\.self).min(),
      age(oldest) > StatusReport.outboxAgeLimit,
      !isSettling(.relay), !lacksBroker, !isReadOnly
    {
      findings.append(
        Finding(
          "pushJobWaits", "a push job has waited \(span(oldest))",
          "is `cubistd run relay` running, and has the queue \(names.push) room?"))
    }
    if let oldest = status.ratingQueueOldestAt,
      status.serviceAge(oldest) > StatusReport.ratingAgeLimit,
      !isSettling(.rater), !isReadOnly
    {
      findings.append(
        Finding(
          "ratingWaits",
          "a match that ended has waited \(PlainText.span(status.serviceAge(oldest))) to be rated",
          "is `cubistd run rater` running?"))
    }
    for problem in status.problems where problem.part == ServiceStatus.Problem.housekeeping {
      // A table that is locked for a moment fails one round.
      guard age(problem.since) > StatusReport.housekeepingAgeLimit else { continue }
      let said =
        "housekeeping has failed for \(span(problem.since)): \(PlainText.oneLine(problem.reason))"
      let proven = ProvenCause(words: said)
      findings.append(
        Finding(
          "housekeepingFails",
          proven?.said(said) ?? said,
          "it is tried again each minute; until it works no day gets its partition and nothing old "
            + "is deleted. "
            + (proven.map(\.remedy)
              ?? "`pg_stat_activity` says who holds a lock on events or dead_events"),
          command: proven?.command(said)))
    }
    for problem in status.problems where problem.part == ServiceStatus.Problem.records {
      let rebuild = "cubistd rebuild --match \(problem.subject)"
      findings.append(
        Finding(
          "matchDamaged",
          "match \(problem.subject) is damaged, and nobody can play it: "
            + PlainText.oneLine(problem.reason),
          "`\(rebuild)` says where the record breaks; "
            + "`cubistd matches restore \(problem.subject) --from-database TEXT` brings it back from a "
            + "restored backup, `cubistd matches annul \(problem.subject) --reason fault` gives it up",
          command: rebuild))
    }
    let general = [
      ServiceStatus.Problem.housekeeping, ServiceStatus.Problem.database,
      ServiceStatus.Problem.records,
    ]
    for problem in status.problems where !general.contains(problem.part) {
      let what = problem.part == "reminders" || problem.part == "ratings" ? "match" : "player"
      findings.append(
        Finding(
          "passedOver",
          "\(problem.part): \(what) \(problem.subject) was passed over: "
            + PlainText.oneLine(problem.reason),
          "it is tried again, and the others go on; `cubistd check` says more of a match"))
    }
    for leaver in status.leavers {
      findings.append(
        Finding(
          "playerLeaves",
          "player \(leaver.name) joined \(PlainText.count(leaver.count, "match", "matches")) within "
            + "a day and left before anybody had played",
          "nobody's search was lost by it, and the player has to pause; if it goes on, "
            + "`cubistd keys revoke` keeps the account out",
          command: "cubistd players \(leaver.name)"))
    }
    for failing in status.unrankable {
      findings.append(
        Finding(
          "playerUnrankable",
          "player \(failing.player) cannot be ranked, "
            + "\(PlainText.count(failing.failureCount, "time")) in a row: "
            + PlainText.oneLine(failing.problem),
          "it is tried again, and others are ranked meanwhile"))
    }
    return findings
  }

  // MARK: Dead letters

  private func deadFindings(_ names: Names) -> [Finding] {
    var findings: [Finding] = []
    if let count = status?.deadEventCount, count > 0 {
      findings.append(
        Finding(
          "deadEvents", PlainText.count(count, "dead event"), "`cubistd dead-letters list`"))
    }
    if let count = status?.deadJobCount, count > 0 {
      findings.append(
        Finding("deadJobs", PlainText.count(count, "dead push job"), "`cubistd dead-letters list`"))
    }
    let former = queueRows(names: names).first { $0.name == names.formerDead }
    if let count = former?.ready, count > 0 {
      findings.append(
        Finding(
          "formerDeadLetters",
          "\(PlainText.count(count, "message")) in queue \(names.formerDead) that a former build "
            + "could not handle",
          "`cubistd dead-letters list`"))
    }
    return findings
  }
}

extension Finding {
  /// A table that a session keeps to itself.
  init(_ lock: ServiceStatus.TableLock) {
    let names = [lock.session, lock.mayBeEnded ? "" : "user \(lock.user)"]
      .filter { !$0.isEmpty }.map(PlainText.oneLine).joined(separator: ", ")
    let session = names.isEmpty ? "" : " (\(names))"
    let since = lock.since.map { " since \($0)" } ?? ""
    let holder = "by the session of process \(lock.processID)\(session)\(since)"
    let isOfRows = lock.rowWaiterCount > 0
    let table = lock.table.isEmpty ? "" : " of the table \(lock.table)"
    self.init(
      isOfRows ? "rowLocked" : "tableLocked",
      isOfRows
        ? "a row\(table) is locked \(holder), and "
          + (lock.rowWaiterCount == 1 ? "1 session waits" : "\(lock.rowWaiterCount) sessions wait")
          + " for it"
        : "the table \(lock.table) is locked \(holder), and "
          + (lock.blocksReads ? "everybody else waits for it" : "nobody else can write to it"),
      lock.awaitsStandby
        ? "it waits for the synchronous standby: start that, and do not end the session, since "
          + "PostgreSQL would confirm a commit that only the primary has"
        : Finding.remedy(againstSession: lock.processID))
    if !lock.awaitsStandby {
      ownCommand = Finding.ending(lock.processID, isAllowed: lock.mayBeEnded)
    }
  }

  /// The remedy where a session of the database blocks others.
  fileprivate static func remedy(againstSession processID: Int) -> String {
    "let it finish, or end it with `SELECT pg_terminate_backend(\(processID))`, as a superuser or as "
      + "its own user; never end a session that waits for the event SyncRep (docs/operating.md, A "
      + "standby)"
  }
}
