import MatchCore
import MatchInterfaces
import MatchService
import MatchWire

extension StatusReport {
  /// Roles that are absent, and roles that cannot work.
  func roleFindings(_ names: Names) -> [Finding] {
    guard let status, status.knows(.roles), !isReadOnly else { return [] }
    return RoleName.signing.compactMap { role in
      let living = living(role)
      let hindered = living.filter { $0.sign.problem != nil }
      if let first = hindered.first {
        if waitForServer(hindered) || followFromCause(hindered) { return nil }
        let count =
          living.count == 1
          ? "the only \(role.noun)" : "\(hindered.count) of \(living.count) \(role.plural)"
        let reason = PlainText.oneLine(first.sign.problem ?? "")
        let cause = ProvenCause(reason, of: role)
        return Finding(
          "\(role.rawValue)Hindered",
          cause.said("\(count) cannot work, at \(first.sign.process): \(reason)"),
          "\(cause.remedy); it goes on by itself", command: cause.command(reason))
      }
      guard !status.isThere(role), !isStarting, !servesAnother else { return nil }
      let last = status.roles.filter { $0.sign.role == role.rawValue }
        .max { $0.heartbeatAt < $1.heartbeatAt }
      // One that left in order is not known any more, and may be a later one. Nobody knows whether
      // the last one has ended: it may hang, or be refused.
      let since =
        last.map {
          " (the last one, at \($0.sign.process), was heard \(span($0.heartbeatAt)) ago)"
        } ?? ""
      let said =
        "no \(role.noun) gives a sign of life\(since), so that \(role.loss)"
        + waiting(role, names)
      if let proven = provenAbsence(role, last) {
        return Finding(
          "\(role.rawValue)Absent", "\(proven.cause): \(said)", proven.remedy,
          command: proven.command)
      }
      return Finding(
        "\(role.rawValue)Absent", said,
        "start `cubistd run \(role.runsWith.rawValue)`; if its process runs, /health/ready or its log "
          + "says why, and `cubistd setup --check` tries its login")
    }
  }

  /// Why a role gives no sign of life, where this machine can tell.
  private func provenAbsence(
    _ role: RoleName, _ last: ServiceStatus.Role?
  ) -> (cause: String, remedy: String, command: String)? {
    if let refusal = refusedLogins[role] {
      let login = ProvenCause.databaseLogin
      return (
        "PostgreSQL refuses its user or password (\(PlainText.oneLine(refusal)))", login.remedy,
        login.command(refusal)
      )
    }
    guard let process = last.flatMap({ own in frozen.first { $0.name == own.sign.process } }) else {
      return nil
    }
    return (
      "its process \(process.id) on this machine is stopped",
      "somebody or something has sent it SIGSTOP, and SIGCONT lets it go on",
      "kill -CONT \(process.id)"
    )
  }

  /// From so many processes on that died young within ten minutes, the role counts as crashing.
  private static let notableDeaths = 3

  /// Roles that crash again and again.
  func deathFindings(_ names: Names) -> [Finding] {
    // Roles leave a broker that serves another database.
    guard !servesAnother else { return [] }
    return RoleName.signing.compactMap { role in
      let dead = (status?.roles ?? []).filter {
        $0.sign.role == role.rawValue && !isLiving($0)
          && $0.heartbeatAt < $0.startedAt.adding(seconds: WorkerStanding.youngSeconds)
      }
      // In containers each process has the same number. Roles of one process end within seconds.
      var (count, ends) = (0, [String: Instant]())
      for role in dead.sorted(by: { $0.heartbeatAt < $1.heartbeatAt }) {
        let last = ends.updateValue(role.heartbeatAt, forKey: role.sign.process)
        if last.map({ $0.adding(seconds: 30) < role.heartbeatAt }) ?? true { count += 1 }
      }
      guard count >= StatusReport.notableDeaths,
        let last = dead.max(by: { $0.heartbeatAt < $1.heartbeatAt })
      else { return nil }
      var finding = Finding(
        "\(role.rawValue)DiesYoung",
        "\(count) processes with a \(role.noun) ended within two minutes of their start, the last "
          + "at \(last.sign.process) \(span(last.heartbeatAt)) ago",
        "the log of `cubistd run \(role.runsWith.rawValue)` there says why")
      // Others work by now.
      let isServed = status?.isThere(role) == true && (role != .worker || unconsumed(names).isEmpty)
      if isServed, finding.severity == .critical { finding.ownSeverity = .warning }
      return finding
    }
  }

  /// The messages that wait for a role, as far as that is known.
  private func waiting(_ role: RoleName, _ names: Names) -> String {
    guard role == .push,
      let count = queueRows(names: names).first(where: { $0.name == names.push })?.ready, count > 0
    else { return "" }
    return count == 1 ? "; 1 message waits" : "; \(count) messages wait"
  }

  /// Whether the service is just starting: every role has begun a moment ago, and none has died as
  /// young.
  var isStarting: Bool {
    guard let status else { return false }
    let beginnings =
      status.roles.filter(isLiving).map(\.startedAt) + livingWorkers.map(\.startedAt)
    return !beginnings.isEmpty && beginnings.allSatisfy { age($0) < StatusReport.graceSeconds }
      && !RoleName.signing.contains(where: diesYoung)
  }

  private func diesYoung(_ role: RoleName) -> Bool {
    (status?.roles ?? []).contains {
      $0.sign.role == role.rawValue && !isLiving($0)
        && $0.heartbeatAt < $0.startedAt.adding(seconds: StatusReport.graceSeconds)
    }
  }

  /// Whether the roles of a kind have only just begun, so that their work may not be done yet.
  func isSettling(_ role: RoleName) -> Bool {
    let living = living(role)
    return !living.isEmpty && !diesYoung(role)
      && living.allSatisfy { age($0.startedAt) < StatusReport.graceSeconds }
  }

  /// Whether a worker has only just begun: queues change hands.
  var isRedealing: Bool {
    !diesYoung(.worker)
      && (livingWorkers.map(\.startedAt) + living(.worker).map(\.startedAt)).contains {
        age($0) < StatusReport.graceSeconds
      }
  }
}

extension RoleName {
  /// Its name for a person.
  var noun: String { self == .push ? "push worker" : rawValue }

  var plural: String { "\(noun)s" }

  /// The work that nobody does without it.
  fileprivate var loss: String {
    switch self {
    case .worker: "events wait in their queues"
    case .scheduler: "no deadline passes"
    case .steward: "no daily and no rank is made, and nobody is reminded"
    case .relay: "push jobs of workers that died stay in the outbox"
    case .reader: "nobody sees anything, and players' commands time out"
    case .push: "notifications wait"
    case .rater: "matches that ended wait to be rated"
    case .gateway: "players by HTTP are not served"
    }
  }
}
