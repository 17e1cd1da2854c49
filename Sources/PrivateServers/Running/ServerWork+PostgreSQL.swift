package import Glibc
import LibPQ

extension ServerWork {
  /// The way in which a server of PostgreSQL ends.
  package enum PostgreSQLEnd {
    /// Sessions are ended, everything is written.
    case fast
    /// As after a crash.
    case immediate
  }

  /// The process of a member; not those that it has made.
  package func postgresProcess(_ member: Int) -> pid_t? {
    processID(.postgres(folder: paths.postgres(member)))
  }

  func startPostgres() throws(ServersError) {
    try makeCluster()
    let member = primary
    guard try startMember(member) else {
      throw failure(
        "PostgreSQL", log: paths.postgresLog(member), ports: [.postgres(member)])
    }
    // A failover that was cut short.
    if Disk.exists("\(paths.postgres(member))/standby.signal") { try promote(member) }
    if ports.hasStandby { try attachStandby() }
  }

  private func makeCluster() throws(ServersError) {
    let folder = paths.postgres(1)
    guard !Disk.exists(folder) else { return }
    progress("making a PostgreSQL cluster")
    let (new, password) = ("\(folder).new", "\(paths.data)/password.new")
    try user.remove(new)
    try user.write("\(passwords.postgres)\n", to: password)
    let log = paths.toolLog("initdb")
    let status = try user.run(
      [
        "\(programs.postgres)/initdb", "-D", new, "-U", "cubist", "--pwfile=\(password)", "-A",
        "scram-sha-256", "-E", "UTF8", "--locale=C.UTF-8",
      ], log: log)
    guard status == 0 else { throw failure("initdb", log: log, ports: []) }
    try user.remove(password)
    try user.move(new, to: folder)
  }

  /// Writes a member's settings; those that can change while the server runs do so.
  func configure(_ member: Int) throws(ServersError) {
    let file = "\(paths.postgres(member))/postgresql.auto.conf"
    let text = configuration.postgres(member)
    guard (try? Disk.read(file)) != Array(text.utf8) else { return }
    try user.write(text, to: file)
    if let process = postgresProcess(member) { _ = Glibc.kill(process, SIGHUP) }
  }

  /// Starts a member, or finds it running; whether it answers.
  func startMember(_ member: Int) throws(ServersError) -> Bool {
    try configure(member)
    let folder = paths.postgres(member)
    if postgresProcess(member) == nil {
      endBackends(member)
      // A leftover of a killed run; its number may be another process's by now.
      try user.remove("\(folder)/postmaster.pid")
      try user.startServer(
        ["\(programs.postgres)/postgres", "-D", folder],
        variables: Tool.plain.merging(postgresVariables(member)) { $1 },
        log: paths.postgresLog(member))
    }
    var left = ServerWork.readySeconds
    var process: pid_t?
    while !holds(member, "SELECT true") {
      if process.map(ProcessTable.runs) != true { process = postgresProcess(member) }
      guard left > 0, process != nil else { return false }
      pause(0.1)
      left -= 0.1
    }
    return true
  }

  /// The process of a member and all that it has made.
  package func postgresProcesses(_ member: Int) -> [pid_t] {
    let server = ServerMark.postgres(folder: paths.postgres(member))
    return processes.filter { $0.mark == server || $0.mark == .backend(member: member) }.map(\.id)
  }

  /// Ends processes that have outlived a killed server; a new one must not start beside them.
  private func endBackends(_ member: Int) {
    for signal in [SIGQUIT, SIGQUIT, SIGKILL] {
      for process in processes where process.mark == .backend(member: member) {
        if !ServerWork.waitUntilGone(process.id, 2) { _ = Glibc.kill(process.id, signal) }
      }
    }
  }

  /// Ends a member, by ever stronger means.
  package func stopPostgres(_ member: Int, _ end: PostgreSQLEnd) throws(ServersError) {
    if let process = postgresProcess(member) {
      try ServerWork.stopPostgres(process, end)
    }
    endBackends(member)
  }

  static func stopPostgres(_ process: pid_t, _ end: PostgreSQLEnd) throws(ServersError) {
    // SIGINT is PostgreSQL's fast shutdown, SIGQUIT its immediate one.
    _ = Glibc.kill(process, end == .fast ? SIGINT : SIGQUIT)
    if waitUntilGone(process, stopSeconds) { return }
    _ = Glibc.kill(process, SIGQUIT)
    if !waitUntilGone(process, 10) { try kill([process]) }
  }
}
