import MatchService

extension Finding {
  /// How bad a finding is, the worst first.
  enum Severity: String, CaseIterable, Sendable {
    /// Players cannot play, or soon cannot.
    case critical
    /// A part of the service is late or missing.
    case warning
    /// It can wait.
    case notice
  }

  /// How bad a kind of finding is, and the command to begin with.
  struct Advice: Equatable, Sendable {
    var severity: Severity
    var command: String

    init(_ severity: Severity, _ command: String) {
      (self.severity, self.command) = (severity, command)
    }
  }

  var severity: Severity { ownSeverity ?? advice.severity }
  /// The command to begin with. Words in capitals are to be replaced.
  var command: String { ownCommand ?? advice.command }

  /// Where it stands among those that are as bad: a cause comes before what follows from it.
  enum Place: CaseIterable {
    case cause, between, effect
  }

  var place: Place {
    if Finding.causes.contains(name) { return .cause }
    return name == "clockBehind" || name.hasSuffix("DiesYoung") ? .effect : .between
  }

  /// The findings that let roles stand.
  private static let causes: Set = [
    "brokerAlarm", "brokerServesAnother", "brokerUnanswered", "certificateEnds", "clockAhead",
    "databaseMissing", "databasePooled", "databaseReadOnly", "databaseSlow", "databaseUnanswered",
    "diskLow",
    "exchangeMissing", "keyEnds",
    "keyFileLost", "keyFileUnreadable", "keysForeign", "layoutDiffers", "layoutUnfinished",
    "managementUnanswered", "queueMissing", "rowLocked", "schemaDiffers", "standbyGone",
    "tableLocked", "unanswered",
  ]

  private var advice: Advice { Finding.advice(for: name) }

  private static func advice(for name: String) -> Advice {
    advice[name] ?? Advice(.warning, "cubistd status --all")
  }

  /// The command that any finding of a name begins with.
  static func command(for name: String) -> String { advice(for: name).command }

  /// The advice on each finding, by its name.
  static let advice: [String: Advice] = {
    var advice = fixedAdvice
    for role in RoleName.signing {
      let severity: Severity = role.isNeededToPlay ? .critical : .warning
      let start = "cubistd run \(role.runsWith.rawValue)"
      advice["\(role.rawValue)Absent"] = Advice(severity, start)
      // Most reasons have a command of their own.
      advice["\(role.rawValue)Hindered"] = Advice(severity, Finding.log)
      advice["\(role.rawValue)DiesYoung"] = Advice(severity, Finding.log)
    }
    return advice
  }()

