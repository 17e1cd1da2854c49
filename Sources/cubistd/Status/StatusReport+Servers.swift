import BrokerManagement
import CubistBasics
import MatchInterfaces
import MatchService
import MatchStoreLive

// The troubles that begin at the servers, before a role feels them.
extension StatusReport {
  /// Above this share of a node's file descriptors there is a finding, in parts of a hundred.
  static let filePercentLimit = 80
  /// RabbitMQ itself keeps a tenth of them back, and takes no connection from here on.
  private static let filePercentAtEnd = 90
  /// From here on the disk of a node counts as short: so many bytes above its alarm.
  static let brokerDiskRoom = 1_073_741_824.0
  /// More refusals than these, of the sampled ones of ten minutes, are many.
  static let refusalLimit = 120
  /// So many times the share of the day before counts as risen.
  static let refusalRise = 5

  /// Users of the database with settings or large objects that the service does not bear: anybody
  /// may have left them who had their passwords.
  var userFindings: [Finding] {
    let own = Dictionary(grouping: userSettings, by: \.user)
    let settings = own.sorted { $0.key < $1.key }.map { user, settings in
      let listed = settings.map { PlainText.oneLine("\($0.parameter) = \($0.value)") }
      return Finding(
        "userSettings",
        "the database's user \(PlainText.oneLine(user)) has settings of its own, which stay when its "
          + "password changes: \(listed.joined(separator: ", "))",
        "`cubistd setup` takes them away, and the service's sessions go by their own meanwhile; "
          + "somebody had the user's password, so change that first")
    }
    let objects = userTraces.compactMap { trace -> Finding? in
      guard case .largeObjects(let user, let count) = trace else { return nil }
      return Finding(
        "userObjects",
        "the database's user \(PlainText.oneLine(user)) has \(DatabaseRights.Trace.amount(of: count)), "
          + "of which the service has none: they fill the disk",
        "`cubistd setup --check` prints how to delete them; somebody had the user's password, so "
          + "change that first")
    }
    return settings + objects
  }

  /// A standby that is gone or behind.
  var standbyFindings: [Finding] {
    guard let status else { return [] }
    var findings: [Finding] = []
    let (needed, streaming) = (status.neededStandbyCount, status.streamingStandbyCount)
    if streaming < needed {
      findings.append(
        Finding(
          "standbyGone",
          "commits wait: synchronous_standby_names wants "
            + "\(PlainText.count(needed, "standby", "standbys")), and \(streaming) "
            + (streaming == 1 ? "streams" : "stream"),
          "start the standby, or its network; do not end sessions that wait for it, since "
            + "PostgreSQL would confirm commits that only the primary has"))
    }
    for (slot, bytes) in status.idleSlots.sorted(by: { $0.key < $1.key }) {
      findings.append(
        Finding(
          "standbyGone",
          "nobody uses the replication slot \(PlainText.oneLine(slot)), which keeps "
            + "\(bytes / 1_048_576) MB of the log",
          "start its standby; if that is gone for good, pg_drop_replication_slot removes the slot, "
            + "and the disk does not fill",
          command: "\(Finding.psql) -c 'SELECT * FROM pg_replication_slots'", severity: .warning))
    }
    if let lag = status.standbyLagBytes, lag > StatusReport.standbyLagLimit {
      findings.append(
        Finding(
          "standbyBehind", "a standby lacks \(lag / 1_048_576) MB of the log",
          "look at its disk and its network; do not promote it meanwhile"))
    }
    return findings
  }

  /// Nodes of RabbitMQ that will soon have an alarm, or take no connection.
  var nodeFindings: [Finding] {
    nodes.flatMap { node in
      var findings: [Finding] = []
      if let free = node.freeBytes, let limit = node.freeLimit, !node.isShortOfDisk,
        Double(free) - Double(limit) < StatusReport.brokerDiskRoom
      {
        findings.append(
          Finding(
            "brokerDiskLow",
            "the disk of RabbitMQ's node \(node.name) has \(free / 1_048_576) MB left; from "
              + "\(limit / 1_048_576) MB on nobody can publish",
            "free disk space there, or add some; never delete files in RabbitMQ's folder"))
      }
      if let used = node.fileCount, let most = node.fileLimit, most > 0 {
        let percent = Double(used) / Double(most) * 100
        if percent > Double(StatusReport.filePercentLimit) {
          let isAtEnd = percent >= Double(StatusReport.filePercentAtEnd)
          findings.append(
            Finding(
              "brokerFilesRunOut",
              "RabbitMQ's node \(node.name) has \(used) of \(most) file descriptors in use"
                + (isAtEnd ? ", and takes no new connection" : ""),
              "raise its limit of open files (LimitNOFILE of systemd) and start it again; "
                + "`rabbitmqctl list_connections user peer_host` says whose connections they are",
              severity: isAtEnd ? .critical : nil))
        }
      }
      return findings
    }
  }

  /// Refusals that have risen, by name.
  var refusalFindings: [Finding] {
    guard let sample = status?.replies else { return [] }
    func total(_ counts: [String: Int]) -> Double { Double(counts.values.reduce(0, +)) }
    let (recent, earlier) = (total(sample.recent), total(sample.earlier))
    return sample.recent.sorted { $0.key < $1.key }.compactMap { name, count in
      guard !name.isEmpty, count > StatusReport.refusalLimit else { return nil }
      let share = Double(count) / recent
      let former = earlier > 0 ? Double(sample.earlier[name] ?? 0) / earlier : 0
      guard share > Double(StatusReport.refusalRise) * former else { return nil }
      func percent(_ share: Double) -> String { "\((share * 1_000).rounded() / 10) %" }
      return Finding(
        "refusalsRise",
        "\(percent(share)) of the kept replies of the last ten minutes refuse as \(name); the day "
          + "before it was \(percent(former))",
        "docs/failures.md says what it means; after an upgrade a client or a role of another build "
          + "may be the cause",
        command: "\(Finding.log) --grep \(name)")
    }
  }
}
