package import Glibc
package import LibPQ

/// Work on the servers of a folder, one thing after another.
package struct ServerWork {
  /// The share of the memory from which on RabbitMQ takes nothing.
  package static let memoryWatermark = "0.4"
  /// The room on its disk below which RabbitMQ takes nothing.
  package static let diskFreeLimit = "500MB"
  /// The time until a server answers, at most.
  static let readySeconds = 240.0
  /// The time in which a server stops in good order, at most.
  static let stopSeconds = 20.0

  let paths: ServerPaths
  let user: ServersUser
  let programs: ServerPrograms
  let passwords: ServerPasswords
  package let ports: ServerPortList
  let tls: Bool
  let clusterName: String
  let progress: @Sendable (String) -> Void
  /// Further variables of a member of PostgreSQL.
  let postgresVariables: @Sendable (_ member: Int) -> [String: String]

  /// The member of PostgreSQL that is the primary, 1 or 2.
  package var primary: Int { Disk.text(paths.primary).flatMap { Int($0) } == 2 ? 2 : 1 }

  var configuration: ServerConfiguration {
    ServerConfiguration(
      ports: ports.ports, passwords: passwords, paths: paths, tls: tls, primary: primary,
      isSynchronous: Disk.exists(paths.synchronous), clusterName: clusterName,
      root: programs.root)
  }

  // MARK: Processes

  /// The processes of the folder's servers.
  var processes: [(id: pid_t, mark: ServerMark)] {
    ServerWork.processes(paths, clusterName: clusterName)
  }

  static func processes(
    _ paths: ServerPaths, clusterName: String
  ) -> [(id: pid_t, mark: ServerMark)] {
    ProcessTable.entries().compactMap { entry in
      ServerMark(entry.arguments, paths: paths, clusterName: clusterName).map { (entry.id, $0) }
    }
  }

  func processID(_ mark: ServerMark) -> pid_t? { processes.first { $0.mark == mark }?.id }

  /// The process of a node of RabbitMQ.
  package func rabbitmqProcess(_ node: Int) -> pid_t? {
    processID(.rabbitmq(folder: paths.rabbitmq(node)))
  }

  /// Waits so many seconds for a process to end; gives whether it has.
  static func waitUntilGone(_ id: pid_t, _ seconds: Double) -> Bool {
    var left = seconds
    while ProcessTable.runs(id) {
      guard left > 0 else { return false }
      pause(0.05)
      left -= 0.05
    }
    return true
  }

  /// SIGKILL to all of them at once, as when a machine dies.
  package static func kill(_ ids: [pid_t]) throws(ServersError) {
    for id in ids { _ = Glibc.kill(id, SIGKILL) }
    for id in ids where !waitUntilGone(id, 10) {
      throw .stuck("process \(id) does not end, not even by SIGKILL")
    }
  }

  // MARK: Files

  /// Writes a file among the servers' data.
  package func write(_ text: String, to path: String) throws(ServersError) {
    try user.write(text, to: path)
  }

  /// Removes a file among the servers' data, if it is there.
  package func remove(_ path: String) throws(ServersError) { try user.remove(path) }

  // MARK: Failures

  func failure(
    _ what: String, log: String, ports names: [ServerPort]
  ) -> ServersError {
    let text = Disk.text(log) ?? ""
    let end = text.split(separator: "\n").suffix(20).joined(separator: "\n")
    let listening = ServerWork.listening()
    let hints = names.map { ports.ports[$0] }.filter { listening.contains($0) }.map {
      "something listens on port \($0); if it is not ours, remove \(paths.ports)"
    }
    return .notStarted(what: what, log: log, end: end, hints: hints)
  }

  static func listening() -> Set<UInt16> {
    ["/proc/net/tcp", "/proc/net/tcp6"].reduce(into: []) { ports, table in
      let bytes = (try? Disk.read(table)) ?? []
      ports.formUnion(ServerPorts.listening(in: String(decoding: bytes, as: UTF8.self)))
    }
  }

  // MARK: Statements

  /// Asks a member of PostgreSQL as its administrator.
  package func query(
    _ member: Int, _ statement: String
  ) throws(PostgreSQLError) -> Rows {
    var settings = PostgreSQLSettings()
    settings.endpoints = [.init(host: "127.0.0.1", port: ports.ports[.postgres(member)])]
    settings.user = "cubist"
    settings.password = passwords.postgres
    settings.database = "postgres"
    settings.sslMode = .disable
    settings.applicationName = "private servers"
    settings.targetSessionAttributes = .any
    settings.statementTimeout = .seconds(30)
    let connection = try PostgreSQLConnection(settings)
    defer { connection.close() }
    return try connection.query(statement)
  }

  /// Whether a member answers a question of truth with yes.
  func holds(_ member: Int, _ statement: String) -> Bool {
    do throws(PostgreSQLError) {
      let rows = try query(member, statement)
      return try rows.only[0].bool
    } catch { return false }
  }
}

/// Which servers there are, and on which ports.
package struct ServerPortList: Sendable {
  let ports: ServerPorts

  package var hasStandby: Bool { ports.hasStandby }
  /// The number of RabbitMQ's nodes.
  package var nodes: Int { ports.nodes }
  /// The port of a node's management API.
  package func management(_ node: Int) -> UInt16 { ports[.management(node)] }
}
