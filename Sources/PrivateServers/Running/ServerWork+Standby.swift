import LibPQ

extension ServerWork {
  /// Makes the standby stream, from a new copy if need be, and then has commits wait for it.
  package func attachStandby() throws(ServersError) {
    let member = 3 - primary
    if try !isStreaming(member, after: 20) {
      try makeStandby(member)
      guard try isStreaming(member, after: 60) else { throw standbyFailure(member) }
    }
    try user.write("", to: paths.synchronous)
    try configure(primary)
    guard standbyReports("sync_state", "sync", 20), allIsOnStandby() else {
      throw standbyFailure(member)
    }
  }

  private func isStreaming(_ member: Int, after seconds: Double) throws(ServersError) -> Bool {
    guard Disk.exists("\(paths.postgres(member))/standby.signal"), try startMember(member) else {
      return false
    }
    return standbyReports("state", "streaming", seconds)
  }

  private func standbyFailure(_ member: Int) -> ServersError {
    failure(
      "PostgreSQL's standby", log: paths.postgresLog(member), ports: [.postgres(member)])
  }

  /// Whether the primary reports a value of its standby within so many seconds.
  package func standbyReports(_ column: String, _ value: String, _ seconds: Double) -> Bool {
    let statement = """
      SELECT \(column) = '\(value)' FROM pg_stat_replication
      WHERE application_name = '\(ServerConfiguration.standby)'
      """
    var left = seconds
    while !holds(primary, statement) {
      guard left > 0 else { return false }
      pause(0.1)
      left -= 0.1
    }
    return true
  }

  /// Whether the standby has all commits so far: a commit that waits for it comes after all commits
  /// that did not.
  package func allIsOnStandby() -> Bool {
    (try? query(primary, "SELECT pg_logical_emit_message(true, 'cubist', '')")) != nil
  }

  /// Whether commits wait for the standby.
  package var isSynchronous: Bool { Disk.exists(paths.synchronous) }

  private func makeStandby(_ member: Int) throws(ServersError) {
    let folder = paths.postgres(member)
    let new = "\(folder).new"
    progress("making a standby of PostgreSQL")
    try stopPostgres(member, .immediate)
    // Nobody should wait for a standby that is not there.
    try user.remove(paths.synchronous)
    try configure(primary)
    try user.remove(folder, new)
    try dropSlot()
    let log = paths.toolLog("basebackup")
    // The password of a short-lived process may be in its environment, never in its arguments.
    let status = try user.run(
      [
        "\(programs.postgres)/pg_basebackup", "-h", "127.0.0.1", "-p",
        "\(ports.ports[.postgres(primary)])", "-U", "cubist", "-D", new, "--checkpoint=fast",
        "--create-slot", "--slot=\(ServerConfiguration.standby)",
      ],
      variables: Tool.plain.merging(
        ["PGPASSWORD": passwords.postgres, "PGSSLMODE": "disable"]) { $1 },
      log: log)
    guard status == 0 else { throw failure("PostgreSQL's standby", log: log, ports: []) }
    try user.write("", to: "\(new)/standby.signal")
    try user.move(new, to: folder)
  }

  /// The slot is busy until the primary has noticed that the standby is gone.
  private func dropSlot() throws(ServersError) {
    for _ in 0..<50 {
      let statement = """
        SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots
        WHERE slot_name = '\(ServerConfiguration.standby)'
        """
      if (try? query(primary, statement)) != nil { return }
      pause(0.2)
    }
    throw .stuck("PostgreSQL's primary does not let go of its former standby")
  }

  /// Makes a standby that runs the primary.
  func promote(_ member: Int) throws(ServersError) {
    // One that was promoted a moment ago has nothing more to do.
    let isDone =
      holds(member, "SELECT NOT pg_is_in_recovery()")
      || holds(member, "SELECT pg_promote(true, \(Int(ServerWork.promoteSeconds)))")
    guard isDone, holds(member, "SELECT NOT pg_is_in_recovery()") else {
      throw standbyFailure(member)
    }
  }

  /// Less than a statement may take.
  private static let promoteSeconds = 25.0

  /// Makes the standby the primary. The next start makes the former primary its standby.
  package func takeOver() throws(ServersError) {
    let member = 3 - primary
    try user.remove(paths.synchronous)
    try user.write("\(member)\n", to: paths.primary)
    try configure(member)
    try promote(member)
  }
}