  private static let fixedAdvice: [String: Advice] = [
    "brokerAlarm": Advice(.critical, "rabbitmq-diagnostics alarms"),
    "brokerDiskLow": Advice(.warning, "rabbitmq-diagnostics status"),
    "brokerFilesRunOut": Advice(.warning, "rabbitmq-diagnostics status"),
    "brokerServesAnother": Advice(.critical, "cubistd setup --check"),
    "brokerUnanswered": Advice(.critical, "systemctl status rabbitmq-server"),
    "certificateEnds": Advice(.warning, "openssl s_client -connect HOST:PORT"),
    "clockAhead": Advice(.critical, "chronyc tracking"),
    "clockBehind": Advice(.critical, "cubistd run scheduler"),
    "clockJumped": Advice(.warning, "chronyc tracking"),
    "connectionsNearLimit": Advice(.warning, sessions),
    "databaseMissing": Advice(.critical, "createdb --owner USER NAME"),
    "databasePooled": Advice(.critical, "cubistd setup --check"),
    "databasePartUnanswered": Advice(.warning, sessions),
    "databaseReadOnly": Advice(.critical, "\(psql) -c 'SELECT pg_is_in_recovery()'"),
    "databaseSlow": Advice(.warning, sessions),
    "diskLow": Advice(.warning, "df -h"),
    "databaseUnanswered": Advice(.critical, "systemctl status 'postgresql*'"),
    "deadEvents": Advice(.warning, "cubistd dead-letters list --kind events"),
    "deadJobs": Advice(.warning, "cubistd dead-letters list --kind jobs"),
    "exchangeMissing": Advice(.critical, "cubistd setup"),
    "filesRunOut": Advice(.warning, "ls -l /proc/PID/fd"),
    "formerDeadLetters": Advice(.warning, "cubistd dead-letters list"),
    "formerQueues": Advice(.notice, "cubistd setup"),
    "gatewayUnanswered": Advice(.warning, "cubistd run gateway"),
    "gatewaysLockedOut": Advice(.critical, "cubistd setup"),
    "housekeepingFails": Advice(.warning, sessions),
    "keyEnds": Advice(.critical, "cubistd setup --renew ROOT-KEY-FILE"),
    "keyFileLost": Advice(.critical, "cubistd setup --check"),
    "keyFileUnreadable": Advice(.critical, "cubistd setup --check"),
    "keysForeign": Advice(.critical, "cubistd setup --check"),
    "layoutDiffers": Advice(.critical, "cubistd setup --check"),
    "layoutUnfinished": Advice(.critical, "cubistd setup"),
    "matchDamaged": Advice(.critical, "cubistd rebuild --match ID"),
    "managementUnanswered": Advice(.warning, "rabbitmq-plugins list"),
    "passedOver": Advice(.notice, "cubistd check"),
    "playersLockedOut": Advice(.critical, "cubistd setup"),
    "playerLeaves": Advice(.notice, "cubistd players NAME"),
    "playerUnrankable": Advice(.notice, "cubistd check"),
    "pushJobWaits": Advice(.warning, "cubistd run relay"),
    "queueFull": Advice(.critical, "cubistd run worker"),
    "queueLong": Advice(.warning, "cubistd run worker"),
    "queueMissing": Advice(.critical, "cubistd setup"),
    "queueUnconsumed": Advice(.critical, "cubistd run worker"),
    "ratingWaits": Advice(.warning, "cubistd run rater"),
    "refusalsRise": Advice(.warning, log),
    "repliesSlow": Advice(.warning, "cubistd status --all"),
    "requestsFail": Advice(.critical, log),
    "replicaAbsent": Advice(.warning, "rabbitmq-diagnostics cluster_status"),
    "rowLocked": Advice(.critical, sessions),
    "schemaDiffers": Advice(.critical, "cubistd setup"),
    "standbyBehind": Advice(.warning, standbys),
    "standbyGone": Advice(.critical, standbys),
    "strangeConsumers": Advice(.warning, "rabbitmqctl list_consumers -p VHOST"),
    "tableLocked": Advice(.critical, sessions),
    "topologyDiffers": Advice(.critical, "cubistd setup"),
    "unanswered": Advice(.critical, "cubistd setup --check"),
    "userObjects": Advice(.warning, "cubistd setup --check"),
    "userSettings": Advice(.warning, "cubistd setup"),
  ]

  /// Shows what the sessions of the database do.
  static let sessions = "\(psql) -c 'SELECT * FROM pg_stat_activity'"
  /// Shows the standbys that are connected.
  private static let standbys = "\(psql) -c 'SELECT * FROM pg_stat_replication'"
  /// The log of the roles.
  static let log = "journalctl -u 'cubistd@*'"

  /// Ends a session of the database.
  /// - Parameter isAllowed: Whether the settings' user may; otherwise it takes a superuser.
  static func ending(_ processID: Int, isAllowed: Bool) -> String {
    let statement = "SELECT pg_terminate_backend(\(processID))"
    return isAllowed ? "\(psql) -c '\(statement)'" : asSuperuser(statement)
  }

  /// A statement for PostgreSQL's own user, on the machine of the database.
  static func asSuperuser(_ statement: String) -> String { "\(sudo) -c '\(statement)'" }
  /// psql with a superuser's rights.
  static let sudo = "sudo -u postgres psql"
  /// psql with the service's database.
  static let psql = "psql \"$CUBIST_DATABASE\""
}

extension RoleName {
  /// Whether turns, deadlines or players stand still without it.
  fileprivate var isNeededToPlay: Bool {
    switch self {
    case .worker, .scheduler, .reader, .gateway: true
    case .steward, .relay, .push, .rater: false
    }
  }
}
